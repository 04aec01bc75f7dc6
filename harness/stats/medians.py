"""The median that comparisons over paired blocks rest on."""

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
