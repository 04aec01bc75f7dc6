"""The few statistics that verdicts and comparisons rest on."""

from harness.stats.intervals import wilson
from harness.stats.medians import median, median_interval
from harness.stats.sequential import anytime, log_evidence
from harness.stats.telling import apart, attempts_to_tell, chance

__all__ = ["anytime", "apart", "attempts_to_tell", "chance", "log_evidence", "median", "median_interval", "wilson"]
