"""The median that comparisons over paired blocks rest on, and the interval in which the true one lies."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from functools import cache


def median(values: Iterable[float]) -> float:
    """The middle value, or the mean of the two in the middle. `ValueError` when there is none or one is not finite."""
    numbers = list(values)
    if not numbers:
        raise ValueError("there is no median of no values")
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("there is no median of values that are not finite")
    return float(statistics.median(numbers))


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """The two values between which the true median lies, and the confidence that this many values give.

    Order statistics, whose ranks the binomial distribution gives (`scipy.stats.quantile_test`): nothing is assumed but
    that the values are independent and have one median. The interval of Wilcoxon's test would be narrower, but it needs
    a symmetrical distribution, and ratios of times have none. Below six values no 95 % can be had: then it is the whole
    range, with the confidence of that, 1 - 2**(1 - n). `ValueError` as for `median`.
    """
    median(values)
    low, high, sure = _ranks(len(values), confidence)
    ordered = sorted(values)
    return ordered[low - 1], ordered[high - 1], sure


@cache
def _ranks(size: int, confidence: float) -> tuple[int, int, float]:
    from scipy.stats import binom, quantile_test  # a second to import, and most commands never need it

    interval = quantile_test(range(1, size + 1), p=0.5).confidence_interval(confidence)
    low = 1 if math.isnan(interval.low) or math.isnan(interval.high) else round(interval.low)
    return low, size + 1 - low, float(1 - 2 * binom.cdf(low - 1, size, 0.5))
