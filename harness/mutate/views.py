"""What an expectation sees of recordings: smaller ones, on which it answers as it does on the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from harness.errors import UserError
from harness.expect.recording import NotShown, Unanswerable
from harness.mutate.looks import forms_of, names_in, selections_of, tables_of
from harness.mutate.subject import Edits, Key, Played, Subject
from harness.mutate.tape import Tape, reduced
from harness.scenario.model import Case, Expectation, Query
from harness.trace import Trace

SMALL: Final = 3000  # events; a recording no larger is left whole for a query over `events`


class Views:
    """The recordings of one attempt, whole and as each expectation sees them. Each view is made once."""

    def __init__(self, case: Case, whole: Played, traces: Mapping[Key, Trace]) -> None:
        self._case, self.whole, self._traces = case, whole, dict(traces)
        self._views: dict[int, dict[Key, Tape]] = {}
        self._together: dict[tuple[int, ...], Played] = {}

    def of(self, expectation: Expectation) -> dict[Key, Tape]:
        """Only what the expectation can see, so that a mutant costs milliseconds."""
        if id(expectation) not in self._views:
            subject = Subject(self._case, expectation, self.whole)
            self._views[id(expectation)] = reduced_to_sight(subject, self.whole.tapes, self._traces)
        return self._views[id(expectation)]

    def together(self, expectations: Iterable[Expectation], met: Callable[[Played, Edits], bool]) -> Played:
        """What any of some expectations sees; the whole where `met` does not say of that what it says of the whole."""
        chosen = list(expectations)
        key = tuple(sorted(map(id, chosen)))
        if key not in self._together:
            seen = Played(self._case, joined(self.whole.tapes, [self.of(one) for one in chosen]))
            self._together[key] = seen if met(seen, {}) == met(self.whole, {}) else self.whole
        return self._together[key]

    def sees_all(self, expectation: Expectation) -> bool:
        """Whether a query of it reads all events, so that none is of no concern to it."""
        return "events" in _tables(expectation, self._case)


def joined(tapes: Mapping[Key, Tape], views: Iterable[Mapping[Key, Tape]]) -> dict[Key, Tape]:
    """The lines that any of the views has."""
    chosen = list(views)
    found = {}
    for key, tape in tapes.items():
        places = {line.place for view in chosen for line in view[key].lines}
        found[key] = replace(tape, lines=tuple(line for line in tape.lines if line.place in places))
    return found


def _tables(expectation: Expectation, case: Case) -> set[str]:
    queries = [form for form in forms_of(expectation) if isinstance(form, Query)]
    return {table for form in queries for _, table in tables_of(form, case.select, case.arms)}


def reduced_to_sight(subject: Subject, tapes: Mapping[Key, Tape], traces: Mapping[Key, Trace]) -> dict[Key, Tape]:
    """Only what the expectation can see. Of a large recording of which a query reads all `events`: what its tables
    take with all that is in and around it, and the events of every name in its SQL."""
    forms, case = forms_of(subject.expectation), subject.case
    tables = _tables(subject.expectation, case)
    all_events = "events" in tables
    selections = selections_of(forms, case.select, case.arms)
    by_identity = {id(selection): name for name, selection in case.select.items()}
    text = str(subject.expectation) + str(selections)
    spoken = {name for form in forms if isinstance(form, Query) for name in names_in(form)}
    found = {}
    for key, tape in tapes.items():
        trace, wanted = traces[key], set[int]()
        if all_events and len(trace.events) <= SMALL:
            found[key] = tape
            continue
        for selection in selections:
            # Events of a selection's names that it does not take are its near misses.
            wanted.update(e.seq for name in selection.names for e in trace.by_name(str(name)))
            if (name := by_identity.get(id(selection))) is not None:
                try:
                    members = subject.members(name, key)
                except (UserError, Unanswerable, NotShown):
                    continue
                parts = [part for member in members for part in (member, *member.around) if part.source == "event"]
                wanted.update(int(tape.lines[part.index].place) for part in parts)
        if all_events:
            wanted.update(e.seq for e in trace.events if not wanted.isdisjoint(above.seq for above in e.ancestors()))
            wanted.update(e.seq for name in spoken for e in trace.by_name(name))
        if "flows" in tables:
            wanted.update(e.seq for e in trace.events if e.kind == "flow" or e.bind_id)
        found[key] = reduced(tape, trace, wanted, children="self" in text)
    return found
