"""`compare`: one number, or two against each other; over paired blocks the median decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.events import EventView, Measure
from harness.expect.evidence import matched, near_misses, phrase
from harness.expect.forms.result import Result, Scope
from harness.expect.items import Item
from harness.expect.measures import measured
from harness.expect.recording import NotShown, Unanswerable
from harness.expect.select import Population
from harness.expect.templates import resolve, step_value
from harness.expect.values import ValuePath, is_number, show, values_at
from harness.expect.where import path_at
from harness.scenario.model import Aggregate, Compare
from harness.stats import median

FUNCTIONS: Final[dict[str, Callable[[Sequence[float]], float]]] = {
    "sum": lambda numbers: _sum(numbers),
    "mean": lambda numbers: _sum(numbers) / len(numbers),
    "median": median,
    "min": min,
    "max": max,
}
US: Final = "us"
TIMES: Final = ("dur", "self", "tdur", "ts", "end", "tts")
SPENT: Final = ("dur", "self")  # an instant is what Chrome writes for a slice of zero length: it took 0 us


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    text: str
    population: Population | None = None
    failure: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """The number of one arm and block, or in `failure` why there is none. sides: what it is made of, by its text."""

    value: float
    text: str
    unit: str = ""
    sides: tuple[tuple[str, float, str], ...] = ()  # text, value, unit
    failure: str = ""
    hints: list[str] = field(default_factory=list)
    size: int = 0
    matched: list[EventView] = field(default_factory=list)
    misses: list[EventView] = field(default_factory=list)
    absences: tuple[str, ...] = ()


def measure(form: Compare, scope: Scope) -> Measured:
    """The number that is tested, in one arm and block."""
    left = _aggregate(form.left, scope)
    right = _aggregate(form.right, scope) if form.right else None
    numbers = [number for number in (left, right) if number is not None]
    sides = [number.population for number in numbers if number.population is not None]
    size = sum(side.size for side in sides)
    text = " and ".join(f"{number.text} is {show(number.value)}" for number in numbers)
    shown = [event for side in sides for event in matched(side)[: 5 // len(sides)]]
    absences = tuple(side.label for side in sides if not side.items)
    empty = next((side for side in sides if not side.items), None)
    misses, hints = near_misses(empty) if empty else ([], [])
    failure, value = next((number.failure for number in numbers if number.failure), ""), left.value
    if not failure and form.measure != "is":
        assert right is not None
        if form.measure == "difference":
            value = left.value - right.value
        elif right.value == 0:
            failure = "there is no ratio to 0"
        else:
            value = left.value / right.value
    if not failure and not math.isfinite(value):
        failure = f"{show(value)} is no finite number"
    parts = tuple((number.text, number.value, number.unit) for number in numbers)
    unit = "" if form.measure == "ratio" else left.unit
    return Measured(value, text, unit, parts, failure, hints, size, shown, misses, absences)


def decide(form: Compare, blocks: Sequence[Measured]) -> Result:
    """Test the one number, or the interval of the median of the blocks'; a block without a number fails.

    Where the interval has numbers that pass and numbers that do not, it is too close to tell, whatever the median is.
    """
    asked = f"asked for {'' if form.measure == 'is' else form.measure + ' '}{form.test}"
    first = next((block for block in blocks if block.failure), blocks[0])
    size = sum(block.size for block in blocks)
    absences = tuple(dict.fromkeys(label for block in blocks for label in block.absences))
    many = len(blocks) > 1
    details = [f"block {n}: {b.failure or show(b.value)} ({b.text})" for n, b in enumerate(blocks)] if many else []
    if first.failure:
        summary = f"{asked}, but {first.failure}: {first.text}"
        return Result(False, summary, details + first.hints, size, first.matched, first.misses)
    measures = _measures(form, blocks)
    number = measures[0]
    low, high = (number.low, number.high) if number.low is not None else (number.median, number.median)
    assert low is not None and high is not None
    met = form.test.accepts_all(low, high)
    too_close = not met and not form.test.refuses_all(low, high)
    found = f"found a median of {show(number.median)} over {len(blocks)} blocks" if many else f"found {show(low)}"
    summary = f"{asked}, {found}" + (_spread(number, too_close) if many else f": {first.text}")
    details += [*_beside(number), *first.hints]
    return Result(met, summary, details, size, first.matched, first.misses, absences, measures, too_close)


def _measures(form: Compare, blocks: Sequence[Measured]) -> tuple[Measure, ...]:
    """The number that is tested, then those that it is made of."""
    name = "value" if form.measure == "is" else form.measure
    cost = len(blocks) > 1 or any(unit == US for _, _, unit in blocks[0].sides)
    number = measured(name, [block.value for block in blocks], blocks[0].unit, cost=cost)
    if form.measure == "is":
        return (number,)
    sides = zip(*(block.sides for block in blocks), strict=True)
    return number, *(measured(of[0][0], [value for _, value, _ in of], of[0][2]) for of in sides)


def _spread(number: Measure, too_close: bool) -> str:
    assert number.low is not None and number.high is not None and number.confidence is not None
    said = f" ({number.confidence:.0%}: {show(number.low)} to {show(number.high)})"
    return said + (", which is on both sides of the bound: too close to tell" if too_close else "")


def _beside(number: Measure) -> list[str]:
    """What could have made the number: the first block, and the order of the arms."""
    told = ((number.warm_up, "the first block against the rest"), (number.order, "A B against B A"))
    sign = "×" if number.name == "ratio" else ""
    return [f"{what}: {sign}{show(value)}" for value, what in told if value is not None]


def _aggregate(aggregate: Aggregate, scope: Scope) -> _Number:
    if aggregate.kind == "constant":
        value = resolve(aggregate.constant, scope.picker.context)
        return _Number(_of_run(value, str(getattr(aggregate.constant, "text", "the constant"))), "the constant")
    if aggregate.kind == "value":
        context = scope.picker.sibling(aggregate.arm).context
        return _Number(_of_run(step_value(aggregate.path, context), aggregate.path), f"values.{aggregate.path}")
    assert aggregate.of is not None
    population = scope.population(aggregate.of)
    if aggregate.kind == "count":
        return _Number(population.size, f"the count of {phrase(population)}", population, unit="events")
    text = f"the {aggregate.kind} of {aggregate.path} over {phrase(population)}"
    numbers = _numbers(population, path_at(aggregate.path, aggregate.at))
    if not numbers and aggregate.kind != "sum":
        return _Number(math.nan, text, population, f"`{population.label}` is empty")
    unit = US if aggregate.path in TIMES else ""
    return _Number(FUNCTIONS[aggregate.kind](numbers), text, population, unit=unit)


def _sum(numbers: Sequence[float]) -> float:
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.inf  # what is no finite number meets no test


def _of_run(value: object, name: str) -> float:
    if not is_number(value):
        raise Unanswerable(f"`{name}` is {show(value)} in this recording, not a number")
    assert isinstance(value, int | float)
    return value


def _numbers(population: Population, path: ValuePath) -> list[float]:
    """Every number at the path. An event without one would shrink the sum or shift the median unseen: `NotShown`."""
    numbers: list[float] = []
    for item in population.items:
        values = values_at(item, path, population.picker.trace) or _zero_length(item, path)
        if bad := [value for value in values if not is_number(value)]:
            raise NotShown(f"{path.text} of {item.name} at {item.ts:.15g} is {show(bad[0])}, not a number")
        if not values:
            why = " because it was still open when the recording ended" if item.open else ""
            raise NotShown(f"{item.name} at {item.ts:.15g} has no {path.text}{why}, so no number stands for all")
        numbers += values
    return numbers


def _zero_length(item: Item, path: ValuePath) -> list[float]:
    return [0.0] if path.root in SPENT and item.kind == "instant" else []
