"""Selections resolved against one recording, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from harness.errors import Problem, ScenarioError
from harness.expect import criteria as c
from harness.expect import items
from harness.expect.grouping import Grouping
from harness.expect.items import Item
from harness.expect.recording import Recording, Unanswerable
from harness.expect.templates import resolve
from harness.expect.timing import in_time_order
from harness.expect.where import Where, compile_regex
from harness.roles import parse_role
from harness.scenario.model import Place, Ref, Selection
from harness.trace import in_scope, resolve_page
from harness.trace.context import END, START, PageIdentity

DEFAULT_ROLE = "page"
OF_THE_PAGE = (
    "page",
    "frames",
    "child-frames",
    "other-renderer",
)  # roles that mean nothing where the page is not known
MOST_CANDIDATES = 20_000  # looked at for near misses
OF_THREADS = ("on", "thread_matches", "cat", "inside", "not_inside", "containing", "not_containing")


@dataclass(frozen=True, slots=True)
class Population:
    """The events of a selection, in file order, and the recording that they are from."""

    items: list[Item]
    picker: Picker
    selection: Selection
    label: str  # how the scenario calls it: forced, or forced@plain

    @property
    def size(self) -> int:
        return len(self.items)


class Picker:
    """Resolves selections in the recording of one arm; `siblings` are the same block's other arms."""

    def __init__(
        self, arm: str, recording: Recording, select: Mapping[str, Selection], siblings: Mapping[str, Picker]
    ) -> None:
        self.arm, self.trace, self.context = arm, recording.trace, recording.context
        self.select, self._siblings = select, siblings
        self._named: dict[str, Population | None] = {}
        self._scopes: dict[str, c.Scope] = {}
        self._gaps: dict[tuple[str, tuple[str, ...]], list[Item]] = {}

    # What no trace holds is made once: two selections of one source have the same events, as those of the trace have.
    # Made again for each, a request would be its own partner, and a mark would take turns with itself.

    @cached_property
    def _marks(self) -> list[Item]:
        return items.marks(self.context)

    @cached_property
    def _requests(self) -> list[Item]:
        return items.requests(self.context)

    def _gaps_of(self, name: str, by: tuple[str, ...], at: Place) -> list[Item]:
        if (name, by) not in self._gaps:
            of = self.named(name, at)
            grouping = Grouping(by, at, of.picker.trace)
            self._gaps[name, by] = items.gaps(of.items, grouping.of)
        return self._gaps[name, by]

    @cached_property
    def _page(self) -> PageIdentity:
        return resolve_page(self.trace, self.context)

    def sibling(self, arm: str | None) -> Picker:
        if arm is None or arm == self.arm:
            return self
        if arm not in self._siblings:
            raise Unanswerable(f"there is no recording of the arm {arm}")
        return self._siblings[arm]

    def refer(self, ref: Ref) -> Population:
        """What a form's reference stands for, seen from this arm."""
        picker = self.sibling(ref.arm)
        found = picker.named(ref.name, ref.at)
        label = ref.name if ref.arm is None else f"{ref.name}@{ref.arm}"
        if ref.narrowed is None:
            return Population(found.items, found.picker, found.selection, label)
        return picker.pick(ref.narrowed, label)

    def named(self, name: str, at: Place) -> Population:
        if name not in self.select:
            raise _wrong(f"there is no selection `{name}`", at)
        if name not in self._named:
            self._named[name] = None
            try:
                self._named[name] = self.pick(self.select[name], name)
            except Unanswerable:
                del self._named[name]  # whoever asks next hears the same reason
                raise
        if (found := self._named[name]) is None:
            raise _wrong(f"the selection `{name}` is made from itself", at)
        return found

    def pick(self, selection: Selection, label: str) -> Population:
        start, picker = self._start(selection)
        rules = picker.rules(selection)
        passing: Iterable[Item] = start
        for rule in rules:
            passing = filter(rule.accepts, passing)
        chosen = list(passing)
        if selection.take is not None:
            ordered = in_time_order(chosen)
            index = {"first": 0, "last": -1}.get(str(selection.take), selection.take)
            assert isinstance(index, int)
            chosen = [ordered[index]] if -len(ordered) <= index < len(ordered) else []
        return Population(chosen, picker, selection, label)

    def _start(self, selection: Selection) -> tuple[list[Item], Picker]:
        """The events that the criteria are put to. An arm that the selection names is the arm of all its criteria."""
        picker = self.sibling(selection.arm)
        if selection.base is not None:
            base = picker.named(selection.base, selection.at)
            return base.items, base.picker
        if selection.gaps_of is not None:
            gaps = picker._gaps_of(selection.gaps_of, tuple(selection.by) or ("pid", "tid"), selection.at)
            return gaps, picker.named(selection.gaps_of, selection.at).picker
        if selection.source == "marks":
            return picker._marks, picker
        if selection.source == "server":
            return picker._requests, picker
        if selection.names:
            names = sorted({str(resolve(name, picker.context)) for name in selection.names})
            found: list[Item] = [event for name in names for event in picker.trace.by_name(name)]
            return found if len(names) == 1 else sorted(found, key=lambda item: item.seq), picker
        return list(picker.trace.every(selection.name_matches)), picker

    def rules(self, selection: Selection) -> list[c.Criterion]:
        """The selection's own criteria, those that are cheap to test first."""
        fresh = selection.source == "trace" and selection.base is None and selection.gaps_of is None
        if selection.source != "trace" and (key := next((k for k in OF_THREADS if getattr(selection, k)), None)):
            raise _wrong(f"`{key}` is about threads of the trace; `source: {selection.source}` has none", selection.at)
        rules: list[c.Criterion] = []
        if selection.names:
            rules.append(c.Name(frozenset(str(resolve(name, self.context)) for name in selection.names)))
        if selection.name_matches is not None:
            rules.append(c.NamePattern(compile_regex(selection.name_matches, selection.at)))
        if selection.cat is not None:
            rules.append(c.Category(selection.cat))
        if selection.phases or fresh:
            rules.append(c.Phase(selection.phases))
        if (role := selection.on or (DEFAULT_ROLE if fresh else None)) is not None:
            rules.append(self._scope(role, selection.at))
        if selection.thread_matches is not None:
            rules.append(c.ThreadName(compile_regex(selection.thread_matches, selection.at), self.trace))
        if selection.during is not None:
            rules.append(self._during(selection))
        for name, wanted in ((selection.inside, True), (selection.not_inside, False)):
            if name is not None:
                rules.append(c.Inside(name, self._around(name, selection), wanted))
        for name, wanted in ((selection.containing, True), (selection.not_containing, False)):
            if name is not None:
                rules.append(c.Containing(name, self._around(name, selection), wanted))
        rules += (Where(condition, self.trace, self.context) for condition in selection.where)
        return rules

    def _around(self, name: str, selection: Selection) -> list[Item]:
        found = self.named(name, selection.at)
        same_recording(found, self, selection.at)
        return found.items

    def _during(self, selection: Selection) -> c.During:
        assert selection.during is not None
        text = f"{selection.during.begin}..{selection.during.end}"
        begin, end = self._mark(selection.during.begin), self._mark(selection.during.end)
        if begin >= end:
            raise Unanswerable(f"the window {text} is empty: `{selection.during.end}` was not after its begin")
        first, last = self._mark(START), self._mark(END)
        if begin < first or end > last:
            mark, when = (selection.during.begin, "before") if begin < first else (selection.during.end, "after")
            raise Unanswerable(f"the window {text} was not all recorded: `{mark}` was passed {when} the recording")
        return c.During(text, begin, end)

    def _mark(self, name: str) -> float:
        """When a mark was passed. A stored trace without marks of its own is all between its start and end."""
        if (ts := self.context.mark(name)) is not None:
            return ts
        if name in (START, END):
            return float("-inf") if name == START else float("inf")
        passed = ", ".join(mark.name for mark in self.context.marks) or "none, as in a trace that no run of ours made"
        raise Unanswerable(f"the mark `{name}` was not passed in the recording of arm {self.arm} (marks: {passed})")

    def _scope(self, role: str, at: Place) -> c.Scope:
        if role not in self._scopes:
            try:
                if parse_role(role).process in OF_THE_PAGE and not self._page.frames:
                    raise Unanswerable(f"`{role}` cannot be told from other threads in this trace: {self._page.how}")
                self._scopes[role] = c.Scope(role, in_scope(role, self.trace, self._page), self.trace)
            except ValueError as error:
                raise _wrong(str(error), at) from None
        return self._scopes[role]

    def near_misses(self, population: Population, limit: int) -> list[tuple[Item, str]]:
        """Events that fail the fewest criteria of a selection, each with the reasons."""
        candidates, rules = self._candidates(population.selection)
        scored: list[tuple[int, int, Item, list[str]]] = []
        for position, item in enumerate(islice(candidates, MOST_CANDIDATES)):
            failed = [rule for rule in rules if not rule.accepts(item)]
            if failed and not any(isinstance(rule, c.Name | c.NamePattern) for rule in failed):
                scored.append((len(failed), position, item, [rule.why_not(item) for rule in failed[:3]]))
        nearest = sorted(scored, key=lambda entry: entry[:2])[:limit]
        return [(item, "; ".join(reasons)) for _, _, item, reasons in nearest]

    def _candidates(self, selection: Selection) -> tuple[Iterator[Item], list[c.Criterion]]:
        """A selection's first candidates and the criteria of its whole chain of bases."""
        start, picker = self._start(selection)
        rules = picker.rules(selection)
        base = self.select.get(selection.base) if selection.base else None
        if base is None or base.take is not None:
            return iter(start), rules
        candidates, above = self.sibling(selection.arm)._candidates(base)
        return candidates, [*above, *rules]


def same_recording(population: Population, picker: Picker, at: Place) -> None:
    """Nesting and order in time mean nothing between two recordings."""
    if population.picker is not picker:
        message = f"`{population.label}` is from the arm {population.picker.arm}, the events from {picker.arm}"
        raise _wrong(f"{message}; two recordings have no common time or threads", at)


def _wrong(message: str, at: Place) -> ScenarioError:
    return ScenarioError(Problem(message, at.file, at.line, at.column, at.path))
