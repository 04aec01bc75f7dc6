"""How every number that an expectation looks at is distributed over the attempts."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.events import Attempt, Finding, Measure
from harness.verdict import Outcome

MOST_BARS = 8
_FEW_VALUES, _MOST_VALUES = 4, 12  # whole numbers that get a bar each


@dataclass(frozen=True, slots=True)
class Bar:
    """How many values lie in [low, high], and how many of them are of attempts in which the expectation was not met."""

    low: float
    high: float
    count: int
    unmet: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of one expectation. values: of a comparison one for each attempt, else one for each block too."""

    place: str
    form: str
    text: str
    claims: tuple[str, ...]
    arm: str
    name: str
    unit: str
    values: tuple[float, ...]
    bars: tuple[Bar, ...]

    @property
    def five(self) -> tuple[float, float, float, float, float]:
        """The smallest, the quartiles and the largest."""
        if len(self.values) == 1:
            return (self.values[0],) * 5
        low, middle, high = statistics.quantiles(self.values, n=4, method="inclusive")
        return min(self.values), low, middle, high, max(self.values)

    @property
    def varies(self) -> bool:
        return len(set(self.values)) > 1


def quantities(attempts: Sequence[Attempt]) -> list[Quantity]:
    """In the order of the expectations; the number that is tested comes before those that it is made of."""
    found: dict[tuple[int, str, str], list[tuple[Finding, Measure]]] = {}
    for attempt in attempts:
        for finding in attempt.findings:
            for measure in finding.measures:
                found.setdefault((finding.index, measure.arm, measure.name), []).append((finding, measure))
    order = sorted(found, key=lambda key: key[0])
    return [_quantity(found[key]) for key in order]


def _quantity(seen: Sequence[tuple[Finding, Measure]]) -> Quantity:
    finding, measure = seen[0]
    valued = [(value, one.outcome is Outcome.UNMET) for one, other in seen for value in _values(one, other)]
    return Quantity(
        place=finding.place,
        form=finding.form,
        text=finding.text,
        claims=tuple(finding.claims),
        arm=measure.arm,
        name=measure.name,
        unit=measure.unit,
        values=tuple(value for value, _ in valued),
        bars=tuple(_bars(valued)),
    )


def _values(finding: Finding, measure: Measure) -> list[float]:
    """A comparison looks at the median of the blocks, every other form at each of them."""
    return [measure.median] if finding.form == "compare" else measure.values


def _bars(valued: Sequence[tuple[float, bool]]) -> Iterator[Bar]:
    """One for each value where these are few whole numbers, else of equal width from the smallest to the largest."""
    values = [value for value, _ in valued]
    distinct = sorted(set(values))
    few = len(distinct) <= min(_MOST_VALUES, max(_FEW_VALUES, len(values) // 2))
    if len(distinct) == 1 or (few and all(value == int(value) for value in distinct)):
        counts, unmet = Counter(values), Counter(value for value, failed in valued if failed)
        yield from (Bar(value, value, counts[value], unmet[value]) for value in distinct)
        return
    low, width = distinct[0], (distinct[-1] - distinct[0]) / MOST_BARS
    for number in range(MOST_BARS):
        inside = [one for one in valued if min(int((one[0] - low) / width), MOST_BARS - 1) == number]
        edge = distinct[-1] if number == MOST_BARS - 1 else low + (number + 1) * width
        yield Bar(low + number * width, edge, len(inside), sum(failed for _, failed in inside))
