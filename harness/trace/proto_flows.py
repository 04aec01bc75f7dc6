"""The arrows of flows: from each slice that a flow goes through to the next one, as pairs of s and f."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from harness.trace.event import WireEvent
from harness.trace.proto_tracks import Place
from harness.trace.runs import SortedRuns

_SIZE: Final = 400  # bytes of a row, about


class _Step(NamedTuple):
    """A slice that a flow goes through; `order` counts through all of them in order of time."""

    flow: int
    order: int
    last: bool  # the flow is over then, and its id may come again
    on_thread: bool
    name: str
    cat: str
    ts: float
    pid: int
    tid: int


class _Arrow(NamedTuple):
    order: int  # of its target
    name: str
    cat: str
    source: tuple[int, int, float]  # pid, tid, ts
    target: tuple[int, int, float]


class Flows:
    """`step` through the slices in order of time, then ask for the `arrows`.

    A flow that has no end would be held for good, and a long trace has very many; so nothing is held but rows that are
    put in order of their flows.
    """

    def __init__(self) -> None:
        self._steps = SortedRuns[_Step](itemgetter(0, 1), tuple, _Step._make)
        self._order = 0

    def step(self, flow: int, event: WireEvent, place: Place, *, last: bool) -> None:
        on_thread = place.scope == "thread"
        step = _Step(flow, self._order, last, on_thread, event.name, event.cat, event.ts, place.pid, place.tid)
        self._steps.add(step, _SIZE)
        self._order += 1

    def arrows(self) -> Iterator[WireEvent]:
        """In order of their targets, each with an id of its own. The format knows arrows between threads only."""
        arrows = SortedRuns[_Arrow](itemgetter(0), tuple, _Arrow._make)
        source: _Step | None = None
        for step in self._steps:
            if source is not None and source.flow == step.flow and source.on_thread and step.on_thread:
                begin, end = (source.pid, source.tid, source.ts), (step.pid, step.tid, step.ts)
                arrows.add(_Arrow(step.order, source.name, source.cat, begin, end), _SIZE)
            source = None if step.last else step
        for number, arrow in enumerate(arrows):
            for ph, (pid, tid, ts) in (("s", arrow.source), ("f", arrow.target)):
                event = WireEvent(name=arrow.name, cat=arrow.cat, ph=ph, ts=ts, file_id=number)
                event.file_pid, event.file_tid = pid, tid
                event.bp = "e" if ph == "f" else ""
                yield event
