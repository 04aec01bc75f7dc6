"""The words for how often an event is written and how long it takes, by its place among all events of the corpus.

The manual gives each of its entries such a word and no number for it. Of its 144 short entries 10, 15, 50, 16 and 8 per
cent have the five words for usage, from very high to rare; of 96 entries with a duration 8, 15, 50, 22 and 5 per cent
have those from very long to very short: the cuts are at 10, 25, 75 and 90 per cent of the names.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

CUTS: Final = (0.10, 0.25, 0.75, 0.90)
USAGE: Final = ("rare", "low", "moderate", "high", "very high")
DURATIONS: Final = ("very short", "short", "typical", "long", "very long")


def bands(values: Sequence[float], words: Sequence[str]) -> list[str]:
    """The word for each value: by the share of values below it, equal ones counted by half.

    >>> bands([1, 5, 5, 5, 5, 5, 5, 5, 5, 900], USAGE)[::9]
    ['rare', 'very high']
    """
    ordered = sorted(values)
    ranks = ((bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 / len(ordered) for value in values)
    return [words[bisect_right(CUTS, rank)] for rank in ranks]
