"""Makes the event that must not be there: one that a selection takes although none did.

From the nearest first: an event of a sibling arm, then an event of this recording with as little changed as the
criteria ask for, and at last one made up. Whether the selection really takes it is asked of the selection itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from harness.expect.templates import resolve
from harness.expect.values import parse_path, values_at
from harness.mutate.edit import Impossible, attempt, changed, line_of, put
from harness.mutate.looks import chain, refs_of
from harness.mutate.near import Change, sample, told
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.tape import Line, Tape
from harness.mutate.values import MISSING, example, satisfying
from harness.scenario.model import Ref, Selection
from harness.scenario.runtime import walk
from harness.trace import in_scope, threads_in_role
from harness.trace.context import END, START, LogEntry, Mark

_KINDS = {
    "slice": "X",
    "instant": "I",
    "async": "n",
    "flow": "s",
    "counter": "C",
    "metadata": "M",
    "object": "O",
    "sample": "P",
}


def forged(subject: Subject, ref: Ref | str, key: Key) -> Iterator[Change]:
    """One more event in a selection that may be empty, in up to four ways; what it does not take is left out."""
    size = subject.size(ref, key, {})
    found = 0
    for operator, what, tape in _ways(subject, ref, key):
        if subject.size(ref, key, {key: tape}) > size:
            yield operator, what, tape
            found += 1
            if found == 4:
                return


def _ways(subject: Subject, ref: Ref | str, key: Key) -> Iterator[Change]:
    selection, tape = subject.selection(ref), subject.tapes[key]
    for member in _of_selections(subject, subject.below(selection), key):
        if (changed_one := attempt(_adapted, subject, selection, member)) is not None:
            yield "change an event", told(member), changed_one
    if chain(selection, subject.case.select)[-1].source != "trace":
        yield from _made_up(subject, selection, key)
        return
    for member in _of_siblings(subject, ref, key):
        line, who = line_of(subject.tapes[member.key], member), f"{told(member)} from {member.key[0]}"
        for strict in (True, False):
            if (fitted := _fitted(subject, selection, key, line, strict=strict)) is not None:
                yield "splice from a sibling arm", who, tape.change({}, [_one_more(fitted)])
    for member in _of_this_recording(subject, selection, key):
        if (fitted := _fitted(subject, selection, key, line_of(tape, member))) is not None:
            yield "splice a changed copy", f"a copy of {told(member)}", tape.change({}, [_one_more(fitted)])
    yield from _made_up(subject, selection, key)


def _one_more(line: Line) -> Line:
    """At the end of the file, with a span and flows of its own."""
    return replace(line, place=1e9, end_place=1e9 + 1, id=f"{line.id}~" if line.id else "", bind_id="")


def _adapted(subject: Subject, selection: Selection, member: Member) -> Tape:
    """The recording with one event, request or gap itself changed so that the selection takes it."""
    tape, trace = subject.tapes[member.key], subject.trace(member.key)
    if member.source == "event":
        fitted = _fitted(subject, selection, member.key, line_of(tape, member))
        if fitted is None:
            raise Impossible("it cannot be made to fit")
        return tape.change({member.index: fitted})
    for one in reversed(chain(selection, subject.case.select)):
        for condition in one.where:
            held = values_at(member.item, parse_path(condition.path), trace)
            value = satisfying(condition, held, tape.context)
            if not held or value is not held[0]:
                tape = put(tape, member, condition.path, value, trace)
    return tape


def _of_siblings(subject: Subject, ref: Ref | str, key: Key) -> Iterator[Member]:
    name = ref if isinstance(ref, str) else ref.name
    for other in subject.tapes:
        if other != key and other[1] == key[1]:
            yield from sample([m for m in subject.members(name, other) if m.source == "event"], 2)


def _of_this_recording(subject: Subject, selection: Selection, key: Key) -> Iterator[Member]:
    """Events that the selections above this one take, then those that the controls look at."""
    yield from (m for m in _of_selections(subject, subject.below(selection), key) if m.source == "event")
    for form in subject.expectation.control:
        for ref in refs_of(form):
            if key in subject.keys_of(ref):
                yield from sample([m for m in subject.members(ref, key) if m.source == "event" and m.key == key], 2)


def _of_selections(subject: Subject, names: Iterable[str], key: Key) -> Iterator[Member]:
    for name in names:
        yield from sample([m for m in subject.members(name, key) if m.key == key], 2)


def _made_up(subject: Subject, selection: Selection, key: Key) -> Iterator[Change]:
    root = chain(selection, subject.case.select)[-1]
    tape = subject.tapes[key]
    if root.source == "server":
        at = _moment(subject, selection, tape)
        entry = LogEntry(method="GET", host="a.test", path="/traceproof", status=200, request_us=at, end_us=at + 1)
        yield from _request(subject, selection, key, entry)
    elif root.source == "marks":
        name = str(resolve(root.names[0], tape.context)) if root.names else example(root.name_matches or "x")
        marks = [*tape.context.marks, Mark(name, _moment(subject, selection, tape))]
        yield (
            "splice one made up",
            f"a mark {name}",
            replace(tape, context=msgspec.structs.replace(tape.context, marks=marks)),
        )
    elif root.gaps_of is None:
        page = tape.context.page
        main = page.main if page else None
        blank = Line(
            1e9,
            "traceproof",
            "devtools.timeline",
            "X",
            _middle(tape),
            1.0,
            main.pid if main else 0,
            main.tid if main else 0,
            {},
        )
        if (fitted := _fitted(subject, selection, key, blank)) is not None:
            yield "splice one made up", "an event made up", tape.change({}, [_one_more(fitted)])


def _request(subject: Subject, selection: Selection, key: Key, entry: LogEntry) -> Iterator[Change]:
    tape = subject.tapes[key]
    fields: Any = msgspec.to_builtins(entry)
    for one in reversed(chain(selection, subject.case.select)):
        if one.names:
            fields["path"] = str(resolve(one.names[0], tape.context))
        elif one.name_matches is not None:
            fields["path"] = example(one.name_matches)
        for condition in one.where:
            path = parse_path(condition.path)
            if path.root == "args":
                try:
                    fields = changed(fields, path.steps, satisfying(condition, [], tape.context))
                except LookupError:
                    return
    try:
        log = [*tape.context.log, msgspec.convert(fields, LogEntry)]
    except msgspec.ValidationError:
        return
    yield (
        "splice one made up",
        f"a request for {fields['path']}",
        replace(tape, context=msgspec.structs.replace(tape.context, log=log)),
    )


def _fitted(subject: Subject, selection: Selection, key: Key, line: Line, *, strict: bool = False) -> Line | None:
    """A line made to pass the criteria of a whole chain; with `strict` only moved to where and when they ask for it.

    None where something that it would need is not there.
    """
    try:
        for one in reversed(chain(selection, subject.case.select)):
            line = _placed(subject, one, key, line)
            if not strict:
                line = _dressed(subject, one, key, line)
    except LookupError:
        return None
    return line


def _dressed(subject: Subject, one: Selection, key: Key, line: Line) -> Line:
    """Its name, categories, phase and arguments as a selection asks for them."""
    context = subject.tapes[key].context
    names = [str(resolve(name, context)) for name in one.names]
    if names and line.name not in names:
        line = replace(line, name=names[0])
    if one.name_matches is not None:
        known = sorted(subject.trace(key).names)
        fitting = (name for name in (line.name, *known) if re.search(one.name_matches, name))
        line = replace(line, name=next(fitting, example(one.name_matches)))
    if one.cat is not None and one.cat not in line.cat.split(","):
        line = replace(line, cat=one.cat)
    if one.phases and not any(phase in (line.ph, kind) for phase in one.phases for kind in _kind_of(line.ph)):
        phase = _KINDS.get(one.phases[0], one.phases[0])
        line = replace(
            line, ph=phase, dur=(line.dur or 1.0) if phase == "X" else None, scope="t" if phase == "I" else ""
        )
    for condition in one.where:
        path = parse_path(condition.path)
        held = (
            [*_held(subject, key, condition.path), *walk(line.arguments(), path.steps)] if path.root == "args" else []
        )
        value = satisfying(condition, held[::-1], context)
        if path.root == "args":
            line = replace(line, args=changed(line.arguments(), path.steps, value))
        elif path.root in ("name", "cat", "ph", "ts", "dur", "id") and value is not MISSING:
            line = replace(line, **{path.root: value})
        elif path.root == "dur":
            line = replace(line, ph="I", dur=None, scope="t")
    return line


def _kind_of(phase: str) -> list[str]:
    return (
        ["slice"]
        if phase in "XB"
        else [kind for kind, letter in _KINDS.items() if letter == phase] + (["async"] if phase in "bS" else [])
    )


def _held(subject: Subject, key: Key, path: str) -> list[Any]:
    """Values that events of the recordings have at a path: the most natural ones to be found there."""
    parsed, trace = parse_path(path), subject.trace(key)
    found: list[Any] = []
    for event in trace.events:
        if event.kind != "metadata":
            found += values_at(event, parsed, trace)
            if len(found) > 50:
                break
    return found


def _placed(subject: Subject, one: Selection, key: Key, line: Line) -> Line:
    """On the thread, in the window and inside the events that a selection asks for."""
    tape, trace = subject.tapes[key], subject.trace(key)
    if one.on is not None or (one.base is None and one.gaps_of is None):
        role, page = one.on or "page", tape.context.page
        if page is None:
            raise Impossible("the page is not known")
        plays = in_scope(role, trace, page)
        if not any(event.pid == line.pid and event.tid == line.tid and plays(event) for event in trace.events):
            threads = sorted(threads_in_role(role, trace, page))
            main = [(frame.pid, frame.tid) for frame in page.frames if (frame.pid, frame.tid) in threads]
            if not (main or threads):
                raise Impossible(f"no thread plays {role}")
            pid, tid = (main or threads)[0]
            line = replace(line, pid=pid, tid=tid)
    if one.during is not None:
        begin, end = tape.context.mark(one.during.begin), tape.context.mark(one.during.end)
        first = begin if begin is not None else trace.start_ts
        last = end if end is not None else trace.end_ts
        if not first <= line.ts < last:
            line = replace(line, ts=(first + last) / 2)
    if one.inside is not None:
        outers = [m.item for m in subject.named(one.inside, key)]
        holding = [
            o for o in outers if (o.pid, o.tid) == (line.pid, line.tid) and o.ts <= line.ts and line.end <= o.end
        ]
        if not holding:
            if not outers:
                raise Impossible(f"there is no `{one.inside}` to be inside")
            outer = next((o for o in outers if o.end > o.ts), outers[0])
            span = outer.end - outer.ts
            line = replace(
                line,
                pid=outer.pid,
                tid=outer.tid,
                ts=outer.ts + span / 2,
                dur=None if line.dur is None else min(line.dur, span / 4),
            )
    return line


def _moment(subject: Subject, selection: Selection, tape: Tape) -> float:
    """Halfway in the window that a selection or one above it asks for; without one, in the recording."""
    for window in (one.during for one in chain(selection, subject.case.select) if one.during is not None):
        begin, end = tape.context.mark(window.begin), tape.context.mark(window.end)
        if begin is not None and end is not None:
            return (begin + end) / 2
    return _middle(tape)


def _middle(tape: Tape) -> float:
    """A moment that every recording has: halfway between its own marks, or its events."""
    start, end = tape.context.mark(START), tape.context.mark(END)
    if start is not None and end is not None:
        return (start + end) / 2
    times = [line.ts for line in tape.lines if line.ph != "M"]
    return (min(times) + max(times)) / 2 if times else 0.0
