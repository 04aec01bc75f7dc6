"""The fewest events of a recording that keep what is said of it: for bug reports.

Events are left out in ever smaller pieces as long as every expectation keeps its outcome (delta debugging: Zeller and
Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). A selection that had events keeps some: what was
unmet for its values must not end as unmet for want of any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from harness.errors import UserError
from harness.expect import Recordings
from harness.mutate.generic import looked_at
from harness.mutate.subject import Key, Subject
from harness.mutate.tape import Line, Tape, read
from harness.scenario.model import Case
from harness.trace import resolve_page
from harness.verdict import Outcome


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
    for arm, of_arm in recordings.items():
        for block, recording in enumerate(of_arm):
            page = resolve_page(recording.trace, recording.context)
            tapes[arm, block] = read(recording.trace, msgspec.structs.replace(recording.context, page=page))
    chosen = case.expect if only is None else (case.expect[only],)
    subjects = [Subject(case, expectation, tapes) for expectation in chosen]
    wanted = [_Wanted(subject) for subject in subjects]
    before = sum(map(_size, tapes.values()))
    for key in tapes:
        tapes[key] = _smallest(key, tapes, wanted)
    return Shrunk(tapes, tuple(one.outcome for one in wanted), before, sum(map(_size, tapes.values())))


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
    kept = [n for n, line in enumerate(tapes[key].lines) if line.ph != "M"]

    def tape_of(events: Sequence[int]) -> Tape:
        lines, chosen = tapes[key].lines, set(events)
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
        return all(one.kept(smaller) for one in wanted)

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
