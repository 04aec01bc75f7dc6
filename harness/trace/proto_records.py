"""From track events, one writer after the other, to records in the order of time that say everything themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from harness.trace.proto_args import Args, arguments, decode_json
from harness.trace.proto_schema import Schema
from harness.trace.proto_sequence import Clocks, Sequence
from harness.trace.proto_tracks import Tracks

NAMELESS: Final = "track events without type or phase"
# Fields of TrackEvent.
_NAME_IID, _NAME, _CATEGORY_IIDS, _CATEGORIES, _TRACK, _LEGACY = 10, 23, 3, 22, 11, 6
_COUNTER, _DOUBLE_COUNTER = 30, 44
_FLOWS_OLD, _FLOWS, _ENDING_FLOWS_OLD, _ENDING_FLOWS = 36, 47, 42, 48
_PHASES: Final = {1: "B", 2: "E", 3: "I", 4: "C"}  # TrackEvent.Type


@dataclass(slots=True)
class Record:
    """One track event. Times in ns.

    ph: a letter of the JSON format; B, E and I also for what is not on a thread.
    legacy: the `LegacyEvent` with ids, scopes and durations, where the event has a phase of old.
    thread: (pid, tid) that its writer described last.
    """

    ts: int
    ph: str
    name: str
    cat: str
    track: int
    args: Args
    tts: int | None
    value: float | None
    legacy: Any
    thread: tuple[int, int] | None
    flows: Iterable[int]
    ending_flows: Iterable[int]


@dataclass(slots=True)
class Content:
    """What a trace holds. metadata: what the browser said of itself."""

    tracks: Tracks = field(default_factory=Tracks)
    records: list[Record] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    anomalies: Counter[str] = field(default_factory=Counter)


def collect(packets: Iterable[Any], schema: Schema) -> Content:
    """Read all packets; the records come in order of time, those of one moment in the order of the file."""
    content, clocks = Content(), Clocks()
    sequences: dict[int, Sequence] = {}
    for packet in packets:
        key = packet.trusted_packet_sequence_id
        if (sequence := sequences.get(key)) is None:
            sequence = sequences[key] = Sequence(clocks, content.anomalies)
        if sequence.take(packet):
            _take(packet, sequence, schema, content)
    content.records.sort(key=lambda record: record.ts)
    return content


def _take(packet: Any, sequence: Sequence, schema: Schema, content: Content) -> None:
    match packet.WhichOneof("data"):
        case "track_event":
            _event(packet, sequence, schema, content)
        case "track_descriptor":
            track = packet.track_descriptor
            content.tracks.describe(track)
            sequence.time(packet)  # a clock that counts from packet to packet counts this one too
            if track.HasField("thread"):
                sequence.describe_thread(track.thread)
        case "thread_descriptor":
            content.tracks.name_thread(packet.thread_descriptor)
            sequence.describe_thread(packet.thread_descriptor)
        case "process_descriptor":
            content.tracks.name_process(packet.process_descriptor)
        case "chrome_events":
            for entry in packet.chrome_events.metadata:
                content.metadata[entry.name] = _said(entry)
        case "trace_stats":
            _stats(packet.trace_stats, content.anomalies)


def _event(packet: Any, sequence: Sequence, schema: Schema, content: Content) -> None:
    event = packet.track_event
    fields = event.ListFields()
    told = {field.number: value for field, value in fields}
    ts = sequence.event_time(packet, told)
    legacy = told.get(_LEGACY)
    ph = chr(legacy.phase) if legacy is not None and legacy.phase else _PHASES.get(event.type, "")
    if not ph:
        content.anomalies[NAMELESS] += 1
        return
    defaults, counters = sequence.defaults, content.tracks.counters
    track = told.get(_TRACK, defaults.track_uuid if defaults is not None else 0)
    value = None
    if ph == "C" and legacy is None:
        value = sequence.count(track, told.get(_COUNTER, told.get(_DOUBLE_COUNTER, 0)), counters.get(track))
    name_iid = told.get(_NAME_IID) or (legacy.name_iid if legacy is not None else 0)
    content.records.append(
        Record(
            ts,
            ph,
            sequence.word("event_names", name_iid) if name_iid else told.get(_NAME, ""),
            _category(told, sequence),
            track,
            arguments(fields, sequence.interned, schema),
            sequence.thread_time(told, counters),
            value,
            legacy,
            sequence.thread,
            told.get(_FLOWS) or told.get(_FLOWS_OLD) or (),
            told.get(_ENDING_FLOWS) or told.get(_ENDING_FLOWS_OLD) or (),
        )
    )


def _category(told: dict[int, Any], sequence: Sequence) -> str:
    words = [sequence.word("event_categories", iid) for iid in told.get(_CATEGORY_IIDS, ())]
    return words[0] if len(words) == 1 else ",".join([*words, *told.get(_CATEGORIES, ())])


def _said(entry: Any) -> Any:
    kind = entry.WhichOneof("value")
    if kind is None:
        return ""
    value = getattr(entry, kind)
    return decode_json(value) if kind == "json_value" else value


def _stats(stats: Any, anomalies: Counter[str]) -> None:
    """What the tracing service itself says to have lost."""
    for buffer in stats.buffer_stats:
        anomalies["bytes overwritten in the buffer"] += buffer.bytes_overwritten
        anomalies["chunks overwritten in the buffer"] += buffer.chunks_overwritten
        anomalies["chunks discarded by the buffer"] += buffer.chunks_discarded
        anomalies["writers that lost packets"] += buffer.trace_writer_packet_loss
