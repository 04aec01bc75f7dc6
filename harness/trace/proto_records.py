"""From track events, one writer after the other, to records in the order of time that say everything themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from harness.trace.event import KINDS
from harness.trace.proto_args import arguments, decode_json, plain
from harness.trace.proto_schema import Schema, text
from harness.trace.proto_sequence import Clocks, Sequence
from harness.trace.proto_tracks import Tracks
from harness.trace.runs import SortedRuns

NAMELESS: Final = "track events without type or phase"
_SIZE: Final = 500  # bytes of a record in memory, about, beside its arguments
# Fields of TrackEvent.
_NAME_IID, _NAME, _CATEGORY_IIDS, _CATEGORIES, _TRACK, _LEGACY = 10, 23, 3, 22, 11, 6
_COUNTER, _DOUBLE_COUNTER = 30, 44
_FLOWS_OLD, _FLOWS, _ENDING_FLOWS_OLD, _ENDING_FLOWS = 36, 47, 42, 48
_PHASES: Final = {1: "B", 2: "E", 3: "I", 4: "C"}  # TrackEvent.Type


class Record(NamedTuple):
    """One track event. Times in ns.

    ph: a letter of the JSON format; B, E and I also for what is not on a thread.
    args: as JSON, empty without any. valued: a counter, with its value among them.
    legacy: the bytes of the `LegacyEvent` with ids, scopes and durations, where the event has a phase of old.
    thread: (pid, tid) that its writer described last.
    written: its place among all of the file.
    """

    ts: int
    ph: str
    name: str
    cat: str
    track: int
    args: bytes
    tts: int | None
    valued: bool
    legacy: bytes | None
    thread: tuple[int, int] | None
    flows: tuple[int, ...]
    ending_flows: tuple[int, ...]
    written: int


def _by_time() -> SortedRuns[Record]:
    return SortedRuns(itemgetter(0), tuple, Record._make)


@dataclass(slots=True)
class Content:
    """What a trace holds. records: in order of time, those of one moment in the order of the file; to iterate once.

    metadata: what the browser said of itself. written: how many records it has.
    """

    tracks: Tracks = field(default_factory=Tracks)
    records: SortedRuns[Record] = field(default_factory=_by_time)
    metadata: dict[str, Any] = field(default_factory=dict)
    anomalies: Counter[str] = field(default_factory=Counter)
    written: int = 0


def collect(packets: Iterable[Any], schema: Schema, reads: Callable[[str], bool]) -> Content:
    """Read all packets, and arguments where `reads` takes the name of an event, or there is none.

    Chrome writes one sequence after the other, so the first record may be in the last packet.
    """
    content, clocks = Content(), Clocks()
    sequences: dict[int, Sequence] = {}
    for packet in packets:
        key = packet.trusted_packet_sequence_id
        if (sequence := sequences.get(key)) is None:
            sequence = sequences[key] = Sequence(clocks, content.anomalies)
        if sequence.take(packet):
            _take(packet, sequence, schema, content, reads)
    return content


def _take(packet: Any, sequence: Sequence, schema: Schema, content: Content, reads: Callable[[str], bool]) -> None:
    match packet.WhichOneof("data"):
        case "track_event":
            _event(packet, sequence, schema, content, reads)
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


def _event(packet: Any, sequence: Sequence, schema: Schema, content: Content, reads: Callable[[str], bool]) -> None:
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
    name_iid = told.get(_NAME_IID) or (legacy.name_iid if legacy is not None else 0)
    name = sequence.word("event_names", name_iid) if name_iid else text(told.get(_NAME, ""))
    read = not name or reads(name) or KINDS.get(ph) == "metadata"
    args = arguments(fields, sequence.interned, schema) if read else {}
    if valued := ph == "C" and legacy is None:
        value = told.get(_COUNTER, told.get(_DOUBLE_COUNTER, 0))
        args["value"] = plain(sequence.count(track, value, counters.get(track)))
    encoded = msgspec.json.encode(args) if args else b""
    content.records.add(
        Record(
            ts,
            ph,
            name,
            _category(told, sequence),
            track,
            encoded,
            sequence.thread_time(told, counters),
            valued,
            legacy.SerializeToString() if legacy is not None else None,
            sequence.thread,
            tuple(told.get(_FLOWS) or told.get(_FLOWS_OLD) or ()),
            tuple(told.get(_ENDING_FLOWS) or told.get(_ENDING_FLOWS_OLD) or ()),
            content.written,
        ),
        _SIZE + len(encoded),
    )
    content.written += 1


def _category(told: dict[int, Any], sequence: Sequence) -> str:
    words = [sequence.word("event_categories", iid) for iid in told.get(_CATEGORY_IIDS, ())]
    return words[0] if len(words) == 1 else ",".join([*words, *map(text, told.get(_CATEGORIES, ()))])


def _said(entry: Any) -> Any:
    kind = entry.WhichOneof("value")
    if kind is None:
        return ""
    value = getattr(entry, kind)
    if kind == "json_value":
        return decode_json(text(value))
    return text(value) if kind == "string_value" else value


def _stats(stats: Any, anomalies: Counter[str]) -> None:
    """What the tracing service itself says to have lost."""
    for buffer in stats.buffer_stats:
        anomalies["bytes overwritten in the buffer"] += buffer.bytes_overwritten
        anomalies["chunks overwritten in the buffer"] += buffer.chunks_overwritten
        anomalies["chunks discarded by the buffer"] += buffer.chunks_discarded
        anomalies["writers that lost packets"] += buffer.trace_writer_packet_loss
