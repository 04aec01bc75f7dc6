"""Flows: arrows from one slice to another, written as s/t/f records or as `bind_id` on the slices themselves.

Chrome's exporter puts a record at the moment at which its slice begins, names an arrow after the slice that it leaves,
and gives a slice in the middle of a chain an end (f) and then a start (s) at one moment. A slice of less than a
microsecond is an instant in the file, and two slices may begin at one moment: what encloses a record is then not what
it speaks of, but the name of the start tells.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from harness.trace.event import Event, start_of

Tracks = Mapping[tuple[int, int], Sequence[Event]]


@dataclass(frozen=True, slots=True)
class Flow:
    """One arrow. `source` and `target` are the records that speak of it: s, t and f records, or the slices with the
    `bind_id`; the slices are those that begin there by name, else those that enclose them (None outside any slice)."""

    name: str
    cat: str
    id: str
    source: Event
    target: Event
    source_slice: Event | None
    target_slice: Event | None


def link(events: Iterable[Event], tracks: Tracks, anomalies: Counter[str]) -> list[Flow]:
    """All flows, in the order of their targets. `events` in order of time, with their parents; `tracks` likewise."""
    events = list(events)
    named = _Named(events, tracks)
    flows: list[Flow] = []
    last: dict[tuple[str, str, str], Event] = {}
    bound: dict[str, Event] = {}
    for event in events:
        if event.kind == "flow":
            key = event.cat, event.name, event.id
            source = None if event.ph == "s" else last.pop(key, None)
            if source is not None:
                left = named.left(source)
                reached = named.reached(event, left) or _target_slice(event, tracks)
                flows.append(Flow(event.name, event.cat, event.id, source, event, left, reached))
            elif event.ph != "s":
                anomalies["flows without a start"] += 1
            if event.ph != "f":
                last[key] = event
        elif event.bind_id:
            source = bound.get(event.bind_id)
            if event.flow_in and source is not None:
                flows.append(
                    Flow(source.name, source.cat, event.bind_id, source, event, _itself(source), _itself(event))
                )
            if event.flow_out:
                bound[event.bind_id] = event
    anomalies["flows without an end"] += sum(event.ph == "s" for event in last.values())
    return flows


class _Named:
    """What begins at the moment of a record, by the names of the start records."""

    def __init__(self, events: Iterable[Event], tracks: Tracks) -> None:
        self._tracks = tracks
        self._names: set[str] = set()
        self._by_start: dict[int, Event] = {}  # by the record's seq
        self._starts: defaultdict[tuple[tuple[int, int], float], list[Event]] = defaultdict(list)
        for record in events:
            if record.ph == "s":
                self._names.add(record.name)
                if begun := self._begun(record):
                    self._by_start[record.seq] = begun
                    self._starts[record.thread, record.ts].append(record)

    def left(self, start: Event) -> Event | None:
        """The slice that an arrow leaves."""
        return self._by_start.get(start.seq, start.parent)

    def reached(self, end: Event, left: Event | None) -> Event | None:
        """The slice that an arrow reaches: in the middle of a chain the one of the next start at the same moment, at
        its end the innermost of those that begin then and of whose name arrows start elsewhere."""
        if end.ph != "f" or end.bp != "e":
            return None
        starts = self._starts.get((end.thread, end.ts), ())
        if follower := next((start for start in starts if start.seq > end.seq), None):
            return self._by_start[follower.seq]
        known = (event for event in self._beginning(end) if event.name in self._names and event is not left)
        return max(known, key=lambda event: event.depth, default=None)

    def _begun(self, start: Event) -> Event | None:
        if start.parent is not None and (start.parent.name, start.parent.ts) == (start.name, start.ts):
            return start.parent
        return next((event for event in self._beginning(start) if event.name == start.name), None)

    def _beginning(self, record: Event) -> list[Event]:
        """What begins on the record's thread at its moment."""
        track = self._tracks.get(record.thread, ())
        first = bisect_left(track, record.ts, key=start_of)
        together = takewhile(lambda event: event.ts == record.ts, map(track.__getitem__, range(first, len(track))))
        return [event for event in together if event.kind != "flow"]


def _itself(event: Event) -> Event | None:
    return event if event.kind == "slice" else event.parent


def _target_slice(record: Event, tracks: Tracks) -> Event | None:
    """The enclosing slice; an f without `bp: e` points at the next slice that begins on its thread."""
    if record.ph != "f" or record.bp == "e":
        return record.parent
    track = tracks.get(record.thread, ())
    after = bisect_left(track, record.ts, key=lambda event: event.ts)
    return next((event for event in track[after:] if event.kind == "slice"), None)
