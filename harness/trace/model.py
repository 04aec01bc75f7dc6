"""The trace as a whole: build it once, then ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from harness.trace import flows, slices, spans, threads
from harness.trace.convert import Converter
from harness.trace.event import Event, by_time, decode_args
from harness.trace.flows import Flow
from harness.trace.reader import RawTrace, collector_paused, read
from harness.trace.wire import Record

Thread = tuple[int, int]


class Trace:
    """A recording. Nothing in it changes after it is built.

    events: in file order; ends are merged into their begins.
    threads: by (pid, tid). processes: by pid. flows: in order of time of their targets.
    anomalies: what was seen in the file and left as it is, with how often; no zeros.
    start_ts, end_ts: the first start and the last end of any timed event; both 0 without one.
    last_ts_by_process: when each process wrote last; one far before the others was cut off or died.
    """

    def __init__(self, raw: RawTrace) -> None:
        converter = Converter()
        converted = converter.events(raw.records)
        self._metadata = raw.metadata
        anomalies = converter.anomalies + Counter(raw.anomalies)
        anomalies["events out of order"] = _out_of_order(converted)
        self.threads, self.processes = threads.describe(converted, converter.tid_names)
        self.start_ts, self.end_ts, self.last_ts_by_process = _extent(converted)
        self._tracks = self._pair(converted, anomalies)
        merged = frozenset("EeF")
        self.events: list[Event] = [event for event in converted if event.ph not in merged]
        self._close_open(anomalies)
        for track in self._tracks.values():
            slices.nest(track, anomalies)
        flowing = sorted((e for e in self.events if e.kind == "flow" or e.bind_id), key=by_time)
        self.flows: list[Flow] = flows.link(flowing, self._tracks, anomalies)
        self.anomalies: dict[str, int] = {name: count for name, count in sorted(anomalies.items()) if count}

    def _pair(self, events: Iterable[Event], anomalies: Counter[str]) -> dict[Thread, list[Event]]:
        """Merge ends into begins; returns what lies on each thread, in order of time."""
        tracks: defaultdict[Thread, list[Event]] = defaultdict(list)
        spanning: list[Event] = []
        for event in events:
            if event.kind == "async":
                spanning.append(event)
            elif event.kind in ("slice", "flow", "object", "sample") or (
                event.kind == "instant" and event.scope not in ("p", "g")
            ):
                tracks[event.thread].append(event)
        spans.pair_async(sorted(spanning, key=by_time), anomalies)
        for thread, track in tracks.items():
            track.sort(key=by_time)
            tracks[thread] = slices.pair(track, anomalies)
        return dict(tracks)

    def _close_open(self, anomalies: Counter[str]) -> None:
        """Whatever did not end runs to the end of the trace; its duration stays unknown."""
        for event in self.events:
            if event.dur is None and event.ph in ("B", "X", "b", "S"):
                event.open, event.end = True, max(self.end_ts, event.ts)
                anomalies["open spans" if event.kind == "async" else "open slices"] += 1

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """The `metadata` object of the file; {} without one."""
        return decode_args(self._metadata)

    @cached_property
    def _by_name(self) -> dict[str, list[Event]]:
        index: defaultdict[str, list[Event]] = defaultdict(list)
        for event in self.events:
            index[event.name].append(event)
        return dict(index)

    @property
    def names(self) -> set[str]:
        """Every name that an event has."""
        return set(self._by_name)

    def by_name(self, name: str) -> list[Event]:
        """Events of one name, of every kind, in file order."""
        return self._by_name.get(name, [])

    def on_thread(self, thread: Thread) -> list[Event]:
        """Slices, and points that belong to this one thread, in order of time."""
        return self._tracks.get(thread, [])

    def thread_name(self, event: Event) -> str:
        info = self.threads.get(event.thread)
        return info.name if info else ""

    @cached_property
    def _covered(self) -> dict[int, float]:
        return {seq: us for track in self._tracks.values() for seq, us in slices.covered_by_children(track).items()}

    def self_time(self, event: Event) -> float:
        """Microseconds of an event that none of its direct child slices covers."""
        return event.end - event.ts - self._covered.get(event.seq, 0.0)

    def contains(self, outer: Event, inner: Event) -> bool:
        """Whether `inner` happened within `outer` on the same thread.

        For slices and the points on their thread: along the chain of parents, or by time where slices overlap. For
        spans and anything made up by a selection: by time.
        """
        if outer.kind == "slice" and any(holder is outer for holder in inner.ancestors()):
            return True
        return slices.holds(outer, inner)


def _out_of_order(events: Iterable[Event]) -> int:
    """Timed events that stand in the file after a later one of their thread."""
    latest: dict[Thread, float] = {}
    count = 0
    for event in events:
        if event.kind != "metadata":
            if event.ts < latest.get(event.thread, event.ts):
                count += 1
            else:
                latest[event.thread] = event.ts
    return count


def _extent(events: Iterable[Event]) -> tuple[float, float, dict[int, float]]:
    start: float | None = None
    last: dict[int, float] = {}
    for event in events:
        if event.kind == "metadata" or not event.ts:
            continue
        if start is None or event.ts < start:
            start = event.ts
        if event.end > last.get(event.pid, -1.0):
            last[event.pid] = event.end
    return start or 0.0, max(last.values(), default=0.0), last


def load(path: Path) -> Trace:
    """Read a trace file (.json, .json.gz or .zst by content); `TraceFileError` when it is cut or not a trace."""
    raw = read(path)
    with collector_paused():
        return Trace(raw)


def from_events(events: list[dict[str, Any]], metadata: dict[str, Any] | None = None) -> Trace:
    """A trace out of plain dicts in the file's form, for tests and for what mutates recordings."""
    records = msgspec.json.decode(msgspec.json.encode(events), type=list[Record])
    return Trace(RawTrace(records, msgspec.Raw(msgspec.json.encode(metadata or {}))))
