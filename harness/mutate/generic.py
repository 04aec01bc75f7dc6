"""Near misses whatever the form: every operator on some events of each selection that an expectation looks at.

Whether one of these contradicts the claim is not known here, so a survivor is shown, not counted as a fault. A query
must be killed by at least one of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, permutations
from typing import Any, Final

from harness.expect.values import parse_path, values_at
from harness.mutate.edit import (
    attempt,
    change_phase,
    copy,
    drop,
    exchanged,
    line_of,
    move_to_process,
    move_to_thread,
    other_thread,
    put,
    shift,
    stretch,
)
from harness.mutate.looks import conditions_of, names_in, paths_of, refs_of, tables_of
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import Change, sample, told
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.tape import Line, Tape
from harness.mutate.values import MISSING, neighbours, retyped
from harness.scenario.model import Query, Ref
from harness.trace import Trace

PATHS: Final = 8  # arguments of one selection that are changed
_ALL_ARGUMENTS: Final = re.compile(r"\bargs\b(?!\s*->)")  # as a whole, not one of them
MOST_THOROUGH: Final = 300  # events of a table, where nothing has killed a query
OF_A_QUERY: Final = 5  # its SQL alone tells what matters, so more of its events are tried


def near_misses(subject: Subject) -> Iterator[Mutant]:
    """Every operator on every selection of the form, one recording at a time."""
    form, seen = subject.expectation.form, set[tuple[str, Key]]()
    most = OF_A_QUERY if isinstance(form, Query) else 3
    for ref, key in looked_at(subject):
        name = ref if isinstance(ref, str) else f"{ref.name} {ref.narrowed or ''}".strip()
        members = subject.members(ref, key)
        if not members or (name, key) in seen:
            continue
        seen.add((name, key))
        paths = [*paths_of(form), *conditions_of(subject.selection(ref), subject.case.select)]
        for change in _changes(subject, members, list(dict.fromkeys(paths)), most):
            yield _mutant(members[0].key, change)
    if isinstance(form, Query):
        yield from _of_whole_tables(subject, form)
        yield from _among_each_other(subject)
    for key in dict.fromkeys(key for _, key in looked_at(subject)):
        yield from (_mutant(key, change) for change in _cut(subject, key))


def thorough(subject: Subject) -> Iterator[Mutant]:
    """Of a query that nothing has killed yet: each event of its tables left out, one put behind each mark that its SQL
    names, and one with each value of the others.

    What its SQL picks out may be few of many, which a sample misses.
    """
    tables = [(ref, key) for ref, key in looked_at(subject) if isinstance(ref, str)]
    paths = [path for path in paths_of(subject.expectation.form) if path.startswith("args")]
    for name, key in tables:
        for member in subject.members(name, key)[:MOST_THOROUGH]:
            yield from (_mutant(key, change) for change in _possible(_dropped(subject, member), told(member)))
    for name, key in tables:
        for ts in _behind_marks(subject, key):
            for member in subject.members(name, key)[:1]:
                yield from (_mutant(key, change) for change in _possible(_put_at(subject, member, ts), told(member)))
    for (name, key), (other, other_key) in permutations(tables, 2):
        mine, theirs = subject.members(name, key), subject.members(other, other_key)
        if key == other_key and mine:
            changes = _values_of_others(subject, mine[0], theirs[:MOST_THOROUGH], paths, other, most=MOST_THOROUGH)
            yield from (_mutant(key, change) for change in changes)


def _behind_marks(subject: Subject, key: Key) -> list[float]:
    """Halfway between each mark that the SQL names and the next mark: windows that SQL has of its own."""
    form = subject.expectation.form
    marks = sorted(subject.tapes[key].context.marks, key=lambda mark: mark.ts_us)
    named = names_in(form) if isinstance(form, Query) else []
    return [(one.ts_us + after.ts_us) / 2 for one, after in pairwise(marks) if one.name in named]


def _put_at(subject: Subject, member: Member, ts: float) -> Iterator[Attempt]:
    tape = subject.tapes[member.key]
    yield "shift in time", f"to {ts:.15g}", partial(shift, tape, member, ts)
    if member.source == "event":
        yield "duplicate", f"at {ts:.15g}", partial(copy, tape, member, ts=ts)


def _dropped(subject: Subject, member: Member) -> Iterator[Attempt]:
    yield "drop one", "", partial(drop, subject.tapes[member.key], [member])


def _among_each_other(subject: Subject) -> Iterator[Mutant]:
    """An event of each table of a query put among those of each other one, itself or a copy, or given one of their
    values: what must not be there may lie far away."""
    tables = [(ref, key) for ref, key in looked_at(subject) if isinstance(ref, str)]
    paths = [path for path in paths_of(subject.expectation.form) if path.startswith("args")]
    for (name, key), (other, other_key) in permutations(tables, 2):
        mine, theirs = subject.members(name, key), subject.members(other, other_key)
        if key != other_key or not mine or not theirs:
            continue
        tape, middle = subject.tapes[key], theirs[len(theirs) // 2].item
        for what, changed in (
            ("itself", attempt(shift, tape, mine[0], middle.ts + 1)),
            ("a copy", attempt(copy, tape, mine[0], ts=middle.ts + 1) if mine[0].source == "event" else None),
        ):
            if changed is not None:
                yield _mutant(key, ("shift among others", f"{told(mine[0])}, {what}, among `{other}`", changed))
        yield from (_mutant(key, change) for change in _values_of_others(subject, mine[0], theirs, paths, other))


def _values_of_others(
    subject: Subject, member: Member, others: Sequence[Member], paths: Sequence[str], name: str, *, most: int = 6
) -> Iterator[Change]:
    """One event with the values that others have, where both have a path of those that the query reads."""
    tape, trace = subject.tapes[member.key], subject.trace(member.key)
    for path in paths:
        held = values_at(member.item, parse_path(path), trace)
        for their_path in paths if held else ():
            values = [
                value for other in others[:most] for value in values_at(other.item, parse_path(their_path), trace)
            ]
            for value in dict.fromkeys(value for value in values if isinstance(value, str | int) and value not in held):
                changed = attempt(put, tape, member, path, value, trace)
                if changed is not None:
                    yield "swap arguments", f"{told(member)}: {path} is {their_path} of `{name}`, {value!r}", changed


def looked_at(subject: Subject) -> list[tuple[Ref | str, Key]]:
    """References of the form, or selections that a query's tables are made of, with the recordings they are of."""
    form = subject.expectation.form
    found: list[tuple[Ref | str, Key]] = [
        (ref, _first(subject, ref, arm)) for ref in refs_of(form) for arm in subject.expectation.arms
    ]
    if isinstance(form, Query):
        for arm in subject.expectation.arms:
            for named, table in tables_of(form, subject.case.select, subject.case.arms):
                if table in subject.case.select:
                    found.append((table, (named or arm, 0)))
    return [entry for entry in found if entry[1] in subject.tapes]


