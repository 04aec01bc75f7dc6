"""Hand-made Perfetto traces: one writer on the page's main thread, as Chrome's are, and the file it gives.

writer = Writer()
writer.begin("Layout", at=10).end(at=15)
trace = load(writer.save(tmp_path / "t.pftrace"))
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from harness.trace.proto_schema import schema
from tests.traces import PAGE, TIMELINE

THREAD, PROCESS, CPU_TIME = 101, 100, 102  # uuids of tracks
INCREMENTAL, CLEARED, NEEDS = 64, 1, 2
TYPES = {"begin": 1, "end": 2, "instant": 3, "counter": 4}


class Writer:
    """Packets of one sequence. Times in us; each method adds one packet and gives the writer back."""

    def __init__(self, sequence: int = 2, *, pid: int = PAGE, tid: int = PAGE, start: int = 1000) -> None:
        self.packets: list[Any] = []
        self._sequence, self._start = sequence, start
        self._words: dict[tuple[str, str], int] = {}
        self._last = self._last_cpu = 0
        self.clear()
        self.track(PROCESS, process={"pid": pid, "process_name": "Renderer"})
        self.track(THREAD, parent_uuid=PROCESS, thread={"pid": pid, "tid": tid, "thread_name": "CrRendererMain"})
        self.track(CPU_TIME, parent_uuid=THREAD, counter={"type": 1, "unit_multiplier": 1000, "is_incremental": True})

    def packet(self, **fields: Any) -> Any:
        packet = schema().packet(trusted_packet_sequence_id=self._sequence, **{"sequence_flags": NEEDS, **fields})
        self.packets.append(packet)
        return packet

    def clear(self, **fields: Any) -> Writer:
        """Begin anew: clocks, words and defaults."""
        self._words, self._last, self._last_cpu = {}, 0, 0
        clocks = [
            {"clock_id": 3, "timestamp": self._start * 1000},
            {"clock_id": INCREMENTAL, "timestamp": self._start, "is_incremental": True, "unit_multiplier_ns": 1000},
        ]
        defaults = {"track_uuid": THREAD, "extra_counter_track_uuids": [CPU_TIME]}
        self.packet(
            sequence_flags=CLEARED,
            clock_snapshot={"clocks": clocks},
            trace_packet_defaults={"timestamp_clock_id": INCREMENTAL, "track_event_defaults": defaults},
            **fields,
        )
        return self

    def track(self, uuid: int, **fields: Any) -> Writer:
        self.packet(track_descriptor={"uuid": uuid, **fields}, timestamp=0)
        return self

    def event(self, kind: str, name: str = "", *, at: int, cpu: int | None = None, **fields: Any) -> Writer:
        """`at` counts from the start of the trace; `cpu` is the thread's time, from 0."""
        packet = self.packet(timestamp=at - self._last)
        self._last = at
        event = packet.track_event
        if kind in TYPES:
            event.type = TYPES[kind]
        if name:
            event.name_iid = self._word(packet, "event_names", name)
            event.category_iids.append(self._word(packet, "event_categories", TIMELINE))
        if cpu is not None:
            event.extra_counter_values.append(cpu - self._last_cpu)
            self._last_cpu = cpu
        event.MergeFrom(type(event)(**fields))
        return self

    def begin(self, name: str, *, at: int, **fields: Any) -> Writer:
        return self.event("begin", name, at=at, **fields)

    def end(self, *, at: int, **fields: Any) -> Writer:
        return self.event("end", at=at, **fields)

    def instant(self, name: str, *, at: int, **fields: Any) -> Writer:
        return self.event("instant", name, at=at, **fields)

    def _word(self, packet: Any, kind: str, text: str) -> int:
        if (iid := self._words.get((kind, text))) is None:
            iid = self._words[kind, text] = len(self._words) + 1
            getattr(packet.interned_data, kind).add(iid=iid, name=text)
        return iid

    def bytes(self) -> bytes:
        return serialised(self.packets)

    def save(self, path: Path) -> Path:
        path.write_bytes(gzip.compress(self.bytes()) if path.suffix == ".gz" else self.bytes())
        return path


def serialised(packets: list[Any]) -> bytes:
    """The packets as the bytes of a trace."""
    message = schema().message("perfetto.protos.Trace")
    assert message is not None
    trace = message()
    trace.packet.extend(packets)
    return bytes(trace.SerializeToString())


def annotated(**values: Any) -> dict[str, Any]:
    """Fields of an event with a debug annotation for each value, already in the form of the proto."""
    return {"debug_annotations": [{"name": name, **value} for name, value in values.items()]}
