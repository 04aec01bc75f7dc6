"""The few statistics that verdicts and comparisons rest on."""

from harness.stats.intervals import wilson
from harness.stats.ratios import median, median_ratio

__all__ = ["median", "median_ratio", "wilson"]
