"""The few statistics that verdicts and comparisons rest on."""

from harness.stats.intervals import wilson
from harness.stats.medians import median

__all__ = ["median", "wilson"]
