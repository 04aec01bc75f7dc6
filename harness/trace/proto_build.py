"""From records in the order of time to events: begins with their ends, instants, spans, arrows, counters.

The rules are those of Chrome's JSON export (`export_json.cc` of Perfetto's trace processor), so that a trace reads the
same in both forms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from harness.trace.event import NOTHING, Event, Id2
from harness.trace.proto_args import Args, put
from harness.trace.proto_records import Record
from harness.trace.proto_tracks import Place, Tracks

UNMATCHED: Final = "unmatched ends"
_SCOPES: Final = {1: "g", 2: "p", 3: "t"}  # LegacyEvent.InstantEventScope
_FLOW_OUT, _FLOW_IN = 2, 1


@dataclass(slots=True)
class _Slice:
    """A slice, span or instant that is being put together."""

    event: Event
    record: Record
    place: Place


class Builder:
    """`add` every record, then `finish`."""

    def __init__(self, tracks: Tracks, anomalies: Counter[str]) -> None:
        self._tracks, self._anomalies = tracks, anomalies
        self._events: list[Event] = []
        self._arrows: list[Event] = []
        self._open: defaultdict[Any, list[_Slice]] = defaultdict(list)
        self._flowing: dict[int, _Slice] = {}

    def add(self, record: Record) -> None:
        place = self._place(record)
        slice_: _Slice | None = None
        match record.ph:
            case "B":
                slice_ = self._begin(record, place)
            case "E":
                slice_ = self._end(record, place)
            case "X":
                slice_ = self._complete(record, place)
            case "I" | "i" | "R":
                slice_ = self._instant(record, place)
            case _:
                self._as_it_is(record, place)
        if slice_ is not None:
            self._flow(slice_, record)

    def finish(self) -> list[Event]:
        """All events: slices, spans and points in the order of their beginnings, then the arrows."""
        for track in self._open.values():
            for slice_ in track:
                _set_args(slice_.event, slice_.record.args)
        return self._events + self._arrows

    def _place(self, record: Record) -> Place:
        if record.track or record.thread is None:
            return self._tracks.place(record.track)
        legacy = record.legacy
        if legacy is None:
            return self._tracks.place(0)
        # Events of old without a track are their writer's thread's, unless they name another.
        pid, tid = record.thread
        if legacy.HasField("pid_override"):
            pid, tid = legacy.pid_override, -1
        if legacy.HasField("tid_override"):
            tid = legacy.tid_override
        return Place("thread", True, pid, tid)

    def _new(self, record: Record, place: Place, ph: str) -> Event:
        event = Event(name=record.name, cat=record.cat, ph=ph, ts=float(record.ts // 1000), raw_args=NOTHING)
        event.file_pid, event.file_tid = place.pid, place.tid
        if place.scope != "thread" and record.thread is not None:
            pid, tid = record.thread
            if place.scope == "global":
                event.file_pid, event.file_tid = pid, tid
            elif pid == place.pid:
                event.file_tid = tid
        self._events.append(event)
        return event

    def _begin(self, record: Record, place: Place) -> _Slice:
        on_thread = place.scope == "thread" and place.own
        event = self._new(record, place, "B" if on_thread else "b")
        if not on_thread:
            _identify(event, record.track, place)
        slice_ = _Slice(event, record, place)
        self._open[record.track or place].append(slice_)
        return slice_

    def _end(self, record: Record, place: Place) -> _Slice | None:
        track = self._open[record.track or place]
        at = next((i for i in range(len(track) - 1, -1, -1) if record.name in ("", track[i].record.name)), None)
        if at is None:
            self._anomalies[UNMATCHED] += 1
            return None
        slice_ = track.pop(at)
        begun, event = slice_.record, slice_.event
        for name, value in record.args.items():
            put(begun.args, name, value)
        _set_args(event, begun.args)
        duration = record.ts - begun.ts
        if event.ph == "B":
            tdur = record.tts - begun.tts if record.tts is not None and begun.tts else None
            _close(event, begun.ts, record.ts, begun.tts, tdur or None)
        elif duration:
            end = self._new(begun, slice_.place, "e")
            end.ts = float(record.ts // 1000)
            end.file_id, end.file_id2 = event.file_id, event.file_id2
        else:
            event.ph = "n"
        return slice_

    def _complete(self, record: Record, place: Place) -> _Slice:
        event = self._new(record, place, "B")
        legacy = record.legacy
        tdur = legacy.thread_duration_us * 1000 if record.tts is not None else None
        _close(event, record.ts, record.ts + legacy.duration_us * 1000, record.tts, tdur)
        _set_args(event, record.args)
        return _Slice(event, record, place)

    def _instant(self, record: Record, place: Place) -> _Slice:
        scope = _SCOPES.get(record.legacy.instant_event_scope, "t") if record.legacy is not None else place.scope[0]
        if record.legacy is None and not place.own:
            event = self._new(record, place, "n")
            _identify(event, record.track, place)
        else:
            event = self._new(record, place, "R" if record.ph == "R" else "I")
            event.scope = scope
            if scope == "t" and record.tts:
                event.tts = float(record.tts // 1000)
        _set_args(event, record.args)
        return _Slice(event, record, place)

    def _as_it_is(self, record: Record, place: Place) -> None:
        """Counters, and phases that JSON has too: samples, objects, markers, async spans and flows of old."""
        event = self._new(record, place, record.ph)
        if record.value is not None:
            event.name = event.name or place.name
            record.args["value"] = int(record.value) if record.value == int(record.value) else record.value
        if record.tts:
            event.tts = float(record.tts // 1000)
        if (legacy := record.legacy) is not None:
            _identify_legacy(event, legacy)
        _set_args(event, record.args)

    def _flow(self, slice_: _Slice, record: Record) -> None:
        if record.legacy is not None and record.legacy.bind_id:
            slice_.event.file_bind_id = record.legacy.bind_id
            slice_.event.flow_in = bool(record.legacy.flow_direction & _FLOW_IN)
            slice_.event.flow_out = bool(record.legacy.flow_direction & _FLOW_OUT)
        for flow in record.flows:
            if (source := self._flowing.get(flow)) is not None:
                self._arrow(source, slice_)
            self._flowing[flow] = slice_
        for flow in record.ending_flows:
            if (source := self._flowing.pop(flow, None)) is not None:
                self._arrow(source, slice_)

    def _arrow(self, source: _Slice, target: _Slice) -> None:
        """A pair of s and f with an id of its own. The format knows arrows between threads only."""
        if source.place.scope != "thread" or target.place.scope != "thread":
            return
        for slice_, ph in ((source, "s"), (target, "f")):
            event = Event(name=source.event.name, cat=source.event.cat, ph=ph, ts=slice_.event.ts)
            event.file_pid, event.file_tid = slice_.place.pid, slice_.place.tid
            event.file_id = len(self._arrows) // 2
            event.bp = "e" if ph == "f" else ""
            self._arrows.append(event)


def _close(event: Event, begin: int, end: int, tts: int | None, tdur: int | None) -> None:
    """Make a begun slice whole. Times in ns. Where the thread's time did not move, the export writes none."""
    if duration := end - begin:
        # Not `duration // 1000`: where a trace counts in ns, slices that touch would overlap.
        event.ph, event.dur = "X", float(end // 1000 - begin // 1000)
    else:
        event.ph, event.scope = "I", "t"
    if tts and tdur is not None:
        event.tts = float(tts // 1000)
        event.tdur = float(tdur // 1000) if duration else None


def _set_args(event: Event, args: Args) -> None:
    if args:
        event.raw_args = msgspec.Raw(msgspec.json.encode(args))


def _identify(event: Event, track: int, place: Place) -> None:
    if place.scope == "global":
        event.file_id = track
    else:
        event.file_id2 = Id2(local=track)


def _identify_legacy(event: Event, legacy: Any) -> None:
    if legacy.HasField("unscoped_id"):
        event.file_id = legacy.unscoped_id
    elif legacy.HasField("global_id"):
        event.file_id2 = Id2(global_=legacy.global_id)
    elif legacy.HasField("local_id"):
        event.file_id2 = Id2(local=legacy.local_id)
    event.file_scope = legacy.id_scope
    event.bp = "e" if legacy.bind_to_enclosing else ""
    if legacy.HasField("duration_us"):
        event.dur = float(legacy.duration_us)