def _first(subject: Subject, ref: Ref, arm: str) -> Key:
    return (ref.arm or arm, 0)


def _mutant(key: Key, change: Change) -> Mutant:
    operator, what, tape = change
    return Mutant(operator, Must.EITHER, what, {key: tape})


def _changes(subject: Subject, members: Sequence[Member], paths: Sequence[str], most: int) -> Iterator[Change]:
    key = members[0].key
    tape = subject.tapes[key]
    chosen = sample(members, most)
    if len(members) > 1:
        yield "drop a class", f"all {len(members)}", drop(tape, members)
        names = Counter(member.item.name for member in members)
        for name, count in names.items() if 1 < len(names) <= PATHS else ():
            yield "drop a class", f"all {count} {name}", drop(tape, [m for m in members if m.item.name == name])
        if all(member.source == "event" and member.item.dur is not None for member in members):
            yield "put one after another", f"all {len(members)} on one thread", _in_a_row(tape, members)
    for member in chosen:
        yield from _possible(_of_one(subject, tape, member), told(member))
        yield from _possible(_of_arguments(subject, tape, member, paths), told(member))
    for one, other in list(pairwise(sorted(chosen, key=lambda m: m.item.ts)))[: most - 1]:
        yield from _possible(_of_two(tape, one, other, paths, subject), f"{told(one)} and {told(other)}")
    for arm, block in subject.tapes:
        if arm != key[0] and block == key[1]:
            theirs = [line for line in subject.tapes[arm, block].lines if line.name == members[0].item.name]
            for line in theirs[:1]:
                yield (
                    "splice from a sibling arm",
                    f"{line.name} from {arm}",
                    tape.change({}, [_moved_here(line, members[0], tape)]),
                )


