"""`count` and `none`: how many events there are."""

from __future__ import annotations

from collections.abc import Hashable

from harness.expect.evidence import matched, near_misses, phrase
from harness.expect.forms.result import Result, Scope
from harness.expect.grouping import Grouping
from harness.expect.items import Item
from harness.expect.measures import counted
from harness.expect.select import Population
from harness.scenario.model import Count, NoneOf
from harness.wording import plural


def count(form: Count, scope: Scope) -> Result:
    population = scope.population(form.of)
    if form.per:
        return _count_per(form, population)
    found = population.size
    met = form.test.accepts(found)
    misses, hints = near_misses(population) if found < form.test.low else ([], [])
    return Result(
        met,
        f"asked for {form.test} {phrase(population)}, found {found:,}",
        hints,
        found,
        matched(population),
        misses,
        (population.label,) if not found else (),
        (counted("count", found),),
    )


def _count_per(form: Count, population: Population) -> Result:
    asked = f"asked for {form.test} {phrase(population)} for each {', '.join(form.per)}"
    if not population.items:
        misses, hints = near_misses(population)
        summary = f"{asked}; found none, so there is no group to count"
        return Result(False, summary, hints, misses=misses, measures=(counted("groups", 0, "groups"),))
    grouping = Grouping(form.per, form.of.at, population.picker.trace)
    members: dict[Hashable, list[Item]] = {}
    for item in population.items:
        members.setdefault(grouping.of(item), []).append(item)
    bad = [group for group in members.values() if not form.test.accepts(len(group))]
    sizes = [len(group) for group in members.values()]
    found = f"found {plural(len(members), 'group')} of {min(sizes)} to {max(sizes)}"
    summary = f"{asked}; {found}" + (f", {len(bad)} of them not {form.test}" if bad else "")
    details = [f"{grouping.label(group[0])}: {plural(len(group), 'event')}" for group in bad[:10]]
    shown = [item for group in bad for item in group] if bad else population.items
    measures = (
        counted("the smallest group", min(sizes)),
        counted("the largest group", max(sizes)),
        counted("groups", len(members), "groups"),
    )
    return Result(not bad, summary, details, population.size, matched(population, shown), measures=measures)


def none_of(form: NoneOf, scope: Scope) -> Result:
    population = scope.population(form.of)
    found = population.size
    if found:
        there = matched(population, note="is there, although none may be")
        summary = f"asked for no {phrase(population)}, found {found:,}"
        return Result(False, summary, [], found, misses=there, measures=(counted("count", found),))
    summary = f"asked for no {phrase(population)}, found none"
    return Result(True, summary, absences=(population.label,), measures=(counted("count", 0),))
