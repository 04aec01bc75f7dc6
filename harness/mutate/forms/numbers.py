"""Contradictions of `compare`: the number pushed just past each of its bounds, in every block of the arm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from harness.expect.templates import resolve, step_value
from harness.expect.values import values_at
from harness.expect.where import path_at
from harness.mutate.edit import Impossible, drop, put_in_each, put_value, shift
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import one_more
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.tape import Tape
from harness.mutate.values import fits, just_past
from harness.scenario.model import Aggregate, Compare


@dataclass(frozen=True, slots=True)
class _Side:
    """One side in one block: its number, and where it comes from."""

    aggregate: Aggregate
    key: Key
    members: tuple[Member, ...]
    numbers: tuple[float, ...]
    value: float
    whole: bool


def compare(subject: Subject, form: Compare, key: Key) -> Iterator[Mutant]:
    blocks = [number for number in range(subject.blocks) if (key[0], number) in subject.tapes]
    for name, other in (("left", "right"), ("right", "left")):
        aggregate, fixed = getattr(form, name), getattr(form, other)
        if aggregate is None or aggregate.kind == "constant" or (name == "right" and _changeable(form.left)):
            continue
        sides = [_side(subject, aggregate, (key[0], block)) for block in blocks]
        fixed_sides = [_side(subject, fixed, (key[0], block)) if fixed else None for block in blocks]
        whole = form.measure == "is" and all(side.whole for side in sides if side)
        for bound in just_past(form.test, _step(form, whole)):
            yield from _pushed(subject, form, name, bound, sides, fixed_sides)
    if form.right and form.left.of and form.right.of:
        yield from _exchanged(subject, form, key)


def _changeable(aggregate: Aggregate) -> bool:
    return aggregate.kind != "constant"


def _step(form: Compare, whole: bool) -> float:
    if whole or (form.measure == "difference" and form.test.low == form.test.high):
        return 1.0
    bounds = [abs(b) for b in (form.test.low, form.test.high) if math.isfinite(b)]
    return max(min(bounds, default=1.0) * 0.02, 1e-3)


def _pushed(
    subject: Subject, form: Compare, name: str, bound: float, sides: list[_Side | None], fixed: list[_Side | None]
) -> Iterator[Mutant]:
    edits: dict[Key, Tape] = {}
    operator, reached = "", []
    for side, other in zip(sides, fixed, strict=True):
        if side is None:
            return
        wanted = _wanted(form, name, bound, other.value if other else 0.0)
        if wanted is None:
            return
        try:
            before = edits.get(side.key, subject.tapes[side.key])
            operator, tape, value = _reach(subject, side, wanted, before, _shared(side, other))
        except Impossible:
            return
        edits[side.key] = tape
        reached.append(_measured(form, name, value, other.value if other else 0.0))
    # Whole numbers and shared events may not land where they should; only what is past the bound contradicts.
    # So does a spread of blocks over both sides of it: that is too close to tell.
    must = Must.EITHER if any(fits(form.test, number) for number in reached) else Must.KILL
    what = f"the {name} side pushed to {form.measure} {median(reached):.6g}"
    below = bound <= form.test.low
    yield Mutant(operator, must, what, edits, f"compare: {'below the lower' if below else 'above the upper'} bound")


def _wanted(form: Compare, name: str, bound: float, other: float) -> float | None:
    """The value of one side at which the measure is `bound`."""
    match form.measure, name:
        case "is", _:
            return bound
        case "difference", "left":
            return bound + other
        case "difference", _:
            return other - bound
        case _, "left":
            return bound * other
    return other / bound if bound else None


def _measured(form: Compare, name: str, value: float, other: float) -> float:
    left, right = (value, other) if name == "left" else (other, value)
    if form.measure == "is":
        return left
    if form.measure == "difference":
        return left - right
    return left / right if right else math.nan


def _side(subject: Subject, aggregate: Aggregate, key: Key) -> _Side | None:
    if aggregate.kind == "constant":
        value = resolve(aggregate.constant, subject.tapes[key].context)
        return _Side(aggregate, key, (), (), float(value), False)
    if aggregate.kind == "value":
        key = (aggregate.arm or key[0], key[1])
        value = step_value(aggregate.path, subject.tapes[key].context)
        return _Side(aggregate, key, (), (), float(value), isinstance(value, int))
    assert aggregate.of is not None
    members = subject.members(aggregate.of, key)
    key = (aggregate.of.arm or key[0], key[1])
    if aggregate.kind == "count":
        return _Side(aggregate, key, tuple(members), (), float(len(members)), True)
    numbers: list[float] = []
    usable: list[Member] = []
    for member in members:
        values = values_at(member.item, path_at(aggregate.path, aggregate.at), subject.trace(member.key))
        if len(values) == 1 and isinstance(values[0], int | float):
            numbers.append(values[0])
            usable.append(member)
    if not numbers and aggregate.kind != "sum":
        return None
    whole = all(isinstance(number, int) for number in numbers)
    return _Side(aggregate, key, tuple(usable), tuple(numbers), _of(aggregate.kind, numbers), whole)


def _of(kind: str, numbers: Sequence[float]) -> float:
    match kind:
        case "sum":
            return math.fsum(numbers)
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case "mean":
            return fmean(numbers)
    return median(numbers)


def _shared(side: _Side, other: _Side | None) -> frozenset[int]:
    """Places of events of a sum that the other side sums up as well: changed, they would move both sides."""
    if other is None or other.key != side.key or side.aggregate.kind != "sum":
        return frozenset()
    theirs = {(member.source, member.index) for member in other.members}
    return frozenset(n for n, one in enumerate(side.members) if (one.source, one.index) in theirs)


def _reach(
    subject: Subject, side: _Side, wanted: float, tape: Tape, shared: frozenset[int] = frozenset()
) -> tuple[str, Tape, float]:
    """The recording changed so that one side has (nearly) a value; with the value that it then has.

    shared: places among its members of those that stay as they are, as long as there are others.
    """
    if side.aggregate.kind == "value":
        value = _rounded(wanted, side)
        return "change a step's value", put_value(tape, side.aggregate.path, value), value
    if side.aggregate.kind == "count":
        return _reach_count(subject, side, math.floor(wanted) if wanted < side.value else math.ceil(wanted), tape)
    path, whole, trace = side.aggregate.path, len(side.members), subject.trace(side.key)
    kept = math.fsum(side.numbers[n] for n in shared) if len(shared) < len(side.members) else 0.0
    if kept and kept < min(wanted, side.value):
        own = [n for n in range(len(side.members)) if n not in shared]
        members, held = tuple(side.members[n] for n in own), tuple(side.numbers[n] for n in own)
        side, wanted = replace(side, members=members, numbers=held, value=math.fsum(held)), wanted - kept
    else:
        kept = 0.0
    numbers = _spread(side, wanted)
    before = tape
    tape = put_in_each(tape, side.members, path, numbers, trace)
    assert side.aggregate.of is not None
    if path == "dur" and subject.size(side.aggregate.of, side.key, {side.key: tape}) > whole:
        tape = put_in_each(_with_what_it_holds(subject, side, numbers, before), side.members, path, numbers, trace)
    operator = {"dur": "stretch", "self": "stretch", "ts": "shift in time", "end": "stretch"}.get(
        path, "change an argument"
    )
    return operator, tape, _of(side.aggregate.kind, numbers) + kept


def _with_what_it_holds(subject: Subject, side: _Side, numbers: Sequence[float], tape: Tape) -> Tape:
    """What lies in slices that become shorter, shorter by as much: else it would stick out and be an outermost one."""
    for member, old, new in zip(side.members, side.numbers, numbers, strict=True):
        for inner in subject.within(member) if 0 < new < old else ():
            start, share = member.item.ts, new / old
            tape = shift(tape, inner, start + (inner.item.ts - start) * share, (inner.item.dur or 0.0) * share)
    return tape


def _spread(side: _Side, wanted: float) -> list[float]:
    """All numbers scaled (shifted, where they are moments or nothing to scale) so that their aggregate is `wanted`."""
    moments = side.aggregate.path in ("ts", "end", "tts")
    if not side.numbers:
        raise Impossible("there is nothing to change")
    if moments or side.value == 0:
        share = len(side.numbers) if side.aggregate.kind == "sum" else 1
        return [_rounded(number + (wanted - side.value) / share, side) for number in side.numbers]
    if side.aggregate.kind == "sum" and side.whole:
        rest = math.fsum(side.numbers[1:])
        return [_rounded(wanted - rest, side), *side.numbers[1:]]
    return [_rounded(number * wanted / side.value, side) for number in side.numbers]


def _rounded(value: float, side: _Side) -> float:
    """A whole number where the sides were whole, away from the value that it had."""
    if not side.whole:
        return value
    return math.floor(value) if value < side.value else math.ceil(value)


def _reach_count(subject: Subject, side: _Side, wanted: int, tape: Tape) -> tuple[str, Tape, float]:
    size = len(side.members)
    if not 0 <= wanted <= size + 500 or side.aggregate.of is None:
        raise Impossible("no such number of events")
    if wanted <= size:
        gone = side.members[wanted:]
        fewer = drop(tape, gone)
        if subject.size(side.aggregate.of, side.key, {side.key: fewer}) > wanted:
            # What it held may take the place of an outermost one.
            fewer = drop(tape, [*gone, *(inner for one in gone for inner in subject.within(one))])
        return "drop", fewer, wanted
    added = one_more(subject, side.aggregate.of, side.key, side.members, wanted - size)
    if added is None:
        raise Impossible("no more events could be made")
    return added[0], added[2], wanted


def _exchanged(subject: Subject, form: Compare, key: Key) -> Iterator[Mutant]:
    """The two arms take each other's place, in every block."""
    assert form.left.of and form.right and form.right.of
    a, b = form.left.of.arm or key[0], form.right.of.arm or key[0]
    if a == b or form.left.of.name != form.right.of.name or form.left.kind != form.right.kind:
        return
    edits: dict[Key, Tape] = {}
    measured = []
    for block in range(subject.blocks):
        left, right = _side(subject, form.left, (key[0], block)), _side(subject, form.right, (key[0], block))
        if left is None or right is None:
            return
        measured.append(_measured(form, "left", right.value, left.value))
        one, two = subject.tapes[a, block], subject.tapes[b, block]
        edits[a, block], edits[b, block] = two, one
    refuted = not any(fits(form.test, number) or math.isnan(number) for number in measured)
    must = Must.KILL if refuted else Must.EITHER
    yield Mutant(
        "exchange two arms", must, f"{a} and {b}", edits, "compare: the other way round" if must is Must.KILL else ""
    )
