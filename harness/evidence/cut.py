"""Which part of a recording is drawn: a time around the evidence, the processes it is in, and as much as has room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.evidence.selected import Looked
from harness.expect import Recording
from harness.expect.items import Item, Pseudo
from harness.trace import Event
from harness.trace.context import END, START

POINT_US = 50.0  # a point counts like a slice of this length when there is no room for everything
_MARGIN, _LEAST_US = 0.04, 5_000.0
_DRAWN = frozenset(("slice", "instant", "async"))


@dataclass(frozen=True, slots=True)
class Cut:
    """Times of the trace in microseconds. `events`: what is drawn, in order of time; `present`: out of how many.

    pids: the processes that are shown. `longest_left_out`: 0 where everything is drawn.
    """

    begin: float
    end: float
    pids: frozenset[int]
    events: list[Event]
    pseudo: list[Pseudo]
    present: int
    longest_left_out: float


def cut(recording: Recording, looked: Looked, most: int) -> Cut:
    """The evidence and what is around it, of at most `most` events; the evidence comes first, then the longest."""
    trace, context = recording.trace, recording.context
    items = [item for chosen in looked.chosen for item in chosen.items]
    pids = {item.pid for item in items if item.pid > 0}
    pids |= context.page.frame_pids if context.page else set()
    pids = pids or set(trace.processes)
    begin, end = _span(recording, looked, items)
    inside = [e for e in trace.events if e.kind in _DRAWN and e.pid in pids and e.ts <= end and e.end >= begin]
    chosen = [item for item in items if isinstance(item, Event) and item.ts <= end and item.end >= begin]
    must = _with_parents(chosen, most // 2)
    rest = [event for event in inside if event.seq not in must]
    room = max(most - len(must), 0)
    longest_left_out = 0.0
    if len(rest) > room:
        rest.sort(key=_weight, reverse=True)
        longest_left_out = _weight(rest[room])
        rest = rest[:room]
    drawn = sorted([*must.values(), *rest], key=lambda event: (event.ts, event.depth, event.seq))
    pseudo = list(dict.fromkeys(item for item in items if isinstance(item, Pseudo) and item.kind == "slice"))[:most]
    return Cut(begin, end, frozenset(pids), drawn, pseudo, len(inside), longest_left_out)


def _weight(event: Event) -> float:
    return event.end - event.ts if event.kind != "instant" else POINT_US


def _with_parents(events: Iterable[Event], most: int) -> dict[int, Event]:
    """The events and the slices that hold them, by seq; when there are too many, the first."""
    kept: dict[int, Event] = {}
    for event in events:
        if len(kept) >= most:
            break
        kept[event.seq] = event
        for holder in event.ancestors():
            kept.setdefault(holder.seq, holder)
    return kept


def _span(recording: Recording, looked: Looked, items: Iterable[Item]) -> tuple[float, float]:
    """From the first to the last of the evidence and of its windows, with a margin; else the whole trace."""
    trace, context = recording.trace, recording.context
    times = [time for item in items for time in (item.ts, item.ts if item.open else item.end)]
    for window in looked.windows.values():
        edges = [context.mark(edge) for edge in (window.begin, window.end) if edge not in (START, END)]
        times += [edge for edge in edges if edge is not None]
    if not times:
        return trace.start_ts, trace.end_ts
    first, last = min(times), max(times)
    margin = max((last - first) * _MARGIN, _LEAST_US)
    return max(first - margin, min(trace.start_ts, first)), min(last + margin, max(trace.end_ts, last))
