"""The fewest events of a recording that keep what is said of it: for bug reports.

Events are left out in ever smaller pieces as long as every expectation keeps its outcome (delta debugging: Zeller and
Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). A selection that had events keeps some: what was
unmet for its values must not end as unmet for want of any. What the validity gate and the preconditions ask for stays
too, so that `check` says of the rest what it said of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from harness.errors import UserError
from harness.expect import Recordings
from harness.mutate.examine import reduced_to_sight
from harness.mutate.generic import looked_at
from harness.mutate.subject import Key, Subject
from harness.mutate.tape import Line, Tape, read
from harness.scenario.model import Case
from harness.trace import Trace, resolve_page
from harness.trace.context import END, START
from harness.verdict import Outcome

_MARKERS: Final = tuple(f"traceproof-{edge}" for edge in (START, END))


@dataclass(frozen=True, slots=True)
class Shrunk:
    """`tapes` is what is left. Counts are of events without metadata, before and after."""

    tapes: Mapping[Key, Tape]
    outcomes: tuple[Outcome, ...]
    before: int
    after: int


def shrink(case: Case, recordings: Recordings, only: int | None = None) -> Shrunk:
    """Reduce the recordings of one attempt as far as all expectations, or only one (by its index), keep their outcome.

    `IndexError` where the case has no such expectation.
    """
    tapes: dict[Key, Tape] = {}
    traces: dict[Key, Trace] = {}
    for arm, of_arm in recordings.items():
        for block, recording in enumerate(of_arm):
            page = resolve_page(recording.trace, recording.context)
            context = msgspec.structs.replace(recording.context, page=page)
            tapes[arm, block], traces[arm, block] = read(recording.trace, context), recording.trace
    chosen = case.expect if only is None else (case.expect[only],)
    subjects = [Subject(case, one, tapes) for one in (*chosen, *case.require)]
    wanted = [_Wanted(subject) for subject in subjects]
    before = sum(map(_size, tapes.values()))
    tapes = _seen(subjects, wanted, tapes, traces)
    for key in tapes:
        tapes[key] = _smallest(key, tapes, wanted)
    outcomes = tuple(one.outcome for one in wanted[: len(chosen)])
    return Shrunk(tapes, outcomes, before, sum(map(_size, tapes.values())))


def _seen(
    subjects: Sequence[Subject], wanted: Sequence[_Wanted], tapes: Mapping[Key, Tape], traces: Mapping[Key, Trace]
) -> dict[Key, Tape]:
    """What any expectation or precondition can see, which is mostly little; all of it where that does not do."""
    views = [reduced_to_sight(subject, tapes, traces) for subject in subjects]
    seen = {}
    for key, tape in tapes.items():
        places = {line.place for view in views for line in view[key].lines}
        kept = tuple(line for n, line in enumerate(tape.lines) if line.place in places or n in _fixed(tape))
        seen[key] = replace(tape, lines=kept)
    whole = all(_alive(seen[key]) >= _alive(tapes[key]) for key in tapes) and all(one.kept(seen) for one in wanted)
    return seen if whole else dict(tapes)


def _fixed(tape: Tape) -> set[int]:
    """The markers, which the validity gate asks for."""
    return {n for n, line in enumerate(tape.lines) if line.name == "clock_sync" or line.name in _MARKERS}


def _alive(tape: Tape) -> bool:
    """Whether the page's main thread wrote anything, which the gate asks for as well."""
    main = tape.context.page.main if tape.context.page else None
    return main is not None and any(
        (line.pid, line.tid) == (main.pid, main.tid) and line.ph != "M" for line in tape.lines
    )


def _size(tape: Tape) -> int:
    return sum(line.ph != "M" for line in tape.lines)


class _Wanted:
    """What one expectation says of the whole recording, and whether it says so of a smaller one."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.outcome = subject.evaluate({}).outcome
        self._held = [(ref, key) for ref, key in looked_at(subject) if subject.size(ref, key, {}) > 0]

    def kept(self, tapes: Mapping[Key, Tape]) -> bool:
        try:
            if self._subject.evaluate(tapes).outcome is not self.outcome:
                return False
        except UserError:
            return False
        return all(self._subject.size(ref, key, tapes) > 0 for ref, key in self._held)


def _smallest(key: Key, tapes: Mapping[Key, Tape], wanted: Sequence[_Wanted]) -> Tape:
    """One recording with as little as the wanted outcomes allow, beside the others as they are by now."""
    fixed, alive = _fixed(tapes[key]), _alive(tapes[key])
    kept = [n for n, line in enumerate(tapes[key].lines) if line.ph != "M" and n not in fixed]

    def tape_of(events: Sequence[int]) -> Tape:
        lines, chosen = tapes[key].lines, {*events, *fixed}
        threads = {(lines[n].pid, lines[n].tid) for n in chosen}
        processes = {pid for pid, _ in threads}
        gone: dict[int, Line | None] = {}
        for n, line in enumerate(lines):
            # The names of threads and processes go with the last of their events.
            named = (line.pid, line.tid) in threads if line.name == "thread_name" else line.pid in processes
            if not (named if line.ph == "M" else n in chosen):
                gone[n] = None
        return tapes[key].change(gone)

    def good(events: Sequence[int]) -> bool:
        smaller = {**tapes, key: tape_of(events)}
        return _alive(smaller[key]) >= alive and all(one.kept(smaller) for one in wanted)

    size = max(len(kept) // 2, 1)
    while kept:
        for piece in _pieces(kept, size):
            rest = [n for n in kept if n not in piece]
            if good(rest):
                kept = rest
        if size == 1:
            break
        size = max(size // 2, 1)
    return tape_of(kept) if good(kept) else tapes[key]


def _pieces(events: Sequence[int], size: int) -> Iterator[frozenset[int]]:
    for start in range(0, len(events), size):
        yield frozenset(events[start : start + size])
