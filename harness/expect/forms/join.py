"""`join`: the events of two selections that belong together, by keys or by containment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from harness.events import Measure
from harness.expect.evidence import MOST, matched, near_misses, phrase, view
from harness.expect.forms.result import Result, Scope
from harness.expect.items import Item
from harness.expect.measures import counted
from harness.expect.nesting import Nest
from harness.expect.select import Population
from harness.expect.values import ValuePath, canonical, is_number, show, values_at
from harness.expect.where import path_at
from harness.numbers import NumberTest, compare
from harness.scenario.model import Join, PairTest
from harness.wording import plural

Pair = tuple[Item, Item]


def join(form: Join, scope: Scope) -> Result:
    left = scope.population(form.left)
    right = scope.same_recording(form.right, left) if form.containment else scope.population(form.right)
    asked = f"asked for {form.relation} between {phrase(left)} and {phrase(right)} {_by(form)}"
    total = left.size + right.size
    for side in (left, right):
        if not side.items:
            misses, hints = near_misses(side)
            summary = f"{asked}; there is no `{side.label}`"
            return Result(False, summary, hints, total, misses=misses, measures=_measures(left, right, []))
    pairs = _contained(left, right) if form.containment else _keyed(form, left, right)
    if not pairs:
        shown = [*matched(left)[:2], *matched(right)[:2]]
        summary = f"{asked}; no pair was found"
        return Result(False, summary, [], total, misses=shown, measures=_measures(left, right, []))
    problems = [
        *_too_many(form, pairs, left, right),
        *_unmatched(form, pairs, left, right),
        *_pair_tests(form, pairs, left, right),
    ]
    if problems:
        shown = [view(item, side.picker, f"missed: {p.text}") for p in problems for item, side in p.shown][:MOST]
        summary, details = f"{asked}; {problems[0].text}", [p.text for p in problems[:10]]
        return Result(False, summary, details, total, misses=shown, measures=_measures(left, right, pairs))
    ends = [(item, side) for pair in pairs[:2] for item, side in zip(pair, (left, right), strict=True)]
    shown = [view(item, side.picker, "matched") for item, side in ends]
    summary = f"{asked}; {plural(len(pairs), 'pair')}, all as asked"
    return Result(True, summary, [], total, shown, measures=_measures(left, right, pairs))


def _measures(left: Population, right: Population, pairs: list[Pair]) -> tuple[Measure, ...]:
    counts = (
        counted(f"count of `{side.label}` ({name})", side.size) for name, side in (("left", left), ("right", right))
    )
    return counted("pairs", len(pairs), "pairs"), *counts


@dataclass(frozen=True, slots=True)
class _Problem:
    text: str
    shown: list[tuple[Item, Population]]


def _by(form: Join) -> str:
    if form.containment:
        return "by containment"
    return "by " + ", ".join(a if a == b else f"{a} = {b}" for a, b in form.on)


def _contained(left: Population, right: Population) -> list[Pair]:
    nest = Nest(left.items)
    return [(outer, inner) for inner in right.items for outer in nest.around(inner)]


def _keyed(form: Join, left: Population, right: Population) -> list[Pair]:
    """An event without a key has no partner, and none is its own."""
    key_of_left = _key([a for a, _ in form.on], left, form)
    key_of_right = _key([b for _, b in form.on], right, form)
    rights: dict[Hashable, list[Item]] = {}
    for item in right.items:
        if (key := key_of_right(item)) is not None:
            rights.setdefault(key, []).append(item)
    return [
        (a, b) for a in left.items if (key := key_of_left(a)) is not None for b in rights.get(key, ()) if a is not b
    ]


def _key(texts: Iterable[str], side: Population, form: Join) -> Callable[[Item], Hashable | None]:
    paths = [path_at(text, form.left.at) for text in texts]

    def key(item: Item) -> Hashable | None:
        values = [values_at(item, path, side.picker.trace) for path in paths]
        known = all(found and None not in found for found in values)  # null is Chrome's word for no value
        return canonical(values) if known else None

    return key


def _too_many(form: Join, pairs: list[Pair], left: Population, right: Population) -> list[_Problem]:
    problems = []
    for index, side, other, refused in (
        (0, left, right, ("one-to-one", "many-to-one")),
        (1, right, left, ("one-to-one", "one-to-many")),
    ):
        if form.relation not in refused:
            continue
        partners = Counter(id(pair[index]) for pair in pairs)
        crowded = [item for item in side.items if partners[id(item)] > 1]
        problems += [
            _Problem(f"`{side.label}` at {item.ts:.15g} has {partners[id(item)]} `{other.label}`", [(item, side)])
            for item in crowded
        ]
    return problems


def _unmatched(form: Join, pairs: list[Pair], left: Population, right: Population) -> list[_Problem]:
    problems = []
    for index, side, other, test in ((0, left, right, form.unmatched_left), (1, right, left, form.unmatched_right)):
        partnered = set(map(id, map(itemgetter(index), pairs)))
        alone = [item for item in side.items if id(item) not in partnered]
        if not _accepts(test, len(alone)):
            text = f"{len(alone):,} `{side.label}` without a `{other.label}`, asked for {test or 0}"
            problems.append(_Problem(text, [(item, side) for item in alone[:MOST]]))
    return problems


def _accepts(test: NumberTest | None, count: int) -> bool:
    return count == 0 if test is None else test.accepts(count)


def _pair_tests(form: Join, pairs: list[Pair], left: Population, right: Population) -> list[_Problem]:
    problems = []
    for test in form.pairs:
        a_path, b_path = path_at(test.left, form.left.at), path_at(test.right, form.right.at)
        for a, b in pairs:
            if reason := _fails(test, _number(a, a_path, left), _number(b, b_path, right)):
                problems.append(_Problem(reason, [(a, left), (b, right)]))
    return problems


def _number(item: Item, path: ValuePath, side: Population) -> Any:
    values = values_at(item, path, side.picker.trace)
    return values[0] if len(values) == 1 else None


def _fails(test: PairTest, a: Any, b: Any) -> str | None:
    for value, path in ((a, test.left), (b, test.right)):
        if not is_number(value):
            return f"{path} is {'missing' if value is None else show(value)} in a pair, not one number"
    if compare(a, test.sign, b):
        return None
    return f"{test.left} {show(a)} is not {test.sign} {test.right} {show(b)} in a pair"