def _moved_here(line: Line, model: Member, tape: Tape) -> Line:
    """An event of another recording, on the thread of this one's and at its time."""
    ts, pid, tid = model.item.ts, model.item.pid, model.item.tid
    return replace(line, ts=ts + 1, pid=pid, tid=tid, place=len(tape.lines) + 1e6, end_place=len(tape.lines) + 1e6 + 1)


def _in_a_row(tape: Tape, members: Sequence[Member]) -> Tape:
    """All on the thread of the first, each 1 us after the end of the one before: nothing runs beside anything."""
    ordered = sorted(members, key=lambda member: member.item.ts)
    first, ts = ordered[0].item, ordered[0].item.ts
    changes: dict[int, Line | None] = {}
    for member in ordered:
        line = line_of(tape, member)
        changes[member.index] = replace(line, ts=ts, pid=first.pid, tid=first.tid)
        ts += (line.dur or 0.0) + 1
    return tape.change(changes)


Attempt = tuple[str, str, Callable[[], Tape]]


def _possible(attempts: Iterator[Attempt], who: str) -> Iterator[Change]:
    for operator, what, change in attempts:
        tape = attempt(change)
        if tape is not None:
            yield operator, f"{who}{': ' if what else ''}{what}", tape


def _of_one(subject: Subject, tape: Tape, member: Member) -> Iterator[Attempt]:
    trace, item = subject.trace(member.key), member.item
    yield "drop one", "", partial(drop, tape, [member])
    yield "duplicate", "", partial(copy, tape, member)
    yield "duplicate beside it", "at its time on another thread", partial(_beside, tape, trace, member)
    yield "rename", "", partial(put, tape, member, "name", f"{item.name}~")
    yield "change phase", "", partial(change_phase, tape, member)
    yield "move to a thread", "", partial(move_to_thread, tape, trace, member)
    yield "move to a process", "", partial(move_to_process, tape, member)
    if item.dur is not None:
        yield "stretch", "twice as long", partial(stretch, tape, member, item.dur * 2 + 1)
        yield "shrink", "half as long", partial(stretch, tape, member, item.dur / 2)
    before, after = _neighbours(tape, member)
    if before is not None:
        yield "shift past a neighbour", "before the one before it", partial(shift, tape, member, before - 1)
    if after is not None:
        yield "shift past a neighbour", "after the one after it", partial(shift, tape, member, after + 1)


def _beside(tape: Tape, trace: Trace, member: Member) -> Tape:
    return copy(tape, member, tid=other_thread(tape, trace, line_of(tape, member)))


def _neighbours(tape: Tape, member: Member) -> tuple[float | None, float | None]:
    """Where the events of the same thread before and after it start; of a request or a mark, those of its kind."""
    if member.source == "log":
        times = [entry.request_us for entry in tape.context.log]
    elif member.source == "mark":
        times = [mark.ts_us for mark in tape.context.marks]
    else:
        line = line_of(tape, member)
        times = [one.ts for one in tape.lines if (one.pid, one.tid) == (line.pid, line.tid) and one.ph != "M"]
    before = [ts for ts in times if ts < member.item.ts]
    after = [ts for ts in times if ts > member.item.ts]
    return max(before, default=None), min(after, default=None)


