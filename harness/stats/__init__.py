"""The few statistics that verdicts and comparisons rest on."""

from harness.stats.intervals import wilson
from harness.stats.medians import median, median_interval

__all__ = ["median", "median_interval", "wilson"]
