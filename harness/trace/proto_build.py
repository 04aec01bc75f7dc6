"""From records in the order of time to events: begins with their ends, instants, spans, arrows, counters.

The rules are those of Chrome's JSON export (`export_json.cc` of Perfetto's trace processor), so that a trace reads the
same in both forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Final

import msgspec

from harness.trace.event import NOTHING, Id2, WireEvent
from harness.trace.proto_args import merged
from harness.trace.proto_flows import Flows
from harness.trace.proto_records import Record
from harness.trace.proto_schema import Schema
from harness.trace.proto_tracks import Place, Tracks
from harness.trace.runs import SortedRuns

UNMATCHED: Final = "unmatched ends"
_SCOPES: Final = {1: "g", 2: "p", 3: "t"}  # LegacyEvent.InstantEventScope
_FLOW_OUT, _FLOW_IN = 2, 1
_SIZE: Final = 500  # bytes of an event in memory, about, beside its arguments

_PLAIN: Final = tuple(name for name in WireEvent.__struct_fields__ if name not in ("raw_args", "file_id2"))
_Numbered = tuple[int, WireEvent]


@dataclass(slots=True)
class _Slice:
    """A slice, span or instant that is being put together. number: its place among the events."""

    number: int
    event: WireEvent
    record: Record
    place: Place


class Builder:
    """`add` every record in order of time, then `finish`. Held are slices and spans that wait for their ends."""

    def __init__(self, tracks: Tracks, anomalies: Counter[str], schema: Schema) -> None:
        self._tracks, self._anomalies = tracks, anomalies
        self._schema = schema
        self._made = 0
        # An event stands where it begins, and is whole when it ends.
        self._events = SortedRuns[_Numbered](itemgetter(0), _packed, _unpacked)
        self._flows = Flows()
        self._open: dict[Any, list[_Slice]] = {}

    def add(self, record: Record) -> None:
        legacy = self._legacy(record)
        place = self._place(record, legacy)
        slice_: _Slice | None
        match record.ph:
            case "B":
                slice_ = self._begin(record, place)
            case "E":
                slice_ = self._end(record, place)
            case "X":
                slice_ = self._complete(record, place, legacy)
            case "I" | "i" | "R":
                slice_ = self._instant(record, place, legacy)
            case _:
                self._as_it_is(record, place, legacy)
                return
        if slice_ is not None:
            self._flow(slice_, record, legacy)
            if record.ph != "B":
                self._keep(slice_.number, slice_.event)

    def finish(self) -> Iterator[WireEvent]:
        """All events: slices, spans and points in the order of their beginnings, then the arrows."""
        for track in self._open.values():
            for slice_ in track:
                self._keep(slice_.number, slice_.event)
        return chain(map(itemgetter(1), self._events), self._flows.arrows())

    def _legacy(self, record: Record) -> Any:
        return None if record.legacy is None else self._schema.legacy_event.FromString(record.legacy)

    def _place(self, record: Record, legacy: Any) -> Place:
        if record.track or record.thread is None:
            return self._tracks.place(record.track)
        if legacy is None:
            return self._tracks.place(0)
        # Events of old without a track are their writer's thread's, unless they name another.
        pid, tid = record.thread
        if legacy.HasField("pid_override"):
            pid, tid = legacy.pid_override, -1
        if legacy.HasField("tid_override"):
            tid = legacy.tid_override
        return Place("thread", True, pid, tid)

    def _new(self, record: Record, place: Place, ph: str) -> _Slice:
        event = WireEvent(name=record.name, cat=record.cat, ph=ph, ts=float(record.ts // 1000))
        event.raw_args = msgspec.Raw(record.args) if record.args else NOTHING
        event.written = record.written
        event.file_pid, event.file_tid = place.pid, place.tid
        if place.scope != "thread" and record.thread is not None:
            pid, tid = record.thread
            if place.scope == "global":
                event.file_pid, event.file_tid = pid, tid
            elif pid == place.pid:
                event.file_tid = tid
        self._made += 1
        return _Slice(self._made, event, record, place)

    def _keep(self, number: int, event: WireEvent) -> None:
        self._events.add((number, event), _SIZE + len(event.raw_args))

    def _begin(self, record: Record, place: Place) -> _Slice:
        on_thread = place.scope == "thread" and place.own
        slice_ = self._new(record, place, "B" if on_thread else "b")
        if not on_thread:
            _identify(slice_.event, record.track, place)
        self._open.setdefault(record.track or place, []).append(slice_)
        return slice_

    def _end(self, record: Record, place: Place) -> _Slice | None:
        track = self._open.get(record.track or place, [])
        at = next((i for i in range(len(track) - 1, -1, -1) if record.name in ("", track[i].record.name)), None)
        if at is None:
            self._anomalies[UNMATCHED] += 1
            return None
        slice_ = track.pop(at)
        if not track:  # most tracks have one span
            del self._open[record.track or place]
        begun, event = slice_.record, slice_.event
        if record.args:
            event.raw_args = msgspec.Raw(merged(begun.args, record.args))
        duration = record.ts - begun.ts
        if event.ph == "B":
            tdur = record.tts - begun.tts if record.tts is not None and begun.tts else None
            _close(event, begun.ts, record.ts, begun.tts, tdur or None)
        elif duration:
            end = self._new(begun, slice_.place, "e")
            end.event.ts, end.event.raw_args = float(record.ts // 1000), NOTHING
            end.event.file_id, end.event.file_id2 = event.file_id, event.file_id2
            self._keep(end.number, end.event)
        else:
            event.ph = "n"
        return slice_

    def _complete(self, record: Record, place: Place, legacy: Any) -> _Slice:
        slice_ = self._new(record, place, "B")
        tdur = legacy.thread_duration_us * 1000 if record.tts is not None else None
        _close(slice_.event, record.ts, record.ts + legacy.duration_us * 1000, record.tts, tdur)
        return slice_

    def _instant(self, record: Record, place: Place, legacy: Any) -> _Slice:
        scope = _SCOPES.get(legacy.instant_event_scope, "t") if legacy is not None else place.scope[0]
        if legacy is None and not place.own:
            slice_ = self._new(record, place, "n")
            _identify(slice_.event, record.track, place)
            return slice_
        slice_ = self._new(record, place, "R" if record.ph == "R" else "I")
        slice_.event.scope = scope
        if scope == "t" and record.tts:
            slice_.event.tts = float(record.tts // 1000)
        return slice_

    def _as_it_is(self, record: Record, place: Place, legacy: Any) -> None:
        """Counters, and phases that JSON has too: samples, objects, markers, async spans and flows of old."""
        made = self._new(record, place, record.ph)
        event = made.event
        if record.valued:
            event.name = event.name or place.name
        if record.tts:
            event.tts = float(record.tts // 1000)
        if legacy is not None:
            _identify_legacy(event, legacy)
        self._keep(made.number, event)

    def _flow(self, slice_: _Slice, record: Record, legacy: Any) -> None:
        event, place = slice_.event, slice_.place
        if legacy is not None and legacy.bind_id:
            event.file_bind_id = legacy.bind_id
            event.flow_in = bool(legacy.flow_direction & _FLOW_IN)
            event.flow_out = bool(legacy.flow_direction & _FLOW_OUT)
        for flow in record.flows:
            self._flows.step(flow, event, place, last=False)
        for flow in record.ending_flows:
            self._flows.step(flow, event, place, last=True)


def _close(event: WireEvent, begin: int, end: int, tts: int | None, tdur: int | None) -> None:
    """Make a begun slice whole. Times in ns. Where the thread's time did not move, the export writes none."""
    if duration := end - begin:
        # Not `duration // 1000`: where a trace counts in ns, slices that touch would overlap.
        event.ph, event.dur = "X", float(end // 1000 - begin // 1000)
    else:
        event.ph, event.scope = "I", "t"
    if tts and tdur is not None:
        event.tts = float(tts // 1000)
        event.tdur = float(tdur // 1000) if duration else None


def _identify(event: WireEvent, track: int, place: Place) -> None:
    if place.scope == "global":
        event.file_id = track
    else:
        event.file_id2 = Id2(local=track)


def _identify_legacy(event: WireEvent, legacy: Any) -> None:
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


def _packed(row: _Numbered) -> tuple[Any, ...]:
    number, event = row
    args = None if event.raw_args is NOTHING else bytes(event.raw_args)
    id2 = None if event.file_id2 is None else (event.file_id2.local, event.file_id2.global_)
    return number, args, id2, *(getattr(event, name) for name in _PLAIN)


def _unpacked(packed: Any) -> _Numbered:
    number, args, id2, *fields = packed
    event = WireEvent(**dict(zip(_PLAIN, fields, strict=True)))
    if args is not None:
        event.raw_args = msgspec.Raw(args)
    if id2 is not None:
        event.file_id2 = Id2(*id2)
    return number, event
