"""Contradictions of `count` (one fewer, one more, in all or in one group) and of `none` (one that is there)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from harness.expect.values import values_at
from harness.expect.where import path_at
from harness.mutate.edit import drop
from harness.mutate.forge import forged
from harness.mutate.looks import chain
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import leavings, one_more, sample, told
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.values import nearest_counts
from harness.numbers import NumberTest
from harness.scenario.model import Count, NoneOf, Ref

MOST_AT_ONCE: Final = 60


def count(subject: Subject, form: Count, key: Key) -> Iterator[Mutant]:
    members = subject.members(form.of, key)
    if form.per:
        yield from _per(subject, form, members)
        return
    yield from one_fewer(subject, form.of, members, form.test, "count")
    yield from further(subject, form.of, key, members, form.test, "count")


def one_fewer(subject: Subject, ref: Ref, members: Sequence[Member], test: NumberTest, kind: str) -> Iterator[Mutant]:
    """As many fewer as it takes to fail: dropped, and where one is enough also changed so that it just leaves."""
    size = len(members)
    target, _ = nearest_counts(test, size)
    if target is None or not members:
        return
    kind, key = f"{kind}: {'one' if size - target == 1 else size - target} fewer", members[0].key
    # Where one event is taken of several, the next one may be taken in its place.
    takes = any(one.take is not None for one in chain(subject.selection(ref), subject.case.select))
    must = Must.EITHER if takes else Must.KILL
    if target == 0:
        yield from _absent(subject, ref, members, must, kind)
    if size - target > 1:
        tape = drop(subject.tapes[key], members[target:])
        yield Mutant("drop a class", must, f"{size - target} of {size} dropped", {key: tape}, kind)
        return
    for member in sample(members):
        yield Mutant("drop one", must, told(member), {key: drop(subject.tapes[key], [member])}, kind)
    if target:
        for operator, what, tape in leavings(subject, ref, members[-1]):
            yield Mutant(operator, must, what, {key: tape}, kind)


def _absent(subject: Subject, ref: Ref, members: Sequence[Member], must: Must, kind: str) -> Iterator[Mutant]:
    """What asks only whether there is any is contradicted by nothing else than that there is none: all events are still
    in the trace, and each of them fails one criterion."""
    key = members[0].key
    first = list(leavings(subject, ref, members[0]))
    for number, (operator, what, _) in enumerate(first if len(members) <= MOST_AT_ONCE else []):
        tape = subject.tapes[key]
        for member in members:
            ways = list(leavings(subject, ref, member, tape))
            if len(ways) != len(first):
                break
            tape = ways[number][2]
        else:
            told_of_all = f"all {len(members)} like {what}" if len(members) > 1 else what
            yield Mutant(operator, must, told_of_all, {key: tape}, kind, absent=True)


def further(
    subject: Subject, ref: Ref, key: Key, members: Sequence[Member], test: NumberTest, kind: str
) -> Iterator[Mutant]:
    """As many more as it takes to fail."""
    size = len(members)
    _, target = nearest_counts(test, size)
    if target is None:
        return
    kind = f"{kind}: {'one' if target - size == 1 else target - size} more"
    if not members:
        for operator, what, tape in forged(subject, ref, key):
            yield Mutant(operator, Must.KILL, what, {key: tape}, kind)
    elif (added := one_more(subject, ref, members[0].key, members, target - size)) is not None:
        operator, what, tape = added
        yield Mutant(operator, Must.KILL, what, {members[0].key: tape}, kind)


def _per(subject: Subject, form: Count, members: Sequence[Member]) -> Iterator[Mutant]:
    groups: dict[str, list[Member]] = defaultdict(list)
    for member in members:
        values = [values_at(member.item, path_at(path, form.of.at), subject.trace(member.key)) for path in form.per]
        groups[json.dumps(values)].append(member)
    for group in list(groups.values())[:3]:
        fewer, more = nearest_counts(form.test, len(group))
        key = group[0].key
        if fewer:
            tape = drop(subject.tapes[key], group[fewer:])
            what = f"{len(group) - fewer} of the {len(group)} of a group dropped"
            yield Mutant("drop one", Must.KILL, what, {key: tape}, "count: fewer in one group")
        if more and (added := one_more(subject, form.of, key, group, more - len(group))) is not None:
            operator, what, tape = added
            yield Mutant(operator, Must.KILL, what, {key: tape}, "count: more in one group")


def none_of(subject: Subject, form: NoneOf, key: Key) -> Iterator[Mutant]:
    target = (form.of.arm or key[0], key[1])
    for operator, what, tape in forged(subject, form.of, target):
        yield Mutant(operator, Must.KILL, what, {target: tape}, "none: one that is there")
