"""Contradictions of `each`: one event of the selection that fails one of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from harness.expect.items import Item
from harness.expect.values import values_at
from harness.expect.where import path_at
from harness.mutate.edit import Impossible, attempt, copy, drop, line_of, put, shift, swap_line, wrap
from harness.mutate.forge import forged
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import breaking_values, just_outside, may_hold, sample, sticking_out, told
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.tape import Tape
from harness.mutate.values import nearest_counts
from harness.scenario.model import Contains, Each, Ref


def each(subject: Subject, form: Each, key: Key) -> Iterator[Mutant]:
    members = subject.members(form.of, key)
    for member in sample(members):
        yield from _has(subject, form, member)
        yield from _nesting(subject, form, key, member)
        yield from _times(subject, form, key, member)
    for inner in form.contains:
        yield from _contains(subject, form, inner, key, members)
    if form.innermost:
        yield from _one_inside(subject, form.innermost, key, members, "each: innermost")


def _mutant(member: Member, operator: str, what: str, kind: str, change: Callable[[], Tape]) -> Iterator[Mutant]:
    if (tape := attempt(change)) is not None:
        yield Mutant(operator, Must.KILL, f"{told(member)}: {what}", {member.key: tape}, kind)


def _has(subject: Subject, form: Each, member: Member) -> Iterator[Mutant]:
    tape, trace = subject.tapes[member.key], subject.trace(member.key)
    for condition in form.has:
        for operator, value in breaking_values(subject, condition, member):
            what, kind = f"{condition.path} is {value!r}", f"each: {condition.path}"
            yield from _mutant(member, operator, what, kind, partial(put, tape, member, condition.path, value, trace))


def _nesting(subject: Subject, form: Each, key: Key, member: Member) -> Iterator[Mutant]:
    tape = subject.tapes[member.key]
    if form.inside:
        outers = subject.members(form.inside, key)
        yield from _mutant(
            member,
            "shift in time",
            f"just outside `{form.inside.name}`",
            "each: inside",
            partial(just_outside, tape, member, outers),
        )
        yield from _mutant(
            member,
            "stretch",
            f"sticks out of `{form.inside.name}`",
            "each: inside",
            partial(sticking_out, tape, member, outers),
        )
    if form.parent:
        outers = subject.members(form.parent, key)
        yield from _mutant(
            member,
            "shift in time",
            f"just outside `{form.parent.name}`",
            "each: parent",
            partial(just_outside, tape, member, outers),
        )
        yield from _mutant(
            member, "wrap in a slice", "a slice between it and its parent", "each: parent", partial(wrap, tape, member)
        )
    if form.not_inside:
        others = [m for m in subject.members(form.not_inside, key) if m.key == member.key and m.item is not member.item]
        yield from _mutant(
            member,
            "shift in time",
            f"inside a `{form.not_inside.name}`",
            "each: not_inside",
            partial(_into, tape, member, others),
        )
        around = attempt(_surrounded, tape, member, others)
        before = subject.size(form.not_inside, key, {})
        if around is not None and subject.size(form.not_inside, key, {member.key: around}) > before:
            what = f"a `{form.not_inside.name}` around it"
            yield from _mutant(member, "wrap in a slice", what, "each: not_inside", partial(replace, around))


def _surrounded(tape: Tape, member: Member, outers: Sequence[Member]) -> Tape:
    """With a copy of an outer right around the member: where it may not be moved to one, one comes to it."""
    line = line_of(tape, member)
    outer = next((o for o in outers if o.item.kind == "slice"), None)
    if outer is None:
        raise Impossible("there is nothing to be inside")
    place = line.place - 1e-4
    around = replace(line_of(tape, outer), place=place, ts=line.ts, dur=line.dur or 0.0, pid=line.pid, tid=line.tid)
    return tape.change({}, [replace(around, ph="X", end_place=-1.0)])


def _into(tape: Tape, member: Member, outers: Sequence[Member]) -> Tape:
    """The member moved into an outer, in its middle and short."""
    line = line_of(tape, member)
    outer = next((o.item for o in outers if o.item.end > o.item.ts), None)
    if outer is None:
        raise Impossible("there is nothing to be inside")
    span = outer.end - outer.ts
    dur = None if line.dur is None else min(line.dur, span / 4)
    moved = replace(line, ts=outer.ts + span / 2, dur=dur, pid=outer.pid, tid=outer.tid)
    return swap_line(tape, member, moved)


def _times(subject: Subject, form: Each, key: Key, member: Member) -> Iterator[Mutant]:
    tape = subject.tapes[member.key]
    if form.after and (ends := [m.item.end for m in subject.members(form.after, key) if m.item is not member.item]):
        yield from _mutant(
            member,
            "shift past a neighbour",
            f"before the first `{form.after.name}` ends",
            "each: after",
            partial(shift, tape, member, min(ends) - 1),
        )
    if form.before and (starts := [m.item.ts for m in subject.members(form.before, key) if m.item is not member.item]):
        yield from _mutant(
            member,
            "shift past a neighbour",
            f"after the last `{form.before.name}` starts",
            "each: before",
            partial(shift, tape, member, max(starts) + 1),
        )


def _contains(subject: Subject, form: Each, inner: Contains, key: Key, members: Sequence[Member]) -> Iterator[Mutant]:
    inners, kind = subject.members(inner.of, key), f"each: contains {inner.of.name}"
    for outer in sample([m for m in members if m.source == "event"]):
        held = [m for m in inners if m.source == "event" and _within(m, outer)]
        if inner.innermost:
            held = [m for m in held if not any(_within(m, other) and _within(other, outer) for other in members)]
        tape = subject.tapes[outer.key]
        fewer: int | None
        more: int | None
        if inner.equals_path is not None:
            values = values_at(outer.item, path_at(inner.equals_path, inner.of.at), subject.trace(outer.key))
            for change in (1, -1):
                value = [v + change for v in values if isinstance(v, int | float)]
                if value:
                    yield from _mutant(
                        outer,
                        "change an argument",
                        f"{inner.equals_path} is {value[0]}",
                        kind,
                        partial(put, tape, outer, inner.equals_path, value[0]),
                    )
            fewer, more = (len(held) - 1 if held else None), len(held) + 1
        else:
            fewer, more = nearest_counts(inner.test, len(held))
        if fewer is not None and held:
            lost = held[fewer:]
            yield from _mutant(
                outer, "drop one", f"{len(lost)} of its {len(held)} dropped", kind, partial(drop, tape, lost)
            )
            if len(lost) == 1:
                # A trace keeps each inner in one outer only where the outers do not hold each other.
                yield from _mutant(
                    outer,
                    "shift in time",
                    "its last one just outside",
                    kind,
                    partial(just_outside, tape, lost[0], members),
                )
        if more is not None:
            yield from _more_inside(subject, inner.of, key, outer, held or inners, more - len(held), kind)


def _more_inside(
    subject: Subject, ref: Ref, key: Key, outer: Member, models: Sequence[Member], wanted: int, kind: str
) -> Iterator[Mutant]:
    tape, item = subject.tapes[outer.key], outer.item
    if not models or item.end <= item.ts:
        return
    line = line_of(tape, models[0])
    fields = {
        "ts": item.ts + (item.end - item.ts) / 2,
        "pid": item.pid,
        "tid": item.tid,
        "dur": None if line.dur is None else 0.0,
    }
    added = copy(tape, models[0], times=wanted, **fields)
    if subject.size(ref, key, {outer.key: added}) == len(subject.members(ref, key)) + wanted:
        yield Mutant(
            "duplicate",
            Must.EITHER if _crowded(item, tape) else Must.KILL,
            f"{told(outer)}: {wanted} more in it",
            {outer.key: added},
            kind,
        )


def _crowded(item: Item, tape: Tape) -> bool:
    """Whether what is put in the middle of a slice may fall into another slice in it."""
    ts, end = item.ts, item.end
    middle = ts + (end - ts) / 2
    thread = item.pid, item.tid
    return any((line.pid, line.tid) == thread and ts < line.ts <= middle <= line.end < end for line in tape.lines)


def _one_inside(subject: Subject, ref: Ref, key: Key, members: Sequence[Member], kind: str) -> Iterator[Mutant]:
    inners = [m for m in subject.members(ref, key) if m.source == "event"]
    outer = next((m for m in members if m.source == "event" and m.item.end > m.item.ts), None)
    if outer is None:
        return
    if inners:
        yield from _more_inside(subject, ref, key, outer, inners, 1, kind)
        return
    for operator, what, tape in forged(subject, ref, key):
        line = tape.lines[-1]
        middle = outer.item.ts + (outer.item.end - outer.item.ts) / 2
        moved = replace(line, ts=middle, dur=None if line.dur is None else 0.0, pid=outer.item.pid, tid=outer.item.tid)
        tape = replace(tape, lines=(*tape.lines[:-1], moved))
        if subject.size(ref, key, {key: tape}) > 0:
            yield Mutant(operator, Must.KILL, f"{what}, inside {told(outer)}", {key: tape}, kind)
            return


def _within(inner: Member, outer: Member) -> bool:
    a, b = inner.item, outer.item
    if a is b or (a.pid, a.tid) != (b.pid, b.tid) or inner.key != outer.key:
        return False
    if (a.ts, a.end) == (b.ts, b.end):
        return a.seq > b.seq
    return may_hold((b.ts, b.end), a.ts, a.end)
