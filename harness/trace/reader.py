"""From a file to typed events: JSON or Perfetto's protobuf, in bounded memory; plain, gzip or zstd, known by content.

Nothing is repaired. The one liberty that the format itself takes is the closing bracket of a bare array, which a writer
may leave out; that is accepted and counted.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec

from harness.trace.chunks import JsonChunks
from harness.trace.event import NOTHING, WireEvent
from harness.trace.packed import blocks
from harness.trace.proto import PacketError, ProtoChunks, is_proto
from harness.trace.refusal import no_room, refusal, too_deep


@dataclass(slots=True)
class RawTrace:
    """What the file holds, undigested. `anomalies` are the things that were seen and left as they are."""

    events: list[WireEvent]
    metadata: msgspec.Raw
    anomalies: dict[str, int] = field(default_factory=dict)


class TraceStream:
    """The events of a trace file as its writer wrote them, some thousands at a time.

    Iterate it once: `for events in TraceStream(path)`. `metadata` and `anomalies` are whole when that has ended.
    Events are undigested: `Settler.settle` gives them their kinds, threads and ids. Whoever keeps one keeps the bytes
    of its chunk (64 KB or more), which its arguments are a view of, until `raw_args` is copied.
    `TraceFileError`, at once or on the way, when the file is no trace or is not whole.
    """

    def __init__(self, path: Path, reads: Callable[[str], bool] = lambda name: True) -> None:
        """`reads`: of which events, by name, the arguments will be looked at; of others they may be left out."""
        self.metadata = NOTHING
        self.anomalies: dict[str, int] = {}
        self._path, self._reads = path, reads

    def __iter__(self) -> Iterator[list[WireEvent]]:
        pieces = blocks(self._path)
        head = next(pieces, b"")
        if is_proto(head[:4096]):
            yield from self._packets()
            return
        document = JsonChunks(self._path, chain([head], pieces))
        yield from document
        self.metadata, self.anomalies = document.metadata, document.anomalies

    def _packets(self) -> Iterator[list[WireEvent]]:
        document = ProtoChunks(partial(blocks, self._path), self._reads)
        try:
            yield from document
        except PacketError as error:
            raise refusal(self._path, error.message, found=str(error)) from None
        except OSError as error:
            raise no_room(self._path, error) from None
        except RecursionError:  # of JSON text in an argument
            raise too_deep(self._path) from None
        self.metadata, self.anomalies = document.metadata, document.anomalies


def read(path: Path) -> RawTrace:
    """All of a trace file; `TraceFileError` when it is none, or is not whole."""
    stream = TraceStream(path)
    with collector_paused():
        events = [event for chunk in stream for event in chunk]
    return RawTrace(events, stream.metadata, stream.anomalies)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Hundreds of thousands of new objects without a cycle among them: looking for cycles would only cost time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
