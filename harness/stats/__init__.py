"""The few statistics that verdicts and comparisons rest on."""

from harness.stats.intervals import wilson
from harness.stats.medians import median, median_interval
from harness.stats.sequential import anytime, log_evidence

__all__ = ["anytime", "log_evidence", "median", "median_interval", "wilson"]
