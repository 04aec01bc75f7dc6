"""A Perfetto trace read into the model of a JSON one.

Chrome makes its JSON out of the very same packets, with `export_json.cc` of Perfetto's trace processor. What that does
decides here too: begins and ends are paired by track, a slice without a duration is `ph: I`, one that never ended is
`B`, tracks below a thread or a process are async spans, each arrow of a flow is a pair of s and f, times are whole
microseconds. Kept beyond that: counters, and spans on a process's or the trace's own track.
"""

from __future__ import annotations

import msgspec

from harness.trace.event import Event
from harness.trace.proto_build import Builder
from harness.trace.proto_packets import PacketError, is_proto, packets
from harness.trace.proto_records import collect
from harness.trace.proto_tracks import Tracks

__all__ = ["PacketError", "is_proto", "read_proto"]


def read_proto(data: bytes) -> tuple[list[Event], msgspec.Raw, dict[str, int]]:
    """The events, the metadata, and what was seen and left as it is. `PacketError` when the data is not whole."""
    schema, stream = packets(data)
    content = collect(stream, schema)
    builder = Builder(content.tracks, content.anomalies)
    for record in content.records:
        builder.add(record)
    events = [*_names(content.tracks), *builder.finish()]
    return events, msgspec.Raw(msgspec.json.encode(content.metadata)), dict(content.anomalies)


def _names(tracks: Tracks) -> list[Event]:
    threads = [_name("thread_name", pid, tid, name) for (pid, tid), name in tracks.thread_names.items()]
    return threads + [_name("process_name", pid, 0, name) for pid, name in tracks.process_names.items()]


def _name(kind: str, pid: int, tid: int, name: str) -> Event:
    args = msgspec.Raw(msgspec.json.encode({"name": name}))
    return Event(name=kind, cat="__metadata", ph="M", ts=0.0, raw_args=args, file_pid=pid, file_tid=tid)
