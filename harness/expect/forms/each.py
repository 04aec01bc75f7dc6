"""`each`: every event of a selection passes every test."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import attrgetter

from harness.events import Measure
from harness.expect.criteria import Inside, parents_in_words
from harness.expect.evidence import MOST, matched, near_misses, phrase, view
from harness.expect.forms.result import Result, Scope
from harness.expect.items import Item
from harness.expect.measures import counted
from harness.expect.nesting import Nest, inner_counts
from harness.expect.select import Population
from harness.expect.timing import ends_before
from harness.expect.values import is_number, show, values_at
from harness.expect.where import Where, path_at
from harness.scenario.model import Contains, Each, Ref
from harness.wording import plural

Test = Callable[[Item], str | None]  # None, or why the event fails


def each(form: Each, scope: Scope) -> Result:
    population = scope.population(form.of)
    if not population.items:
        misses, looked_for = near_misses(population)
        summary = f"asked something of each {phrase(population)}, but there is none"
        return Result(False, summary, looked_for, misses=misses, measures=_measures(population, 0))
    absences: list[str] = []
    hints: list[str] = []
    tests = _tests(form, scope, population, absences, hints)
    failures: list[tuple[Item, list[str]]] = []
    for item in population.items:
        if reasons := [reason for test in tests if (reason := test(item)) is not None]:
            failures.append((item, reasons))
    failures.sort(key=lambda failure: len(failure[1]))
    summary = f"asked of each {phrase(population)}: {_asked(form)}; "
    summary += (
        f"{len(failures):,} of {plural(population.size, 'event')} failed"
        if failures
        else f"all {population.size:,} pass"
    )
    return Result(
        not failures,
        summary,
        hints if failures else [],
        population=population.size,
        matched=matched(population) if not failures else [],
        misses=[view(item, population.picker, f"missed: {'; '.join(reasons)}") for item, reasons in failures[:MOST]],
        absences=tuple(absences),
        measures=_measures(population, len(failures)),
    )


def _measures(population: Population, failed: int) -> tuple[Measure, ...]:
    return counted("failed", failed), counted(f"count of `{population.label}`", population.size)


def _asked(form: Each) -> str:
    asked = [", ".join(condition.path for condition in form.has)] if form.has else []
    for words, ref in (
        ("inside", form.inside),
        ("not inside", form.not_inside),
        ("direct child of", form.parent),
        ("contains no", form.innermost),
        ("after", form.after),
        ("before", form.before),
    ):
        if ref is not None:
            asked.append(f"{words} `{ref.name}`")
    asked += (f"contains {inner.equals_path or inner.test} `{inner.of.name}`" for inner in form.contains)
    return ", ".join(asked)


def _tests(form: Each, scope: Scope, population: Population, absences: list[str], hints: list[str]) -> list[Test]:
    """`absences` collects selections whose emptiness a test rests on: nothing lies inside what never happened.

    `hints` collects what to look at where a selection is empty: a misspelt name refutes nothing.
    """

    def other(ref: Ref, absence_passes: bool = False) -> list[Item]:
        found = scope.same_recording(ref, population)
        if absence_passes and not found.items:
            absences.append(found.label)
        if not found.items:
            hints.extend(near_misses(found)[1])
        return found.items

    tests: list[Test] = []
    for condition in form.has:
        where = Where(condition, population.picker.trace, population.picker.context)
        tests.append(_test(where.accepts, where.why_not))
    if form.inside:
        inside = Inside(form.inside.name, other(form.inside), wanted=True)
        tests.append(_test(inside.accepts, inside.why_not))
    if form.not_inside:
        outside = Inside(form.not_inside.name, other(form.not_inside, absence_passes=True), wanted=False)
        tests.append(_test(outside.accepts, outside.why_not))
    if form.parent:
        tests.append(_parent(form.parent.name, other(form.parent)))
    for inner in form.contains:
        # A path that passes on nothing leads to 0 in every event.
        inners = other(inner.of, absence_passes=inner.equals_path is not None or inner.test.accepts(0))
        tests.append(_contains(inner, inners, population))
    if form.innermost:
        tests.append(_innermost(form.innermost.name, other(form.innermost, absence_passes=True), population))
    if form.after:
        tests.append(_after(form.after.name, other(form.after)))
    if form.before:
        tests.append(_before(form.before.name, other(form.before)))
    return tests


def _test(accepts: Callable[[Item], bool], why_not: Callable[[Item], str]) -> Test:
    return lambda item: None if accepts(item) else why_not(item)


def _parent(name: str, outers: list[Item]) -> Test:
    ids = {id(outer) for outer in outers}
    return _test(
        lambda item: item.parent is not None and id(item.parent) in ids,
        lambda item: f"is not directly in a `{name}`; {parents_in_words(item)}",
    )


def _contains(form: Contains, inners: list[Item], population: Population) -> Test:
    counts = inner_counts(population.items, inners, form.innermost)
    path = path_at(form.equals_path, form.of.at) if form.equals_path is not None else None

    def test(item: Item) -> str | None:
        found = counts.get(id(item), 0)
        if path is None:
            return None if form.test.accepts(found) else f"contains {found:,} `{form.of.name}`, not {form.test}"
        values = values_at(item, path, population.picker.trace)
        if len(values) != 1 or not is_number(values[0]):
            given = show(values[0]) if len(values) == 1 else plural(len(values), "value")
            return f"has no single number at {path.text} to compare with, but {given if values else 'nothing'}"
        return None if found == values[0] else f"contains {found:,} `{form.of.name}`, not {path.text} {show(values[0])}"

    return test


def _innermost(name: str, inners: list[Item], population: Population) -> Test:
    nest = Nest(population.items)
    occupied = {id(outer) for inner in inners for outer in nest.around(inner)}
    return _test(lambda item: id(item) not in occupied, lambda item: f"contains a `{name}`")


def _after(name: str, others: list[Item]) -> Test:
    ordered = sorted(others, key=attrgetter("end"))
    ends = [other.end for other in ordered]

    def test(item: Item) -> str | None:
        if bisect_left(ends, item.ts):
            return None
        if any(ends_before(other, item) for other in ordered[: bisect_right(ends, item.ts)]):
            return None
        first = f"the first ends at {ends[0]:.15g}" if ends else "there is none"
        return f"does not start after any `{name}`, {first}"

    return test


def _before(name: str, others: list[Item]) -> Test:
    ordered = sorted(others, key=attrgetter("ts"))
    starts = [other.ts for other in ordered]

    def test(item: Item) -> str | None:
        if bisect_right(starts, item.end) < len(starts):
            return None
        if any(ends_before(item, other) for other in ordered[bisect_left(starts, item.end) :]):
            return None
        last = f"the last starts at {starts[-1]:.15g}" if starts else "there is none"
        return f"does not end before any `{name}`, {last}"

    return test
