"""A trace of which only some events are held: for files that are larger than memory.

The whole file is read. Events that are asked for are what they are in the whole model, to the last field: they have the
same parents, depth, ends and self time, because an outline of all slices is kept (`outline.py`, 25 bytes for each).
What is not asked for is counted, and whoever looks for it all the same gets an error, never an empty answer.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, cast

import msgspec

from harness.trace import spans, threads
from harness.trace.event import FLEETING, Event, WireEvent, start_of
from harness.trace.flows import Flow
from harness.trace.model import MERGED, Source, Thread, Trace, load
from harness.trace.outline import Bare, Outline, Words
from harness.trace.reader import TraceStream, collector_paused
from harness.trace.refusal import no_room
from harness.trace.settle import Settler

_UNREAD: Final = msgspec.Raw(b"")  # no JSON, so that nobody takes it for arguments that are not there


class NotKept(LookupError):
    """Asked for something that was not said to be wanted."""


class NeedsAll(Exception):
    """The file has what cannot be told without all of its events."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The names of events, and patterns that a name has to have a match for. Metadata is always held.

    bare: those of the names whose arguments nobody looks at; they are not held, and looking is an error.
    """

    names: frozenset[str]
    patterns: tuple[re.Pattern[str], ...] = ()
    bare: frozenset[str] = frozenset()

    def __contains__(self, name: object) -> bool:
        return name in self.names or any(pattern.search(str(name)) for pattern in self.patterns)


def sift(path: Path, wanted: Wanted) -> Trace:
    """A trace file with its wanted events only, or all where it cannot be read so. `TraceFileError` as `load`."""
    stream = TraceStream(path, cache(wanted.__contains__))
    try:
        with collector_paused():
            return Sifted(stream, stream, wanted)
    except NeedsAll:
        return load(path)
    except OSError as error:
        raise no_room(path, error) from None


class Sifted(Trace):
    """See the head of the module. events: the wanted ones and metadata. Flows are not linked.

    anomalies: as of the whole trace, but those of flows are missing, and async events that are not wanted are matched
    in the order of the file.
    """

    def __init__(self, chunks: Iterable[Iterable[WireEvent]], source: Source, wanted: Wanted) -> None:
        self._wanted = wanted
        sieve = _Sieve(wanted)
        for chunk in chunks:
            sieve.take(chunk)
        settler = sieve.settler
        anomalies = settler.anomalies + Counter(source.anomalies)
        self._metadata = source.metadata
        self.start_ts, self.last_ts_by_process = settler.extent()
        self.end_ts = max(self.last_ts_by_process.values(), default=0.0)
        self.threads, self.processes = threads.describe(settler.names, settler.lanes, settler.tid_names)
        self.writers = settler.lanes.keys()

        sieve.spanning.sort(key=start_of)
        spans.pair_async(sieve.spanning, anomalies)
        for outline in sieve.outlines.values():
            outline.pair(anomalies)
        kept = [event for outline in sieve.outlines.values() for event in outline.kept]
        kept += [event for points in sieve.points.values() for event in points]
        kept += [*settler.names, *sieve.spanning, *sieve.loose]
        self.events = sorted((e for e in kept if e.ph not in MERGED), key=lambda event: event.seq)
        for event in self.events:
            if isinstance(event, Event):
                event.decoded = FLEETING  # a dict takes many times the memory of its bytes
        self.size = sieve.counts.total()
        self._close_open(sieve.unended, anomalies)
        self._outlines, self._tracks = sieve.outlines, {}
        # The longest last: what the others held is free by then.
        for thread, outline in sorted(sieve.outlines.items(), key=lambda one: len(one[1])):
            outline.nest(sieve.points.get(thread, []), self.end_ts, anomalies)
        anomalies["open spans"] += sum(sieve.begun.values())
        anomalies["unmatched async ends"] += sieve.unmatched
        self._flowing = []
        self._anomalies = anomalies
        self._counts = sieve.counts

    @property
    def names(self) -> set[str]:
        return set(self._counts)

    def count(self, name: str) -> int:
        return self._counts[name]

    def every(self, matching: str | None = None) -> list[Event]:
        if matching not in [pattern.pattern for pattern in self._wanted.patterns]:
            raise NotKept(f"events whose names match {matching!r} were not kept of this trace")
        return self.events

    @property
    def flows(self) -> list[Flow]:
        raise NotKept("flows are not linked where only some events of a trace were kept")

    def by_name(self, name: str) -> list[Event]:
        if name not in self._wanted:
            raise NotKept(f"events named {name!r} were not kept of this trace")
        return super().by_name(name)

    def self_time(self, event: Event) -> float:
        outline = self._outlines.get(event.thread)
        return event.end - event.ts - (outline.covered(event) if outline is not None else 0.0)

    def on_thread(self, thread: Thread) -> list[Event]:
        raise NotKept("of this trace only some events were kept, so no thread is whole")


class _Sieve:
    """Takes chunks. What it holds grows with what is wanted, and by 25 bytes for each slice."""

    def __init__(self, wanted: Wanted) -> None:
        self.settler, self.words = Settler(), Words()
        self.outlines: dict[Thread, Outline] = {}
        self.points: defaultdict[Thread, list[Event]] = defaultdict(list)
        self.spanning: list[Event] = []
        self.loose: list[Event] = []
        self.unended: list[Event] = []
        self.begun: Counter[tuple[str, str, str]] = Counter()  # async spans that nobody wants, by track and name
        self.unmatched = 0
        self.counts: Counter[str] = Counter()  # of all events, by name
        self.seen: dict[str, bool] = {}  # each name, and whether it is wanted
        self._wanted = wanted

    def take(self, chunk: Iterable[WireEvent]) -> None:
        settler, seen = self.settler, self.seen
        events = settler.settle(chunk)
        self.counts.update(event.name for event in events if event.ph not in MERGED)
        for name in {event.name for event in events} - seen.keys():
            seen[name] = name in self._wanted
        for lane in settler.lanes.values():
            if lane.track:
                self._track(lane.thread, lane.track)
                lane.track.clear()
        self.unended += [event for event in settler.unended if seen[event.name]]
        self.loose += [event for event in settler.loose if seen[event.name]]
        for event in settler.spanning:
            self._async(event)
        for events in (settler.loose, settler.spanning, settler.flowing, settler.unended):
            events.clear()

    def _track(self, thread: Thread, track: list[Event]) -> None:
        if (outline := self.outlines.get(thread)) is None:
            outline = self.outlines[thread] = Outline(thread, self.words)
        points, seen, add, bare = self.points, self.seen, outline.add, self._wanted.bare
        for event in track:
            if event.name in bare:
                event.raw_args = _UNREAD
            if event.kind == "slice":
                if bare and event.ph == "E" and not event.name:
                    raise NeedsAll  # its arguments belong to nobody knows which begin
                add(
                    _stripped(event) if event.name in bare else event,
                    seen[event.name] or (event.ph == "E" and not event.name),
                )
            elif seen[event.name]:
                points[thread].append(event)

    def _async(self, event: Event) -> None:
        if event.ph in ("e", "F") and not event.name:
            raise NeedsAll
        if self.seen[event.name]:
            self.spanning.append(event)
            return
        track = event.cat, event.id, event.name
        if event.ph in ("b", "S"):
            self.begun[track] += 1
        elif event.ph in ("e", "F"):
            if self.begun[track] > 0:
                self.begun[track] -= 1
            else:
                self.unmatched += 1
            if not self.begun[track]:
                del self.begun[track]


def _stripped(event: Event) -> Event:
    """What is held of an event whose place alone is looked at; a half of one has to find the other first."""
    if event.ph != "X" or event.dur is None:
        return event
    return cast(Event, Bare(event.seq, event.thread, event.name, event.cat, event.ts, event.dur))
