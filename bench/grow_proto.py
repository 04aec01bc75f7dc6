"""A protobuf recording of any size out of a real one: its packets again and again, each time later.

Every sequence is written to its end before the next, as Chrome writes them. The processes, threads and their tracks
stay the same; spans and flows of each copy are of their own, so that there are as many as a long recording would have.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from harness.trace.packed import blocks
from harness.trace.proto_packets import packets

_OWN: Final = 64  # clocks from here on are the sequence's
_IDS: Final = 0x9E3779B97F4A7C15  # added to an id for each copy: far from all others
_MOST: Final = 1 << 64


def grow(seed: Path, target: Path, size: int) -> int:
    """Write a trace of at least `size` bytes; how many copies it holds."""
    sequences, last = _sequences(seed)
    copied: int = sum(packet.ByteSize() for sequence in sequences for packet, _ in sequence)
    copies = max(1, -(-size // copied))
    with target.open("wb") as file:
        for sequence in sequences:
            repeated = any(packet.HasField("track_event") for packet, _ in sequence)
            fixed = [b"" if changes else _framed(packet) for packet, changes in sequence]
            for copy in range(copies if repeated else 1):
                for (packet, changes), bytes_ in zip(sequence, fixed, strict=True):
                    for change in changes:
                        change(copy, copy * last)
                    file.write(bytes_ or _framed(packet))
    return copies


def _sequences(seed: Path) -> tuple[list[list[tuple[Any, list[Any]]]], int]:
    """The packets of each sequence with what changes in them, and how much later a copy is, in ns."""
    _, stream = packets(partial(blocks, seed))
    all_ = list(stream)
    spans = {packet.track_descriptor.uuid for packet in all_ if _of_span(packet)}
    sequences, times, own = defaultdict[int, list[Any]](list), list[int](), dict[tuple[int, int], Any]()
    default: dict[int, int] = {}
    for packet in all_:
        key = packet.trusted_packet_sequence_id
        changes: list[Any] = []
        for clock in packet.clock_snapshot.clocks:
            unit = 1
            if clock.clock_id >= _OWN:
                own[key, clock.clock_id], unit = clock, clock.unit_multiplier_ns or 1
            elif clock.clock_id == 3:
                times.append(clock.timestamp)
            changes.append(partial(_later, clock, clock.timestamp, unit))
        if packet.HasField("trace_packet_defaults"):
            default[key] = packet.trace_packet_defaults.timestamp_clock_id
        clock = own.get((key, packet.timestamp_clock_id or default.get(key, 0)))
        if packet.HasField("timestamp") and not (clock is not None and clock.is_incremental):
            changes.append(
                partial(_later, packet, packet.timestamp, 1 if clock is None else clock.unit_multiplier_ns or 1)
            )
        changes += _ids(packet, spans)
        sequences[key].append((packet, changes))
    return list(sequences.values()), max(times) - min(times) + 1_000_000_000


def _of_span(packet: Any) -> bool:
    track = packet.track_descriptor
    return packet.HasField("track_descriptor") and not any(map(track.HasField, ("thread", "process", "counter")))


def _ids(packet: Any, spans: set[int]) -> Iterator[Any]:
    track, event = packet.track_descriptor, packet.track_event
    for message, name in ((track, "uuid"), (track, "parent_uuid"), (event, "track_uuid")):
        if getattr(message, name) in spans and getattr(message, name):
            yield partial(_other, message, name, getattr(message, name))
    for ids in (event.flow_ids, event.terminating_flow_ids, event.flow_ids_old, event.terminating_flow_ids_old):
        for place, id_ in enumerate(ids):
            yield partial(_other_of, ids, place, id_)


def _later(message: Any, timestamp: int, unit: int, copy: int, ns: int) -> None:
    message.timestamp = timestamp + ns // unit


def _other(message: Any, name: str, id_: int, copy: int, ns: int) -> None:
    setattr(message, name, (id_ + copy * _IDS) % _MOST)


def _other_of(ids: Any, place: int, id_: int, copy: int, ns: int) -> None:
    ids[place] = (id_ + copy * _IDS) % _MOST


def _framed(packet: Any) -> bytes:
    data: bytes = packet.SerializeToString()
    head, left = bytearray(b"\n"), len(data)
    while left > 0x7F:
        head.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*head, left]) + data


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["grow", seed, target, size]:
            grow(Path(seed), Path(target), int(size))
