"""Near misses of a selection: an event that just leaves it, one more that just enters it, and places just outside."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Any, Final, TypeVar

from harness.expect.templates import resolve
from harness.expect.values import values_at
from harness.expect.where import path_at
from harness.mutate.edit import (
    Impossible,
    attempt,
    change_phase,
    copy,
    line_of,
    move_to_process,
    move_to_thread,
    put,
    shift,
)
from harness.mutate.looks import chain
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.tape import Tape
from harness.mutate.values import breaking, neighbours
from harness.roles import ANY, parse_role
from harness.scenario.model import Condition, Ref, Selection
from harness.trace.event import KINDS, Event

Change = tuple[str, str, Tape]  # operator, what was done, the changed tape
T = TypeVar("T")
ONE_WAY: Final = ("ph", "thread", "tid", "pid", "process", "parent", "depth")  # changed in one way, whatever the value
MOST: Final = 3  # events of a selection that are mutated one at a time


def sample(members: Sequence[T], most: int = MOST) -> list[T]:
    """The first, the last and some between."""
    if len(members) <= most:
        return list(members)
    steps = [round(n * (len(members) - 1) / (most - 1)) for n in range(most)]
    return [members[step] for step in steps]


def told(member: Member) -> str:
    return f"{member.item.name} at {member.item.ts:.15g}"


def leavings(subject: Subject, ref: Ref | str, member: Member, tape: Tape | None = None) -> Iterator[Change]:
    """The member changed so that it fails one criterion of its selection, for each criterion of the whole chain.

    `tape`: the recording to change, where others were changed before.
    """
    tape = tape or subject.tapes[member.key]
    for selection in chain(subject.selection(ref), subject.case.select):
        for operator, what, change in _criteria(subject, selection, member, tape):
            changed = attempt(change)
            if changed is not None:
                yield operator, f"{told(member)}: {what}", changed
        for condition in selection.where:
            for operator, value in breaking_values(subject, condition, member)[:2]:
                changed = attempt(put, tape, member, condition.path, value, subject.trace(member.key))
                if changed is not None:
                    yield operator, f"{told(member)}: {condition.path} is {value!r}", changed


def _criteria(
    subject: Subject, selection: Selection, member: Member, tape: Tape
) -> Iterator[tuple[str, str, Callable[[], Tape]]]:
    trace, item = subject.trace(member.key), member.item
    if member.source == "gap":
        return
    if selection.names or selection.name_matches is not None:
        names = {str(resolve(name, tape.context)) for name in selection.names}
        pattern = selection.name_matches
        for name in neighbours(item.name):
            if name not in names if names else re.search(str(pattern), name) is None:
                yield "rename", f"renamed {name!r}", partial(put, tape, member, "name", name)
                break
    if member.source != "event":
        return
    if selection.cat is not None:
        yield "change an argument", "category traceproof", partial(put, tape, member, "cat", "traceproof")
    if selection.phases:
        changed = attempt(change_phase, tape, member)
        if changed is not None and not _of_phases(line_of(changed, member).ph, selection.phases):
            yield "change phase", "another phase", partial(change_phase, tape, member)
    if selection.base is None:
        role = parse_role(selection.on or "page")
        if role.process != ANY:
            yield "move to a process", "moved to another process", partial(move_to_process, tape, member)
        if role.thread != ANY:
            yield "move to a thread", "moved to another thread", partial(move_to_thread, tape, trace, member)
    if selection.during is not None:
        for edge, mark in (("begin", selection.during.begin), ("end", selection.during.end)):
            if (at := tape.context.mark(mark)) is not None:
                ts = at - 1 if edge == "begin" else at
                yield "shift in time", f"starts at the {edge} of its window", partial(shift, tape, member, ts)
    if selection.inside is not None:
        outers = subject.named(selection.inside, member.key)
        yield "shift in time", f"just outside `{selection.inside}`", partial(just_outside, tape, member, outers)


def _of_phases(phase: str, wanted: Sequence[str]) -> bool:
    return phase in wanted or KINDS.get(phase) in wanted


def breaking_values(subject: Subject, condition: Condition, member: Member) -> list[tuple[str, Any]]:
    """Values that fail a condition, for each of its tests."""
    path = path_at(condition.path, condition.at)
    held = values_at(member.item, path, subject.trace(member.key))
    context = subject.tapes[member.key].context
    found: list[tuple[str, Any]] = []
    for test in condition.tests:
        found += breaking(test, held[0] if held else None, context)
    return found[:1] if path.root in ONE_WAY else found


def may_hold(outer: tuple[float, float], ts: float, end: float) -> bool:
    """Whether times on one thread may be a slice's and what lies in it: of whole ones 1 us may be cut off its end."""
    start, stop = outer
    return start <= ts and end <= stop + (1 if ts < stop else 0)


def just_outside(tape: Tape, member: Member, outers: Iterable[Member]) -> Tape:
    """The member moved behind the outer that held it, 1 us after its end, where no other one holds it either."""
    item = member.item
    line = line_of(tape, member)
    length = line.dur or 0.0
    spans = [
        # A slice that is still open ends with the trace, however late that is: nothing lies behind it.
        (o.item.ts, inf if isinstance(o.item, Event) and o.item.open else o.item.end)
        for o in outers
        if o.key == member.key and o.item is not item and (o.item.pid, o.item.tid) == (line.pid, line.tid)
    ]
    holding = [span for span in spans if may_hold(span, line.ts, line.ts + length)]
    candidates = sorted({end + 1 for _, end in holding} | {start - length - 1 for start, _ in holding})
    for ts in sorted(candidates, key=lambda ts: abs(ts - line.ts)):
        if not any(may_hold(span, ts, ts + length) for span in spans):
            return shift(tape, member, ts)
    raise Impossible("there is no place outside")


def sticking_out(tape: Tape, member: Member, outers: Iterable[Member]) -> Tape:
    """The member made so long that it ends 2 us after the outermost that held it (`may_hold`)."""
    line = line_of(tape, member)
    around = [(o.item.ts, o.item.end) for o in outers if o.key == member.key]
    ends = [span[1] for span in around if may_hold(span, line.ts, line.end)]
    if not ends or line.dur is None:
        raise Impossible("it has no length to stick out")
    return put(tape, member, "dur", max(ends) + 2 - line.ts)


def one_more(subject: Subject, ref: Ref | str, key: Key, members: Sequence[Member], wanted: int = 1) -> Change | None:
    """`wanted` more events in the selection: copies, placed so that it takes them. None where no place was found."""
    size = subject.size(ref, key, {})
    for member in sample(members)[::-1]:
        if member.source == "gap":
            continue
        for what, fields in _places(subject, member):
            changed = copy(subject.tapes[member.key], member, times=wanted, **fields)
            if subject.size(ref, key, {member.key: changed}) == size + wanted:
                return "duplicate", f"{wanted} more {told(member)}{what}", changed
    return None


def _places(subject: Subject, member: Member) -> Iterator[tuple[str, dict[str, Any]]]:
    if member.source != "event":
        yield "", {}
        return
    line = line_of(subject.tapes[member.key], member)
    alone = {"id": f"{line.id}~"} if line.id and line.ph in "bnS" else {}
    yield "", alone
    yield ", right behind it", {**alone, "ts": line.end}
    yield ", short and right behind it", {**alone, "ts": line.end, **({} if line.dur is None else {"dur": 0.0})}
    yield ", short and within it", {**alone, "ts": line.ts, **({} if line.dur is None else {"dur": line.dur / 2})}
