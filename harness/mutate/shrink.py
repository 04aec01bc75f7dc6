"""The fewest events of a recording that keep what is said of it: for bug reports.

Events are left out in ever smaller pieces as long as every expectation keeps its outcome (delta debugging: Zeller and
Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). A selection that had events keeps some: what was
unmet for its values must not end as unmet for want of any. What the validity gate and the preconditions ask for stays
too, so that `check` says of the rest what it said of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from harness.errors import UserError
from harness.expect import Recording, Recordings, evaluate
from harness.expect.items import Item
from harness.expect.recording import NotShown, Unanswerable
from harness.expect.select import Picker
from harness.mutate.generic import looked_at
from harness.mutate.looks import forms_of, refs_of, tables_of
from harness.mutate.subject import Key, Played, Subject, pickers
from harness.mutate.tape import Line, Tape, read
from harness.mutate.views import reduced_to_sight
from harness.scenario.model import Case, Expectation, Query
from harness.trace import Trace, resolve_page
from harness.trace.context import END, START
from harness.verdict import Outcome

_Asked = tuple[Expectation, Outcome]
_MARKERS: Final = tuple(f"traceproof-{edge}" for edge in (START, END))


@dataclass(frozen=True, slots=True)
class Shrunk:
    """`tapes` is what is left. Counts are of events without metadata, before and after."""

    tapes: Mapping[Key, Tape]
    outcomes: tuple[Outcome, ...]
    before: int
    after: int


def shrink(
    case: Case,
    recordings: Recordings,
    only: int | None = None,
    go_on: Callable[[int, int, int], bool] = lambda *_: True,
) -> Shrunk:
    """Reduce the recordings of one attempt as far as all expectations, or only one (by its index), keep their outcome.

    `go_on` is told before each try, and before each query of one, how many events there still are, how many there were
    and how many tries were made; where it says no, what is left so far is the answer. `IndexError` where the case has
    no such expectation.
    """
    tapes: dict[Key, Tape] = {}
    traces: dict[Key, Trace] = {}
    for arm, of_arm in recordings.items():
        for block, recording in enumerate(of_arm):
            page = resolve_page(recording.trace, recording.context)
            context = msgspec.structs.replace(recording.context, page=page)
            tapes[arm, block], traces[arm, block] = read(recording.trace, context), recording.trace
    chosen = case.expect if only is None else (case.expect[only],)
    played = Played(case, tapes)
    subjects = [Subject(case, one, played) for one in (*chosen, *case.require)]
    before = sum(map(_size, tapes.values()))
    progress = _Progress(go_on, before)
    wanted = _Wanted(case, subjects, progress)
    tapes = _seen(subjects, wanted, tapes, traces)
    for key in tapes:
        tapes[key] = _Shrinking(key, tapes, wanted, progress).smallest()
    return Shrunk(tapes, wanted.outcomes[: len(chosen)], before, sum(map(_size, tapes.values())))


def _seen(
    subjects: Sequence[Subject], wanted: _Wanted, tapes: Mapping[Key, Tape], traces: Mapping[Key, Trace]
) -> dict[Key, Tape]:
    """What any expectation or precondition can see, which is mostly little; all of it where that does not do."""
    views = [reduced_to_sight(subject, tapes, traces) for subject in subjects]
    seen = {}
    for key, tape in tapes.items():
        places = {line.place for view in views for line in view[key].lines}
        kept = tuple(line for line in tape.lines if line.place in places or _fixed(line))
        seen[key] = replace(tape, lines=kept)
    whole = all(_alive(seen[key]) >= _alive(tapes[key]) for key in tapes) and wanted.kept(seen)
    return seen if whole else dict(tapes)


def _fixed(line: Line) -> bool:
    """The markers, which the validity gate asks for."""
    return line.name == "clock_sync" or line.name in _MARKERS


def _alive(tape: Tape) -> bool:
    """Whether the page's main thread wrote anything, which the gate asks for as well."""
    main = tape.context.page.main if tape.context.page else None
    return main is not None and any(
        (line.pid, line.tid) == (main.pid, main.tid) and line.ph != "M" for line in tape.lines
    )


def _size(tape: Tape) -> int:
    return sum(line.ph != "M" for line in tape.lines)


class _Progress:
    """How far it is, and whether it may go on: once it may not, it may not any more."""

    def __init__(self, go_on: Callable[[int, int, int], bool], before: int) -> None:
        self._go_on, self._before = go_on, before
        self.left, self.tries, self._over = before, 0, False

    @property
    def over(self) -> bool:
        self._over = self._over or not self._go_on(self.left, self._before, self.tries)
        return self._over


