"""What a corpus of traces holds, by event name: counted by many processes into Parquet, and added up by DuckDB."""

from harness.census.corpus import Counted, count_traces
from harness.census.jsonout import to_json
from harness.census.layout import is_layout
from harness.census.totals import EventTotals, Totals, totals

__all__ = ["Counted", "EventTotals", "Totals", "count_traces", "is_layout", "to_json", "totals"]
