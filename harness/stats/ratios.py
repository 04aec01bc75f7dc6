"""Medians, and ratios of paired measurements."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable


def median(values: Iterable[float]) -> float:
    """The middle value, or the mean of the two in the middle. `ValueError` when there is none or one is not finite."""
    numbers = list(values)
    if not numbers:
        raise ValueError("there is no median of no values")
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("there is no median of values that are not finite")
    return float(statistics.median(numbers))


def median_ratio(pairs: Iterable[tuple[float, float]]) -> float:
    """The median of left / right over paired measurements, such as the two arms of each block.

    The median of ratios, not the ratio of medians: what drifts from block to block cancels inside each pair.
    `ValueError` when there is no pair or a right side is 0.
    """
    ratios = []
    for left, right in pairs:
        if right == 0:
            raise ValueError("a pair has 0 on its right side, so it has no ratio")
        ratios.append(left / right)
    return median(ratios)