def _of_arguments(subject: Subject, tape: Tape, member: Member, paths: Sequence[str]) -> Iterator[Attempt]:
    trace, form = subject.trace(member.key), subject.expectation.form
    if isinstance(form, Query) and _ALL_ARGUMENTS.search(form.sql) and member.source != "log":
        yield "add an argument", "args.traceproof", partial(put, tape, member, "args.traceproof", 1, trace)
    if isinstance(form, Query) and "scope" in paths:
        yield "change an argument", "scope", partial(put, tape, member, "scope", MISSING, trace)
    if isinstance(form, Query) and "tts" in paths:
        there = member.item.tts is not None
        yield (
            "delete an argument" if there else "add an argument",
            "tts",
            partial(put, tape, member, "tts", MISSING if there else 1.0, trace),
        )
    if isinstance(form, Query) and "written" in paths and member.item.written is not None:
        for value in (MISSING, 0, 2**40):
            yield "change an argument", f"written is {value!r}", partial(put, tape, member, "written", value, trace)
    for path in [path for path in paths if path.startswith("args")][:PATHS]:
        held = values_at(member.item, parse_path(path), trace)
        if not held:
            continue
        yield "delete an argument", path, partial(put, tape, member, path, MISSING, trace)
        for value in list(neighbours(held[0]))[:2]:
            yield "change an argument", f"{path} is {value!r}", partial(put, tape, member, path, value, trace)
        yield "retype an argument", path, partial(put, tape, member, path, retyped(held[0]), trace)
        if isinstance(form, Query) and isinstance(held[0], dict):
            # SQL may ask for the keys of an object: those that it names are the ones to be there too many.
            for key in [key for key in names_in(form) if key.isidentifier() and key not in held[0]][:PATHS]:
                below = f"{path}.{key}"
                yield "add an argument", below, partial(put, tape, member, below, 1, trace)


def _of_two(tape: Tape, one: Member, other: Member, paths: Sequence[str], subject: Subject) -> Iterator[Attempt]:
    trace = subject.trace(one.key)
    yield "swap two neighbours", "", partial(exchanged, tape, one, other)
    for path in [path for path in paths if path.startswith("args")][:PATHS]:
        mine, theirs = (values_at(m.item, parse_path(path), trace) for m in (one, other))
        if mine and theirs and mine != theirs:
            yield (
                "swap arguments",
                path,
                partial(_swapped, tape, one, other, path, mine[0], theirs[0]),
            )


def _swapped(tape: Tape, one: Member, other: Member, path: str, mine: Any, theirs: Any) -> Tape:
    return put(put(tape, one, path, theirs), other, path, mine)


def _of_whole_tables(subject: Subject, form: Query) -> Iterator[Mutant]:
    """A query may read all flows, marks and requests without a selection of them."""
    for arm in subject.expectation.arms:
        for named, table in tables_of(form, subject.case.select, subject.case.arms):
            key = (named or arm, 0)
            if key not in subject.tapes:
                continue
            if table == "events":
                for name in dict.fromkeys(names_in(form)):
                    if members := subject.of_name(name, key):
                        yield from (_mutant(key, change) for change in _changes(subject, members, paths_of(form), 3))
            elif table == "flows":
                yield from (_mutant(key, change) for change in _flows(subject.tapes[key]))
            elif table in ("server", "marks"):
                members = subject.in_context("log" if table == "server" else "mark", key)
                if members:
                    yield from (_mutant(key, change) for change in _changes(subject, members, paths_of(form), 3))


def _flows(tape: Tape) -> Iterator[Change]:
    flowing = [index for index, line in enumerate(tape.lines) if line.ph in ("s", "t", "f") or line.bind_id]
    for index in flowing[:: max(len(flowing) // 6, 1)][:8]:
        line = tape.lines[index]
        lost = None if line.ph in ("s", "t", "f") else replace(line, bind_id="", flow_in=False, flow_out=False)
        yield "drop one", f"the flow at {line.name}, {line.ts:.15g}", tape.change({index: lost})
        led = replace(line, bind_id="0x7ffffffe") if line.bind_id else replace(line, id="0x7ffffffe")
        yield "change an argument", f"the flow's id at {line.name}, {line.ts:.15g}", tape.change({index: led})


def _cut(subject: Subject, key: Key) -> Iterator[Change]:
    """The trace without its first and without its last third of time."""
    tape, trace = subject.tapes[key], subject.trace(key)
    span = trace.end_ts - trace.start_ts
    for what, first, last in (
        ("the first third is missing", trace.start_ts + span / 3, float("inf")),
        ("the last third is missing", float("-inf"), trace.end_ts - span / 3),
    ):
        gone: dict[int, Line | None] = {
            n: None for n, line in enumerate(tape.lines) if line.ph != "M" and not first <= line.ts <= last
        }
        if gone:
            yield "cut the trace", what, tape.change(gone)