class _Wanted:
    """What the expectations say of the whole recordings, and whether they all say so of smaller ones.

    A smaller recording is read once for all of them. What costs least is asked first: whether selections that had
    events have some, then every form but queries, then queries, the one that refused last before the others.
    """

    def __init__(self, case: Case, subjects: Sequence[Subject], progress: _Progress) -> None:
        self._case, self._progress = replace(case, require=()), progress
        self.outcomes = tuple(subject.evaluate({}).outcome for subject in subjects)
        asked = list(zip((subject.expectation for subject in subjects), self.outcomes, strict=True))
        self._cheap = [entry for entry in asked if not _queries(entry[0])]
        self._costly = [entry for entry in asked if _queries(entry[0])]
        self._answers: dict[object, bool] = {}
        self._held = {
            (str(ref), key): (ref, key, subject.expectation.at)
            for subject in subjects
            for ref, key in looked_at(subject)
            if subject.size(ref, key, {}) > 0
        }

    def kept(self, tapes: Mapping[Key, Tape]) -> bool:
        return self.kept_by({key: tape.recording() for key, tape in tapes.items()})

    def kept_by(self, recordings: Mapping[Key, Recording]) -> bool:
        """No where there is no time left to ask: what is not known to do is not taken."""
        self._progress.tries += 1
        try:
            made = pickers(self._case, recordings)
            for ref, key, at in self._held.values():
                population = made[key].named(ref, at) if isinstance(ref, str) else made[key].refer(ref)
                if not population.size:
                    return False
            arms: dict[str, list[Recording]] = {}
            for (arm, _), recording in sorted(recordings.items(), key=lambda entry: entry[0][1]):
                arms.setdefault(arm, []).append(recording)
            if not self._same(arms, self._cheap):
                return False
            for entry in self._costly:
                if self._progress.over:
                    return False
                if not self._same_to_its_eyes(arms, entry, made):
                    self._costly = [entry, *(other for other in self._costly if other is not entry)]
                    return False
        except (UserError, Unanswerable, NotShown):
            return False
        return True

    def _same_to_its_eyes(self, arms: Recordings, entry: _Asked, made: Mapping[Key, Picker]) -> bool:
        """The answer of a query is asked for once for all recordings that look alike to it."""
        looks = (entry[0].index, entry[0].form_name, looks_like(entry[0], self._case, made))
        if looks not in self._answers:
            self._answers[looks] = self._same(arms, [entry])
        return self._answers[looks]

    def _same(self, arms: Recordings, asked: Sequence[_Asked]) -> bool:
        case = replace(self._case, expect=tuple(expectation for expectation, _ in asked))
        found = evaluate(case, arms)
        return all(finding.outcome is outcome for finding, (_, outcome) in zip(found, asked, strict=True))


def looks_like(expectation: Expectation, case: Case, made: Mapping[Key, Picker]) -> Hashable:
    """All that an expectation with a query can read of some recordings, but for the numbers of events in the file."""
    forms = forms_of(expectation)
    named = {table for form in forms if isinstance(form, Query) for _, table in tables_of(form, case.select, case.arms)}
    named |= {ref.name for form in forms for ref in refs_of(form)}
    told: list[Hashable] = []
    for key, picker in made.items():
        for name in sorted(named):
            if name == "flows":
                told.append((key, name, tuple((f.source.ts, f.target.ts, f.id) for f in picker.trace.flows)))
            elif name == "events":
                told.append((key, name, tuple(map(_look, picker.trace.events))))
            elif name in case.select:
                told.append((key, name, tuple(map(_look, picker.named(name, expectation.at).items))))
    return tuple(told)


def _look(item: Item) -> Hashable:
    above = (item.parent.name, item.parent.ts) if item.parent else None
    return item.name, item.ts, item.dur, item.pid, item.tid, item.depth, above


def _queries(expectation: Expectation) -> bool:
    return any(isinstance(form, Query) for form in forms_of(expectation))


class _Shrinking:
    """One recording of an attempt, to be made as small as the wanted outcomes allow beside the others as they are."""

    def __init__(self, key: Key, tapes: Mapping[Key, Tape], wanted: _Wanted, progress: _Progress) -> None:
        self._key, self._best, self._wanted, self._progress = key, tapes[key], wanted, progress
        self._others = {other: tape.recording() for other, tape in tapes.items() if other != key}
        self._beside = sum(_size(tape) for other, tape in tapes.items() if other != key)
        self._is_alive = _alive(self._best)
        self._names = [line for line in self._best.lines if line.ph == "M"]
        self._kept_anyway = [line for line in self._best.lines if line.ph != "M" and _fixed(line)]

    def smallest(self) -> Tape:
        """First without all events of one name on a thread, in batches of such classes; then without single ones."""
        lines = [line for line in self._best.lines if line.ph != "M" and not _fixed(line)]
        classes: dict[tuple[str, int, int], list[Line]] = {}
        for line in lines:
            classes.setdefault((line.name, line.pid, line.tid), []).append(line)
        kept = self._fewest(list(classes.values()))
        kept = self._fewest([[line] for line in sorted(_flat(kept), key=lambda line: line.ts)])
        self._good(kept)  # where nothing could go but names of threads
        return self._best

    def _fewest(self, units: list[list[Line]]) -> list[list[Line]]:
        size = max(len(units) // 2, 1)
        while units:
            start = 0
            while start < len(units):
                self._progress.left = self._beside + sum(map(len, units)) + len(self._kept_anyway)
                if self._progress.over:
                    return units
                rest = [*units[:start], *units[start + size :]]
                if self._good(rest):
                    units = rest
                else:
                    start += size
            if size == 1:
                break
            size = max(size // 2, 1)
        return units

    def _good(self, units: Iterable[Sequence[Line]]) -> bool:
        """Whether these do; the smallest that did is kept."""
        tape = self._of(units)
        if _alive(tape) < self._is_alive:
            return False
        if not self._wanted.kept_by({**self._others, self._key: tape.recording()}):
            return False
        self._best = tape
        return True

    def _of(self, units: Iterable[Sequence[Line]]) -> Tape:
        """The names of threads and processes go with the last of their events."""
        chosen = [*self._kept_anyway, *_flat(units)]
        threads = {(line.pid, line.tid) for line in chosen}
        processes = {pid for pid, _ in threads}
        names = [
            line
            for line in self._names
            if ((line.pid, line.tid) in threads if line.name == "thread_name" else line.pid in processes)
        ]
        return replace(self._best, lines=tuple(sorted([*names, *chosen], key=lambda line: line.place)))


def _flat(units: Iterable[Sequence[Line]]) -> list[Line]:
    return [line for unit in units for line in unit]
