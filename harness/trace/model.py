"""The trace as a whole: build it once, then ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from harness.trace import flows, slices, spans, threads
from harness.trace.event import Event, WireEvent, decode_args, start_of
from harness.trace.flows import Flow
from harness.trace.reader import RawTrace, TraceStream, collector_paused
from harness.trace.settle import Settler

Thread = tuple[int, int]
MERGED: Final = frozenset("EeF")  # ends, by now part of their begins


class Source(Protocol):
    """What a file tells beside its events, known when these have been read."""

    metadata: msgspec.Raw
    anomalies: dict[str, int]


class Trace:
    """A recording. Nothing in it changes after it is built.

    events: in file order; ends are merged into their begins.
    threads: by (pid, tid). processes: by pid. flows: in order of time of their targets.
    size: how many events. writers: threads that wrote any beside metadata.
    anomalies: what was seen in the file and left as it is, with how often; no zeros.
    start_ts, end_ts: the first start and the last end of any timed event; both 0 without one.
    last_ts_by_process: when each process wrote last; one far before the others was cut off or died.
    """

    def __init__(self, chunks: Iterable[Iterable[WireEvent]], source: Source) -> None:
        settler = Settler()
        settled: list[Event] = []
        for chunk in chunks:
            settled += settler.settle(chunk)
        anomalies = settler.anomalies + Counter(source.anomalies)
        self._metadata = source.metadata
        self._tracks = {lane.thread: lane.track for lane in settler.lanes.values() if lane.track}
        for events in (*self._tracks.values(), settler.spanning):
            events.sort(key=start_of)
        self.start_ts, self.last_ts_by_process = settler.extent()
        self.end_ts = max(self.last_ts_by_process.values(), default=0.0)
        self.threads, self.processes = threads.describe(settler.names, settler.lanes, settler.tid_names)

        spans.pair_async(settler.spanning, anomalies)
        for thread, lane in settler.lanes.items():
            if lane.paired:
                self._tracks[thread] = slices.pair(lane.track, anomalies)
        self.events: list[Event] = [event for event in settled if event.ph not in MERGED]
        self.size = len(self.events)
        self.writers: Collection[Thread] = settler.lanes.keys()
        self._close_open(settler.unended, anomalies)
        for track in self._tracks.values():
            slices.nest(track, anomalies)
        self._flowing = settler.flowing
        self._anomalies = anomalies

    def _close_open(self, begun: Iterable[Event], anomalies: Counter[str]) -> None:
        """Whatever did not end runs to the end of the trace; its duration stays unknown."""
        for event in begun:
            if event.dur is None:
                event.end = max(self.end_ts, event.ts)
                anomalies["open spans" if event.kind == "async" else "open slices"] += 1

    @cached_property
    def _linked(self) -> tuple[list[Flow], Counter[str]]:
        # Only when somebody looks: no selection does, and a recording has more flows than slices.
        anomalies = Counter[str]()
        records = sorted((event for event in self._flowing if event.ph not in MERGED), key=start_of)
        return flows.link(records, self._tracks, anomalies), anomalies

    @property
    def flows(self) -> list[Flow]:
        return self._linked[0]

    @cached_property
    def anomalies(self) -> dict[str, int]:
        found = self._anomalies + self._linked[1]
        return {name: count for name, count in sorted(found.items()) if count}

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

    def every(self, matching: str | None = None) -> list[Event]:
        """All events in file order, for whoever will look for names that have a match for a pattern, or for any."""
        return self.events

    def by_name(self, name: str) -> list[Event]:
        """Events of one name, of every kind, in file order."""
        return self._by_name.get(name, [])

    def count(self, name: str) -> int:
        """How many events have a name."""
        return len(self._by_name.get(name, ()))

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


def load(path: Path) -> Trace:
    """Read a trace file: JSON or Perfetto's protobuf, plain, gzip or zstd, known by its content.

    `TraceFileError` when it is cut or not a trace.
    """
    stream = TraceStream(path)
    with collector_paused():
        return Trace(stream, stream)


def from_events(events: list[dict[str, Any]], metadata: dict[str, Any] | None = None) -> Trace:
    """A trace out of plain dicts in the file's form, for tests."""
    return from_records(in_the_file(events), metadata)


def in_the_file(events: list[dict[str, Any]]) -> list[WireEvent]:
    """Plain dicts in the file's form as what the reader makes of them."""
    return msgspec.json.decode(msgspec.json.encode(events), type=list[WireEvent], strict=False)


def from_records(records: list[WireEvent], metadata: dict[str, Any] | None = None) -> Trace:
    """A trace out of records that were read, for what mutates recordings. They are left as they are."""
    source = RawTrace(records, msgspec.Raw(msgspec.json.encode(metadata or {})))
    with collector_paused():
        return Trace([source.events], source)
