"""Single changes to a tape: drop, copy, shift, move, wrap, and any value at a path of an event.

`Impossible` says that a change cannot be made to this event; whoever asked tries another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, ParamSpec

import msgspec

from harness.expect.values import parse_path
from harness.mutate.subject import Member
from harness.mutate.tape import Line, Tape
from harness.mutate.values import MISSING
from harness.scenario.runtime import parse_steps
from harness.trace import Event, Trace
from harness.trace.context import LogEntry, Mark
from harness.trace.event import KINDS

P = ParamSpec("P")
_NOWHERE: Final = 4_194_000  # above what Linux gives out as pid by default
_PHASES: Final = {"X": "I", "I": "X", "B": "X", "R": "I", "b": "n", "n": "I", "s": "t", "f": "t", "t": "s"}
_TIMES: Final = {"ts": "request_us", "dur": "end_us", "end": "end_us"}


class Impossible(LookupError):
    """This change cannot be made to this event."""


def drop(tape: Tape, members: Iterable[Member]) -> Tape:
    """Without some of its events, requests or marks. Of a gap the event after it goes."""
    lines: dict[int, Line | None] = {}
    log, marks = set[int](), set[int]()
    for member in members:
        match member.source:
            case "event":
                lines[member.index] = None
            case "gap":
                lines[member.around[1].index] = None
            case "log":
                log.add(member.index)
            case "mark":
                marks.add(member.index)
    context = tape.context
    if log or marks:
        context = msgspec.structs.replace(
            context,
            log=[entry for index, entry in enumerate(context.log) if index not in log],
            marks=[mark for index, mark in enumerate(context.marks) if index not in marks],
        )
    return replace(tape.change(lines), context=context)


def line_of(tape: Tape, member: Member) -> Line:
    """The line that stands for a member; `Impossible` for a request or a mark."""
    if member.source == "event":
        return tape.lines[member.index]
    if member.source == "gap":
        return tape.lines[member.around[1].index]
    raise Impossible(f"a {member.source} is no event of the trace")


def swap_line(tape: Tape, member: Member, line: Line) -> Tape:
    index = member.around[1].index if member.source == "gap" else member.index
    return tape.change({index: line})


def copy(tape: Tape, member: Member, *, times: int = 1, **fields: Any) -> Tape:
    """With a copy of an event or a request right behind it in the file; `fields` are those of the copy."""
    context = tape.context
    if member.source == "log":
        return replace(
            tape, context=msgspec.structs.replace(context, log=[*context.log, *[context.log[member.index]] * times])
        )
    if member.source == "mark":
        marks = [*context.marks, *[context.marks[member.index]] * times]
        return replace(tape, context=msgspec.structs.replace(context, marks=marks))
    line = line_of(tape, member)
    behind = max(line.place, line.end_place)
    added = [
        replace(line, **{"place": behind + (n + 1) * 1e-4, "end_place": behind + (n + 1) * 1e-4 + 1e-5, **fields})
        for n in range(times)
    ]
    return tape.change({}, added)


def shift(tape: Tape, member: Member, ts: float, dur: float | None = None) -> Tape:
    """An event at another time (us), with another duration where one is given; its thread clock moves along."""
    if member.source == "log":
        entry = tape.context.log[member.index]
        by = ts - entry.request_us
        moved = {
            name: getattr(entry, name) + by
            for name in ("headers_us", "first_byte_us", "end_us")
            if getattr(entry, name)
        }
        return _log(tape, member.index, msgspec.structs.replace(entry, request_us=ts, **moved))
    if member.source == "mark":
        return _mark(tape, member.index, Mark(tape.context.marks[member.index].name, ts))
    line = line_of(tape, member)
    tts = None if line.tts is None else max(line.tts + ts - line.ts, 0.0)
    return swap_line(
        tape, member, replace(line, ts=ts, tts=tts, dur=line.dur if dur is None or line.dur is None else dur)
    )


def stretch(tape: Tape, member: Member, dur: float) -> Tape:
    """An event of another length (us). Without a length it has none to change."""
    if member.source in ("log", "gap"):
        return put(tape, member, "dur", dur)
    line = line_of(tape, member)
    if line.dur is None:
        raise Impossible(f"{line.name} has no duration")
    return swap_line(tape, member, replace(line, dur=max(dur, 0.0)))


def other_thread(tape: Tape, trace: Trace, line: Line) -> int:
    """Another thread of the same process, one that the trace names where it names one."""
    others = [tid for pid, tid in trace.threads if pid == line.pid and tid != line.tid]
    return next((tid for tid in others if trace.threads[line.pid, tid].name), others[0] if others else _NOWHERE)


def move_to_thread(tape: Tape, trace: Trace, member: Member) -> Tape:
    line = line_of(tape, member)
    return swap_line(tape, member, replace(line, tid=other_thread(tape, trace, line)))


def move_to_process(tape: Tape, member: Member) -> Tape:
    """To a process that the recording does not have."""
    line = line_of(tape, member)
    return swap_line(tape, member, replace(line, pid=_NOWHERE, tid=_NOWHERE))


def change_phase(tape: Tape, member: Member) -> Tape:
    """A slice becomes an instant, an instant a slice of 1 us, a span a point of its track, an end of a flow a step."""
    line = line_of(tape, member)
    if line.ph not in _PHASES:
        raise Impossible(f"no other phase is near ph {line.ph}")
    phase = _PHASES[line.ph]
    dur = (line.dur if line.dur is not None else 1.0) if phase == "X" else None
    return swap_line(tape, member, replace(line, ph=phase, dur=dur, tdur=line.tdur if phase == "X" else None))


def wrap(tape: Tape, member: Member, name: str = "traceproof") -> Tape:
    """With a slice of another name right around an event."""
    line = line_of(tape, member)
    around = replace(
        line, place=line.place - 1e-4, name=name, ph="X", dur=line.dur or 0.0, args={}, id="", bind_id="", scope=""
    )
    return tape.change({}, [replace(around, flow_in=False, flow_out=False, end_place=-1.0)])


def put(tape: Tape, member: Member, path: str, value: Any, trace: Trace | None = None) -> Tape:
    """With another value at a path of an event, `MISSING` for none; with `[]` in every element of the list."""
    parsed = parse_path(path)
    if member.source == "gap":
        return _put_gap(tape, member, parsed.root, parsed.steps, value, trace)
    if member.source == "log":
        return _put_log(tape, member, parsed.root, parsed.steps, value)
    if member.source == "mark":
        mark = tape.context.marks[member.index]
        if parsed.root not in ("ts", "end", "name") or value is MISSING:
            raise Impossible(f"a mark has no {path}")
        return _mark(tape, member.index, Mark(value, mark.ts_us) if parsed.root == "name" else Mark(mark.name, value))
    line = line_of(tape, member)
    if parsed.root == "args":
        before = line.arguments()
        args = changed(before, parsed.steps, value)
        if not isinstance(args, dict) or (not parsed.steps and args == before):
            raise Impossible("arguments are an object, and without any there is none to take away")
        return swap_line(tape, member, replace(line, args=args))
    return _put_field(tape, member, line, parsed.root, value, trace)


def put_in_each(tape: Tape, members: Sequence[Member], path: str, values: Sequence[Any], trace: Trace) -> Tape:
    """With another value at a path of each of some events: as `put` one by one, but the tape is copied once."""
    lines: dict[int, Line | None] = {}
    added: list[Line] = []
    for member, value in zip(members, values, strict=True):
        if member.source != "event":
            tape = put(tape, member, path, value, trace)
            continue
        alone = replace(tape, lines=(tape.lines[member.index],))
        lines[member.index], *others = put(alone, replace(member, index=0), path, value, trace).lines
        added += others
    return tape.change(lines, added)


def _put_field(tape: Tape, member: Member, line: Line, root: str, value: Any, trace: Trace | None) -> Tape:
    gone = value is MISSING
    match root:
        case "ph":
            return change_phase(tape, member)  # what is no phase at all would be no event at all
        case "name" | "cat" | "id":
            if not gone and not isinstance(value, str):
                raise Impossible(f"{root} is a text, and a list of it written as one would hold the same words")
            fields: dict[str, Any] = {root: "" if gone else value}
            return swap_line(tape, member, replace(line, **fields))
        case "scope" if KINDS.get(line.ph) == "instant":
            # What is none of the three is read as that of the thread, so it would be no change.
            other = str(value) if value in ("t", "p", "g") else "p"
            return swap_line(tape, member, replace(line, scope=other if other != line.scope else "t"))
        case "tts" | "tdur":
            number = None if gone else _of_number(value)
            return swap_line(tape, member, replace(line, tts=number) if root == "tts" else replace(line, tdur=number))
        case "written":
            return swap_line(tape, member, replace(line, written=None if gone else int(_of_number(value))))
        case "dur" | "end" | "self" if gone and line.dur is not None:
            return swap_line(tape, member, replace(line, ph="B", dur=None, tdur=None))
        case "ts" if not gone:
            return shift(tape, member, _of_number(value))
        case "dur" if not gone:
            return stretch(tape, member, _of_number(value))
        case "end" if not gone:
            return stretch(tape, member, _of_number(value) - line.ts)
        case "self" if not gone and trace is not None and line.dur is not None:
            assert isinstance(member.item, Event)
            return stretch(tape, member, line.dur + _of_number(value) - trace.self_time(member.item))
        case "thread" if trace is not None:
            return move_to_thread(tape, trace, member)
        case "tid" if not gone and trace is not None:
            return move_to_thread(tape, trace, member)
        case "pid" | "process":
            return move_to_process(tape, member)
        case "parent" | "depth":
            return wrap(tape, member)
    raise Impossible(f"{root} cannot be set")


def _of_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Impossible("a time is a number")
    return float(value)


def changed(value: Any, steps: Sequence[str | int | None], new: Any) -> Any:
    """A JSON value with another one at `steps` below it; what is lacking on the way is made."""
    if not steps:
        return {} if new is MISSING else new
    step, rest = steps[0], steps[1:]
    if step is None:
        if not isinstance(value, list) or not value:
            return [] if new is MISSING else [changed(None, rest, new)]
        if not rest and new is MISSING:
            return []
        return [changed(element, rest, new) for element in value]
    if isinstance(step, int):
        if not isinstance(value, list) or not -len(value) <= step < len(value):
            if new is MISSING:
                return value
            return [*(value if isinstance(value, list) else []), changed(None, rest, new)]
        step %= len(value)
        if not rest and new is MISSING:
            return value[:step]  # the one behind it would stand in its place
        return [*value[:step], changed(value[step], rest, new), *value[step + 1 :]]
    held = value if isinstance(value, dict) else {}
    if not rest and new is MISSING:
        return {key: one for key, one in held.items() if key != step}
    return {**held, step: changed(held.get(step), rest, new)}


def _put_gap(tape: Tape, member: Member, root: str, steps: Sequence[Any], value: Any, trace: Trace | None) -> Tape:
    before, after = member.around
    if root == "args" and steps and steps[0] in ("previous", "next"):
        side = before if steps[0] == "previous" else after
        line = line_of(tape, side)
        return swap_line(tape, side, replace(line, args=changed(line.arguments(), steps[1:], value)))
    if value is MISSING:
        raise Impossible("a gap always has its own fields")
    if root in ("dur", "self"):
        return shift(tape, after, member.item.ts + _of_number(value))
    if root == "end":
        return shift(tape, after, _of_number(value))
    if root == "ts":
        line = line_of(tape, before)
        return shift(tape, before, _of_number(value) - (line.dur or 0.0))
    return put(tape, after, root, value, trace)


def _put_log(tape: Tape, member: Member, root: str, steps: Sequence[Any], value: Any) -> Tape:
    entry = tape.context.log[member.index]
    if root == "name":
        return _log(
            tape, member.index, msgspec.structs.replace(entry, path="/traceproof" if value is MISSING else str(value))
        )
    if root == "ts" and value is not MISSING:
        return shift(tape, member, _of_number(value))
    if root in ("dur", "end"):
        end = 0.0 if value is MISSING else _of_number(value) + (entry.request_us if root == "dur" else 0.0)
        return _log(tape, member.index, msgspec.structs.replace(entry, end_us=end))
    name = steps[0] if steps else None
    if root != "args" or name not in entry.__struct_fields__:
        raise Impossible("a request has no such value that can be set")
    assert isinstance(name, str)
    held = changed(msgspec.to_builtins(entry), list(steps), value)
    if value is MISSING and len(steps) == 1:
        held[name] = type(getattr(entry, name))()
    try:
        return _log(tape, member.index, msgspec.convert(held, LogEntry))
    except msgspec.ValidationError as error:
        raise Impossible(str(error)) from None


def _log(tape: Tape, index: int, entry: LogEntry) -> Tape:
    log = [entry if number == index else one for number, one in enumerate(tape.context.log)]
    return replace(tape, context=msgspec.structs.replace(tape.context, log=log))


def _mark(tape: Tape, index: int, mark: Mark) -> Tape:
    marks = [mark if number == index else one for number, one in enumerate(tape.context.marks)]
    return replace(tape, context=msgspec.structs.replace(tape.context, marks=marks))


def put_value(tape: Tape, path: str, value: Any) -> Tape:
    """With another value of a step, by its `as:` name and a path below it."""
    values = changed(tape.context.values, parse_steps(path), value)
    return replace(tape, context=msgspec.structs.replace(tape.context, values=values))


def exchanged(tape: Tape, one: Member, other: Member) -> Tape:
    """Two events at each other's time."""
    return shift(shift(tape, one, other.item.ts), other, one.item.ts)


def attempt(change: Callable[P, Tape], *args: P.args, **fields: P.kwargs) -> Tape | None:
    """The changed tape, or None where the change is impossible."""
    try:
        return change(*args, **fields)
    except LookupError:
        return None
