"""`same` and `differ`: the values that selections have at a path, against each other or within one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from itertools import combinations
from typing import Any

from harness.expect.evidence import matched, near_misses, phrase
from harness.expect.forms.result import Result, Scope
from harness.expect.grouping import Grouping
from harness.expect.measures import sizes
from harness.expect.recording import NotShown
from harness.expect.select import Population
from harness.expect.timing import in_time_order
from harness.expect.values import canonical, show, values_at
from harness.expect.where import path_at
from harness.scenario.model import Same
from harness.wording import plural

Values = list[Any]  # of one selection and group, in order of time


def same(form: Same, scope: Scope) -> Result:
    populations = [scope.population(ref) for ref in form.of]
    return replace(_same(form, populations), measures=sizes(populations))


def _same(form: Same, populations: list[Population]) -> Result:
    word = "different" if form.differ else "the same"
    asked = f"asked for {word} {form.path} in {' and '.join(map(phrase, populations))}"
    asked += f" for each {', '.join(form.by)}" if form.by else ""
    total = sum(population.size for population in populations)
    for population in populations:
        if not population.items:
            misses, hints = near_misses(population)
            return Result(False, f"{asked}; there is no `{population.label}`", hints, total, misses=misses)
    if twice := _compared_with_itself(populations):
        return Result(False, f"{asked}; `{twice}` would be compared with itself", [], total)
    groups = _groups(form, populations)
    labels = [population.label for population in populations]
    if len(populations) == 1 and all(len(values) < 2 for _, (values,) in groups):
        shown = matched(populations[0], note="has nothing to be compared with")
        return Result(False, f"{asked}; no group has two values to compare", [], total, misses=shown)
    problems = [
        f"{label}{problem}"
        for label, values in groups
        if (problem := _within(form, values[0]) if len(values) == 1 else _between(form, labels, values))
    ]
    shown = [event for population in populations for event in matched(population)[: 5 // len(populations) or 1]]
    if problems:
        return Result(False, f"{asked}; {problems[0]}", problems[:10], total, misses=shown)
    return Result(True, f"{asked}; so it is in {plural(len(groups), 'group')}", [], total, shown)


def _compared_with_itself(populations: list[Population]) -> str:
    """Two names for the same events are equal whatever Chrome does."""
    for a, b in combinations(populations, 2):
        if [id(item) for item in a.items] == [id(item) for item in b.items]:
            return b.label
    return ""


def _groups(form: Same, populations: list[Population]) -> list[tuple[str, list[Values]]]:
    path = path_at(form.path, form.of[0].at)
    groups: dict[Hashable, tuple[str, list[Values]]] = {}
    for index, (population, ref) in enumerate(zip(populations, form.of, strict=True)):
        grouping = Grouping(form.by, ref.at, population.picker.trace)
        for item in in_time_order(population.items):
            if not (values := values_at(item, path, population.picker.trace)):
                raise NotShown(f"{item.name} at {item.ts:.15g} in `{population.label}` has no {path.text}")
            key = grouping.of(item)
            if key not in groups:
                label = grouping.label(item)
                groups[key] = f"{label}: " if label else "", [[] for _ in populations]
            groups[key][1][index].extend(values)
    return list(groups.values())


def _within(form: Same, values: Values) -> str:
    counts = Counter(map(canonical, values))
    if form.differ:
        twice = [value for value in values if counts[canonical(value)] > 1]
        return f"{show(twice[0])} is there {counts[canonical(twice[0])]} times" if twice else ""
    if len(counts) == 1:
        return ""
    other = next(value for value in values if canonical(value) != canonical(values[0]))
    return f"{len(counts)} different values, such as {show(values[0])} and {show(other)}"


def _between(form: Same, labels: list[str], values: list[Values]) -> str:
    for label, of_one in zip(labels, values, strict=True):
        if not of_one:
            return f"there is no `{label}`"
    for (a, of_a), (b, of_b) in combinations(zip(labels, values, strict=True), 2):
        if problem := _common(a, b, of_a, of_b) if form.differ else _difference(form.shape, a, b, of_a, of_b):
            return problem
    return ""


def _common(a: str, b: str, of_a: Values, of_b: Values) -> str:
    known = set(map(canonical, of_b))
    shared = next((value for value in of_a if canonical(value) in known), None)
    found = any(canonical(value) in known for value in of_a)
    return f"{show(shared)} is in both `{a}` and `{b}`" if found else ""


def _difference(shape: str, a: str, b: str, of_a: Values, of_b: Values) -> str:
    keys_a, keys_b = [canonical(value) for value in of_a], [canonical(value) for value in of_b]
    counts_a, counts_b = Counter(keys_a), Counter(keys_b)
    for x, y, values, other in ((a, b, of_a, counts_b), (b, a, of_b, counts_a)):
        for value in values:
            if canonical(value) not in other:
                return f"{show(value)} is in `{x}` but not in `{y}`"
    if shape == "set":
        return ""
    for value in of_a:
        if (here := counts_a[canonical(value)]) != (there := counts_b[canonical(value)]):
            return f"{show(value)} is there {here} times in `{a}` and {there} times in `{b}`"
    if shape == "sequence" and keys_a != keys_b:
        at = next(index for index, (x, y) in enumerate(zip(keys_a, keys_b, strict=True)) if x != y)
        return f"value {at} is {show(of_a[at])} in `{a}` and {show(of_b[at])} in `{b}`"
    return ""
