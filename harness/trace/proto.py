"""A Perfetto trace read into the model of a JSON one.

Chrome makes its JSON out of the very same packets, with `export_json.cc` of Perfetto's trace processor. What that does
decides here too: begins and ends are paired by track, a slice without a duration is `ph: I`, one that never ended is
`B`, tracks below a thread or a process are async spans, each arrow of a flow is a pair of s and f, times are whole
microseconds. Kept beyond that: counters, and spans on a process's or the trace's own track.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Final

import msgspec

from harness.trace.event import NOTHING, WireEvent
from harness.trace.proto_build import Builder
from harness.trace.proto_packets import Blocks, PacketError, is_proto, packets
from harness.trace.proto_records import collect
from harness.trace.proto_tracks import Tracks

__all__ = ["PacketError", "ProtoChunks", "is_proto"]

_AT_ONCE: Final = 2000  # events


class ProtoChunks:
    """Iterate it once; `metadata` and `anomalies` (what was seen and left as it is) are whole when that has ended.

    `blocks` gives the bytes of the trace, and is called twice; `reads` says by name which events are read with their
    arguments. `PacketError` on the way when the data is not whole, `OSError` where there is no room to sort it.
    """

    def __init__(self, blocks: Blocks, reads: Callable[[str], bool]) -> None:
        self.metadata = NOTHING
        self.anomalies: dict[str, int] = {}
        self._blocks, self._reads = blocks, reads

    def __iter__(self) -> Iterator[list[WireEvent]]:
        events = self._read()
        while chunk := list(islice(events, _AT_ONCE)):
            yield chunk

    def _read(self) -> Iterator[WireEvent]:
        """All events; what was held to put them together, a track for each span above all, is free when it returns."""
        schema, stream = packets(self._blocks)
        content = collect(stream, schema, self._reads)
        builder = Builder(content.tracks, content.anomalies, schema)
        for record in content.records:
            builder.add(record)
        events = chain(_names(content.tracks), builder.finish())
        self.metadata = msgspec.Raw(msgspec.json.encode(content.metadata))
        self.anomalies = dict(content.anomalies)
        return events


def _names(tracks: Tracks) -> list[WireEvent]:
    threads = [_name("thread_name", pid, tid, name) for (pid, tid), name in tracks.thread_names.items()]
    return threads + [_name("process_name", pid, 0, name) for pid, name in tracks.process_names.items()]


def _name(kind: str, pid: int, tid: int, name: str) -> WireEvent:
    args = msgspec.Raw(msgspec.json.encode({"name": name}))
    return WireEvent(name=kind, cat="__metadata", ph="M", ts=0.0, raw_args=args, file_pid=pid, file_tid=tid)
