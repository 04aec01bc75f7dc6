"""The census of a corpus out of its parts: sums by DuckDB, which writes to disk what does not fit into its memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.census.bands import DURATIONS, USAGE, bands
from harness.census.layout import TABLES, parts_of

if TYPE_CHECKING:
    import duckdb

MEMORY: Final = "256MB"
QUANTILES: Final = (5, 25, 50, 75, 95, 99)  # per cent
_ENDS: Final = "('E', 'e', 'F')"


@dataclass(slots=True)
class Durations:
    """Microseconds, over slices and spans with an end. A quantile is the least duration that so many do not exceed."""

    count: int
    total_us: float
    least_us: float
    most_us: float
    quantiles_us: dict[str, float]
    band: str = ""


@dataclass(slots=True)
class Argument:
    """A path below the arguments. events: with a value there, an end being part of its begin; share: of all events."""

    path: str
    events: int
    share: float
    types: dict[str, int]


@dataclass(slots=True)
class EventTotals:
    """Everything about one event name. The dicts hold numbers of records, the largest first; '' is what has no name."""

    name: str
    records: int
    traces: int
    usage: str = ""
    categories: dict[str, int] = field(default_factory=dict)
    phases: dict[str, int] = field(default_factory=dict)
    processes: dict[str, int] = field(default_factory=dict)
    threads: dict[str, int] = field(default_factory=dict)
    durations: Durations | None = None
    arguments: list[Argument] = field(default_factory=list)


@dataclass(slots=True)
class Totals:
    """A census. traces, bytes (of the files), records: of the whole corpus. events: the most frequent first."""

    traces: int
    bytes: int
    records: int
    span_us: float
    events: list[EventTotals]


def totals(folders: Sequence[Path], scratch: Path) -> Totals:
    """Add up the parts in some folders. `scratch`: where DuckDB may put what does not fit into memory."""
    with _database(folders, scratch) as database:
        traces, size, records, span = database.sql(
            "SELECT count(*), sum(bytes)::BIGINT, sum(records)::BIGINT, sum(span_us) FROM traces"
        ).fetchall()[0]
        rows = database.sql(
            "SELECT name, sum(records)::BIGINT AS records, count(DISTINCT trace) FROM events GROUP BY name "
            "ORDER BY records DESC, name"
        ).fetchall()
        found = {name: EventTotals(name, count, in_traces) for name, count, in_traces in rows}
        for column, attribute in (
            ("cat", "categories"),
            ("ph", "phases"),
            ("process", "processes"),
            ("thread", "threads"),
        ):
            for name, value, count in database.sql(
                f"SELECT name, {column}, sum(records)::BIGINT AS n FROM events GROUP BY ALL ORDER BY n DESC, {column}"
            ).fetchall():
                getattr(found[name], attribute)[value] = count
        _add_durations(found, database)
        _add_arguments(found, database)
    _add_bands(list(found.values()))
    return Totals(traces, size or 0, records or 0, span or 0.0, list(found.values()))


def _add_durations(found: dict[str, EventTotals], database: duckdb.DuckDBPyConnection) -> None:
    quantiles = ", ".join(f"min(dur_us) FILTER (upto * 100 >= {each} * all_of_it)" for each in QUANTILES)
    for name, count, total, least, most, *at in database.sql(
        f"""
        WITH each AS (SELECT name, dur_us, sum(events) AS events FROM durations GROUP BY ALL),
        ranked AS (
          SELECT name, dur_us, events, sum(events) OVER (PARTITION BY name ORDER BY dur_us) AS upto,
                 sum(events) OVER (PARTITION BY name) AS all_of_it
          FROM each
        )
        SELECT name, sum(events)::BIGINT, sum(events * dur_us), min(dur_us), max(dur_us), {quantiles}
        FROM ranked GROUP BY name
        """
    ).fetchall():
        named = {f"p{percent}": value for percent, value in zip(QUANTILES, at, strict=True)}
        found[name].durations = Durations(count, total, least, most, named)


def _add_arguments(found: dict[str, EventTotals], database: duckdb.DuckDBPyConnection) -> None:
    begun = dict(
        database.sql(f"SELECT name, sum(records)::BIGINT FROM events WHERE ph NOT IN {_ENDS} GROUP BY name").fetchall()
    )
    for name, path, types, count in database.sql(
        "SELECT name, path, types, sum(events)::BIGINT FROM arguments GROUP BY ALL ORDER BY name, path, types"
    ).fetchall():
        held = found[name].arguments
        if not held or held[-1].path != path:
            held.append(Argument(path, 0, 0.0, {}))
        current = held[-1]
        current.events += count
        for type_ in types.split("|"):
            current.types[type_] = current.types.get(type_, 0) + count
    for name, event in found.items():
        for argument in event.arguments:
            argument.share = argument.events / begun[name]


def _add_bands(events: Sequence[EventTotals]) -> None:
    for event, word in zip(events, bands([event.records for event in events], USAGE), strict=True):
        event.usage = word
    timed = [event.durations for event in events if event.durations]
    for one, word in zip(timed, bands([one.quantiles_us["p50"] for one in timed], DURATIONS), strict=True):
        one.band = word


@contextmanager
def _database(folders: Sequence[Path], scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the parts as views by the names of their tables."""
    import duckdb

    config: dict[str, Any] = {"memory_limit": MEMORY, "temp_directory": str(scratch), "preserve_insertion_order": False}
    connection = duckdb.connect(config=config)
    try:
        for table, columns in TABLES.items():
            parts = [str(parts_of(table, folder)) for folder in folders if any((folder / table).glob("*.parquet"))]
            if parts:
                connection.read_parquet(parts).create_view(table)
            else:
                typed = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
                connection.execute(f"CREATE TABLE {table} ({typed})")
        yield connection
    finally:
        connection.close()
