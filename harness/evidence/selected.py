"""Which events the expectations of a case looked at, in each arm of one attempt."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import ScenarioError
from harness.events import EventView, Finding
from harness.evidence.drawing import Role
from harness.expect import Recording
from harness.expect.items import Item
from harness.expect.recording import NotShown, Unanswerable
from harness.expect.select import Picker, Population
from harness.scenario.model import Case, Expectation, Form, Query, Ref, Selection, Window
from harness.trace import Event, Trace
from harness.trace.context import END, START


@dataclass(slots=True)
class Chosen:
    """Events of one selection that one expectation looked at. `notes`: for each, why it was missed."""

    finding: int
    role: Role
    label: str
    items: list[Item]
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Looked:
    """All of it in one arm: the events, and the windows by which they were chosen."""

    chosen: list[Chosen] = field(default_factory=list)
    windows: dict[str, Window] = field(default_factory=dict)


def looked_at(case: Case | None, block: Mapping[str, Recording], findings: Sequence[Finding]) -> dict[str, Looked]:
    """By arm, for the recordings of one block. Without the case, what the findings themselves name."""
    found = {arm: Looked() for arm in block}
    if case is not None:
        pickers: dict[str, Picker] = {}
        for arm, recording in block.items():
            pickers[arm] = Picker(arm, recording, case.select, pickers)
        for expectation in case.expect:
            _of_expectation(expectation, pickers, found)
    by_seq = {arm: {event.seq: event for event in recording.trace.events} for arm, recording in block.items()}
    for finding in findings:
        if case is None:
            _of_views(finding, finding.matched, "selected", by_seq, found)
        _of_views(finding, finding.misses, "missed", by_seq, found)
    return found


def _of_expectation(expectation: Expectation, pickers: Mapping[str, Picker], found: dict[str, Looked]) -> None:
    roles: list[tuple[Role, Form]] = [("selected", expectation.form)]
    roles += [("control", control) for control in expectation.control]
    seen: set[tuple[str, str, Role]] = set()
    for role, form in roles:
        for ref in (*_refs(form), *_tables(form, expectation, pickers)):
            for arm in expectation.arms:
                population = _population(ref, pickers.get(arm))
                if population is None:
                    continue
                where = population.picker.arm, population.label, role
                if where not in seen:
                    seen.add(where)
                    looked = found[population.picker.arm]
                    looked.chosen.append(Chosen(expectation.index, role, population.label, population.items))
                    _add_window(population.selection.during, looked)


def _population(ref: Ref, picker: Picker | None) -> Population | None:
    if picker is None:
        return None
    try:
        return picker.refer(ref)
    except (Unanswerable, NotShown, ScenarioError):  # the finding says so in words
        return None


def _refs(form: Any) -> Iterator[Ref]:
    """Every reference of a form, however deep."""
    if isinstance(form, Ref):
        yield form
    elif isinstance(form, tuple):
        for part in form:
            yield from _refs(part)
    elif dataclasses.is_dataclass(form) and not isinstance(form, Selection):
        for one in dataclasses.fields(form):
            yield from _refs(getattr(form, one.name))


def _tables(form: Form, expectation: Expectation, pickers: Mapping[str, Picker]) -> Iterator[Ref]:
    """The selections that a query reads: `name`, or `arm.name` of another arm."""
    if isinstance(form, Query):
        for arm, name in re.findall(r"(?:\b(\w+)\.)?\b(\w+)\b", form.sql):
            picker = next(iter(pickers.values()))
            if name in picker.select:
                yield Ref(name, arm if arm in pickers else None, expectation.at)


def _add_window(during: Window | None, looked: Looked) -> None:
    if during is not None and (during.begin, during.end) != (START, END):
        looked.windows.setdefault(f"{during.begin}..{during.end}", during)


def _of_views(
    finding: Finding,
    views: Sequence[EventView],
    role: Role,
    by_seq: Mapping[str, Mapping[int, Event]],
    found: dict[str, Looked],
) -> None:
    """The events that a finding names, looked up again; a view does not say of which arm it is, but its time does."""
    for arm, events in by_seq.items():
        pairs = [(event, view) for view in views if (event := _same(events, view)) is not None]
        if pairs:
            items: list[Item] = [event for event, _ in pairs]
            found[arm].chosen.append(Chosen(finding.index, role, "", items, [view.note for _, view in pairs]))


def _same(events: Mapping[int, Event], view: EventView) -> Event | None:
    event = events.get(view.seq)
    return event if event is not None and (event.name, event.ts) == (view.name, view.ts_us) else None


def frames_of(trace: Trace, pids: set[int]) -> tuple[str, list[float]]:
    """When frames began, and the event that told; the first of these that the page's processes wrote."""
    for name in ("BeginFrame", "BeginMainThreadFrame", "ThreadProxy::BeginMainFrame"):
        if starts := [event.ts for event in trace.by_name(name) if event.pid in pids]:
            return name, sorted(starts)
    return "", []
