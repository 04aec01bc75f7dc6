"""Contradictions of `order` and `alternate`: two neighbours swapped, one that is missing, one twice."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from harness.expect.values import values_at
from harness.expect.where import path_at
from harness.mutate.edit import attempt, copy, drop, exchanged, shift
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import told
from harness.mutate.subject import Key, Member, Subject
from harness.scenario.model import Alternate, Order, Ref

Groups = list[list[list[Member]]]  # of each group, the events of each selection in order of time


def _groups(subject: Subject, refs: Sequence[Ref], by: Sequence[str], key: Key) -> Groups:
    found: dict[str, list[list[Member]]] = defaultdict(lambda: [[] for _ in refs])
    for index, ref in enumerate(refs):
        for member in subject.members(ref, key):
            values = [values_at(member.item, path_at(path, ref.at), subject.trace(member.key)) for path in by]
            found[json.dumps(values)][index].append(member)
    for members in found.values():
        for side in members:
            side.sort(key=lambda m: (m.item.ts, m.item.seq))
    return list(found.values())


def order(subject: Subject, form: Order, key: Key) -> Iterator[Mutant]:
    for group in _groups(subject, form.of, form.by, key)[:3]:
        for (a_ref, b_ref), (earlier, later) in zip(pairwise(form.of), pairwise(group), strict=True):
            if not earlier or not later:
                continue
            kind = f"order: {a_ref.name} before {b_ref.name}"
            pairs = [(earlier[-1], later[0])] if form.match == "all" else list(zip(earlier, later, strict=False))[:3]
            for a, b in pairs:
                yield from _swapped(subject, form, a, b, kind)
            if form.match == "pairwise" and len(later) > 1:
                yield Mutant(
                    "drop one",
                    Must.KILL,
                    told(later[-1]),
                    {later[-1].key: drop(subject.tapes[later[-1].key], [later[-1]])},
                    f"{kind}, in pairs",
                )


def _swapped(subject: Subject, form: Order, a: Member, b: Member, kind: str) -> Iterator[Mutant]:
    """`b` moved just before `a`, `a` just after `b`. Pairs are formed anew by time, so others may take their places."""
    must = Must.KILL if form.match == "all" else Must.EITHER
    tape = subject.tapes[a.key]
    moves = [(b, a.item.ts - 1, "just before the other starts"), (a, b.item.ts + 1, "just after the other starts")]
    if form.edge == "end" and (a.item.dur or 0) > 1:
        moves.append((b, a.item.end - 1, "just before the other ends"))
    for member, ts, what in moves:
        changed = attempt(shift, tape, member, ts)
        if changed is not None:
            yield Mutant("shift past a neighbour", must, f"{told(member)}: {what}", {a.key: changed}, kind)
    swapped = attempt(exchanged, tape, a, b)
    if swapped is not None and b.item.ts != a.item.ts:
        yield Mutant("swap two neighbours", Must.KILL, f"{told(a)} and {told(b)}", {a.key: swapped}, kind)


def alternate(subject: Subject, form: Alternate, key: Key) -> Iterator[Mutant]:
    for firsts, seconds in _groups(subject, form.of, form.by, key)[:3]:
        if not firsts or not seconds:
            continue
        tape, where = subject.tapes[firsts[0].key], firsts[0].key
        a, b = firsts[0], seconds[0]
        swapped = attempt(exchanged, tape, a, b)
        if swapped is not None and a.item.ts != b.item.ts:
            yield Mutant(
                "swap two neighbours", Must.KILL, f"{told(a)} and {told(b)}", {where: swapped}, "alternate: two swapped"
            )
        yield Mutant(
            "drop one", Must.KILL, told(a), {where: drop(tape, [a])}, "alternate: one missing", absent=len(firsts) == 1
        )
        if len(seconds) > 1:
            yield Mutant(
                "drop one", Must.KILL, told(seconds[0]), {where: drop(tape, [seconds[0]])}, "alternate: one missing"
            )
        if form.tail == "complete":
            yield Mutant(
                "drop one",
                Must.KILL,
                told(seconds[-1]),
                {where: drop(tape, [seconds[-1]])},
                "alternate: the last one open",
                absent=len(seconds) == 1,
            )
        yield Mutant("duplicate", Must.KILL, told(a), {where: copy(tape, a)}, "alternate: one twice")
