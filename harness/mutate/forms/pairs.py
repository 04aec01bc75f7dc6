"""Contradictions of `join` (a key that no longer fits, a partner lost or doubled) and of `same` and `differ`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from harness.expect.values import values_at
from harness.expect.where import path_at
from harness.mutate.edit import attempt, copy, drop, exchanged, line_of, put
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import just_outside, sample, told
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.values import alike
from harness.scenario.model import Join, Ref, Same


def _values(subject: Subject, member: Member, path: str, ref: Ref) -> list[Any]:
    return values_at(member.item, path_at(path, ref.at), subject.trace(member.key))


def _odd(value: Any) -> Any:
    """A value that no event of a recording has, of the same type where the type has so many."""
    match value:
        case bool():
            return not value
        case int():
            return 987_654_321
        case float():
            return 987_654_321.5
        case str():
            return f"{value}~traceproof"
        case list():
            return [*value, "~traceproof"]
        case dict():
            return {**value, "~traceproof": 1}
    return "~traceproof"


def join(subject: Subject, form: Join, key: Key) -> Iterator[Mutant]:
    lefts, rights = subject.members(form.left, key), subject.members(form.right, key)
    for ref, side, alone, path_of in (
        (form.left, lefts, form.unmatched_left, 0),
        (form.right, rights, form.unmatched_right, 1),
    ):
        # Only where none may be alone is one that is alone a contradiction.
        must = Must.KILL if alone is None else Must.EITHER
        for member in sample(side, 2):
            tape = subject.tapes[member.key]
            for paths in form.on:
                values = _values(subject, member, paths[path_of], ref)
                if not values:
                    continue
                changed = attempt(put, tape, member, paths[path_of], _odd(values[0]), subject.trace(member.key))
                if changed is not None:
                    what = f"{told(member)}: another {paths[path_of]}"
                    yield Mutant("change an argument", must, what, {member.key: changed}, f"join: key {paths[path_of]}")
            if form.containment and path_of == 1:
                changed = attempt(just_outside, tape, member, lefts)
                if changed is not None:
                    yield Mutant(
                        "shift in time",
                        must,
                        f"{told(member)}: just outside",
                        {member.key: changed},
                        "join: containment",
                    )
    yield from _partners(subject, form, lefts, rights)
    yield from _pair_tests(subject, form, lefts, rights)


def _partners(subject: Subject, form: Join, lefts: Sequence[Member], rights: Sequence[Member]) -> Iterator[Mutant]:
    """One dropped: where pairs are one to one, its partner is alone. One doubled: its partner has two."""
    for side, other_alone, few in (
        (rights, form.unmatched_left, ("one-to-one", "many-to-one")),
        (lefts, form.unmatched_right, ("one-to-one", "one-to-many")),
    ):
        for member in sample(side, 2):
            tape = subject.tapes[member.key]
            partnered = _partner(subject, form, member, lefts, rights) is not None
            if form.relation == "one-to-one" and other_alone is None and partnered:
                yield Mutant(
                    "drop one",
                    Must.KILL,
                    told(member),
                    {member.key: drop(tape, [member])},
                    "join: a partner lost",
                    absent=len(side) == 1,
                )
            if form.relation in few and partnered and not form.containment and member.source == "event":
                line = line_of(tape, member)
                span: dict[str, Any] = (
                    {"id": f"{line.id}~"}
                    if line.id and line.ph in "bnS" and not any("id" in pair for pair in form.on)
                    else {}
                )
                yield Mutant(
                    "duplicate",
                    Must.KILL,
                    told(member),
                    {member.key: copy(tape, member, **span)},
                    "join: a partner doubled",
                )


def _partner(
    subject: Subject, form: Join, member: Member, lefts: Sequence[Member], rights: Sequence[Member]
) -> Member | None:
    mine = 0 if any(member is one for one in lefts) else 1
    refs, others = (form.left, form.right), (rights if mine == 0 else lefts)
    if form.containment:
        return None
    keys = [_values(subject, member, pair[mine], refs[mine]) for pair in form.on]
    for other in others:
        theirs = [_values(subject, other, pair[1 - mine], refs[1 - mine]) for pair in form.on]
        if all(keys) and other.item is not member.item and alike(keys, theirs):
            return other
    return None


def _pair_tests(subject: Subject, form: Join, lefts: Sequence[Member], rights: Sequence[Member]) -> Iterator[Mutant]:
    for test in form.pairs:
        for left in sample(lefts, 2):
            partner = _partner(subject, form, left, lefts, rights)
            if partner is None:
                continue
            bound = _values(subject, partner, test.right, form.right)
            if len(bound) != 1 or not isinstance(bound[0], int | float):
                continue
            value = bound[0] + {"<=": 1, "<": 0, ">=": -1, ">": 0, "==": 1, "!=": 0}[test.sign]
            changed = attempt(put, subject.tapes[left.key], left, test.left, value, subject.trace(left.key))
            if changed is not None:
                kind = f"join: {test.left} {test.sign} {test.right}"
                yield Mutant(
                    "change an argument", Must.KILL, f"{told(left)}: {test.left} is {value}", {left.key: changed}, kind
                )


def same(subject: Subject, form: Same, key: Key) -> Iterator[Mutant]:
    sides = [subject.members(ref, key) for ref in form.of]
    if form.differ:
        yield from _differ(subject, form, sides)
        return
    for ref, side in zip(form.of, sides, strict=True):
        for member in sample(side):
            held = _values(subject, member, form.path, ref)
            # A group of its own has nothing to be compared with.
            lonely = (
                len(form.of) == 1
                and sum(_group(subject, form, m, ref) == _group(subject, form, member, ref) for m in side) < 2
            )
            if not held or lonely:
                continue
            changed = attempt(
                put, subject.tapes[member.key], member, form.path, _odd(held[0]), subject.trace(member.key)
            )
            if changed is not None:
                yield Mutant(
                    "change an argument",
                    Must.KILL,
                    f"{told(member)}: another {form.path}",
                    {member.key: changed},
                    "same: one value changed",
                )
        if form.shape != "set" and len(form.of) > 1 and len(side) > 1:
            member = side[-1]
            tape = subject.tapes[member.key]
            yield Mutant(
                "drop one", Must.KILL, told(member), {member.key: drop(tape, [member])}, "same: one value fewer"
            )
        if form.shape == "sequence" and len(form.of) > 1:
            yield from _out_of_turn(subject, form, ref, side)


def _group(subject: Subject, form: Same, member: Member, ref: Ref) -> list[Any]:
    return [_values(subject, member, path, ref) for path in form.by]


def _out_of_turn(subject: Subject, form: Same, ref: Ref, side: Sequence[Member]) -> Iterator[Mutant]:
    ordered = sorted(side, key=lambda m: (m.item.ts, m.item.seq))
    for a, b in pairwise(ordered):
        apart = not alike(_values(subject, a, form.path, ref), _values(subject, b, form.path, ref))
        if apart and a.item.ts != b.item.ts and _group(subject, form, a, ref) == _group(subject, form, b, ref):
            tape = subject.tapes[a.key]
            swapped = attempt(exchanged, tape, a, b)
            if swapped is not None:
                yield Mutant(
                    "swap two neighbours", Must.KILL, f"{told(a)} and {told(b)}", {a.key: swapped}, "same: two swapped"
                )
                return


def _differ(subject: Subject, form: Same, sides: Sequence[Sequence[Member]]) -> Iterator[Mutant]:
    """One event gets the value of another: of one in the other selection, or of one beside it in its own group."""
    ref, side = form.of[0], sides[0]
    other_ref, others = (form.of[1], sides[1]) if len(sides) > 1 else (ref, side)
    for member in sample(side):
        group = _group(subject, form, member, ref)
        model = next(
            (m for m in others if m.item is not member.item and _group(subject, form, m, other_ref) == group), None
        )
        held = _values(subject, model, form.path, other_ref) if model else []
        if not held:
            continue
        changed = attempt(put, subject.tapes[member.key], member, form.path, held[0], subject.trace(member.key))
        if changed is not None:
            yield Mutant(
                "change an argument",
                Must.KILL,
                f"{told(member)}: {form.path} of another",
                {member.key: changed},
                "differ: one value twice",
            )
