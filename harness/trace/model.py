"""The trace as a whole: build it once, then ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import gt
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.trace import flows, slices, spans, threads
from harness.trace.event import Event, decode_args, end_of, start_of
from harness.trace.flows import Flow
from harness.trace.reader import RawTrace, collector_paused, read
from harness.trace.settle import Settler

Thread = tuple[int, int]
_MERGED: Final = frozenset("EeF")  # ends, by now part of their begins
_ON_THREAD: Final = frozenset(("slice", "instant", "flow", "object", "sample"))


class Trace:
    """A recording. Nothing in it changes after it is built.

    events: in file order; ends are merged into their begins.
    threads: by (pid, tid). processes: by pid. flows: in order of time of their targets.
    anomalies: what was seen in the file and left as it is, with how often; no zeros.
    start_ts, end_ts: the first start and the last end of any timed event; both 0 without one.
    last_ts_by_process: when each process wrote last; one far before the others was cut off or died.
    """

    def __init__(self, raw: RawTrace) -> None:
        settler = Settler()
        settled = settler.settle(raw.events)
        anomalies = settler.anomalies + Counter(raw.anomalies)
        self._metadata = raw.metadata
        self._tracks, spanning, loose = _sort_out(settled, anomalies)
        self.start_ts, self.last_ts_by_process = _extent(self._tracks, [*spanning, *loose])
        self.end_ts = max(self.last_ts_by_process.values(), default=0.0)
        self.threads, self.processes = threads.describe(settled, settler.tid_names)

        spans.pair_async(spanning, anomalies)
        for thread, track in self._tracks.items():
            self._tracks[thread] = slices.pair(track, anomalies)
        self.events: list[Event] = [event for event in settled if event.ph not in _MERGED]
        self._close_open(anomalies)
        for track in self._tracks.values():
            slices.nest(track, anomalies)
        flowing = sorted((e for e in self.events if e.kind == "flow" or e.bind_id), key=start_of)
        self.flows: list[Flow] = flows.link(flowing, self._tracks, anomalies)
        self.anomalies: dict[str, int] = {name: count for name, count in sorted(anomalies.items()) if count}

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


def _sort_out(
    events: Iterable[Event], anomalies: Counter[str]
) -> tuple[dict[Thread, list[Event]], list[Event], list[Event]]:
    """What lies on each thread, what spans threads, and the other timed events; each in order of time."""
    tracks: defaultdict[Thread, list[Event]] = defaultdict(list)
    spanning: list[Event] = []
    loose: list[Event] = []
    for event in events:
        kind = event.kind
        if kind == "async":
            spanning.append(event)
        elif kind in _ON_THREAD and event.scope not in ("p", "g"):
            tracks[event.thread].append(event)
        elif kind != "metadata":
            loose.append(event)
    for track in tracks.values():
        # Marks are dated back by design, and flows stand behind everything else.
        times = [event.ts for event in track if event.kind in ("slice", "instant") and event.ph != "R"]
        anomalies["events out of order"] += sum(map(gt, times, times[1:]))
        track.sort(key=start_of)
    spanning.sort(key=start_of)
    return dict(tracks), spanning, loose


def _extent(tracks: Mapping[Thread, list[Event]], others: Iterable[Event]) -> tuple[float, dict[int, float]]:
    """The first start, and each process's last end. Events without a time (0) have no part in it."""
    timed = [event for event in others if event.ts]
    starts = [event.ts for event in timed]
    last = {thread[0]: 0.0 for thread in tracks}
    for thread, track in tracks.items():
        starts += next(([event.ts] for event in track if event.ts), [])
        last[thread[0]] = max(last[thread[0]], max(map(end_of, track)))
    for event in timed:
        last[event.thread[0]] = max(last.get(event.thread[0], 0.0), event.end)
    last = {pid: ts for pid, ts in last.items() if ts}
    return min(starts, default=0.0) if last else 0.0, last


def load(path: Path) -> Trace:
    """Read a trace file: JSON or Perfetto's protobuf, plain, gzip or zstd, known by its content.

    `TraceFileError` when it is cut or not a trace.
    """
    raw = read(path)
    with collector_paused():
        return Trace(raw)


def from_events(events: list[dict[str, Any]], metadata: dict[str, Any] | None = None) -> Trace:
    """A trace out of plain dicts in the file's form, for tests and for what mutates recordings."""
    decoded = msgspec.json.decode(msgspec.json.encode(events), type=list[Event], strict=False)
    return Trace(RawTrace(decoded, msgspec.Raw(msgspec.json.encode(metadata or {}))))
