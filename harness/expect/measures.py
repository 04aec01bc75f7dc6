"""The numbers behind a finding, in a form that programs can compare over blocks and attempts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from harness.events import Measure
from harness.expect.select import Population
from harness.stats import median, median_interval


def measured(name: str, values: Sequence[float], unit: str = "", arm: str = "", cost: bool = False) -> Measure:
    """A number with its value in each block, in the order of the blocks: even ones ran A B, odd ones B A.

    `ValueError` without values, or where one is not finite.
    """
    made = Measure(name=name, values=list(values), median=median(values), unit=unit, arm=arm, cost=cost)
    if len(values) < 2:
        return made
    low, high, confidence = median_interval(values)
    return msgspec.structs.replace(
        made,
        low=low,
        high=high,
        confidence=confidence,
        warm_up=_against(name, values[0], median(values[1:])),
        order=_against(name, median(values[::2]), median(values[1::2])),
    )


def counted(name: str, value: float, unit: str = "events") -> Measure:
    """The number of one block."""
    return measured(name, [value], unit)


def sizes(populations: Iterable[Population]) -> tuple[Measure, ...]:
    """How many events each selection has."""
    by_label = {population.label: population.size for population in populations}
    return tuple(counted(f"count of `{label}`", size) for label, size in by_label.items())


def joined(measures: Iterable[Measure], arm: str) -> list[Measure]:
    """Measures of the blocks of one arm, those of the same name made one, in the order of the first block."""
    groups: dict[str, list[Measure]] = {}
    for one in measures:
        groups.setdefault(one.name, []).append(one)
    return [
        measured(name, [value for one in same for value in one.values], same[0].unit, arm, same[0].cost)
        for name, same in groups.items()
    ]


def _against(name: str, one: float, other: float) -> float | None:
    if name != "ratio":
        return one - other
    quotient = one / other if other else math.nan
    return quotient if math.isfinite(quotient) else None
