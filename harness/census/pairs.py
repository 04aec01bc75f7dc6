"""Begins and their ends while a trace is read: what waits for its end is held, and nothing else.

The rule is the model's (`trace/halves.py`), on a thread, or of a category and id. It holds in order of time, which a
file need not keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from harness.census.shapes import Shape, Shapes
from harness.trace.event import WireEvent
from harness.trace.halves import Disorder, span_track, take_begin
from harness.trace.settle import scoped_id

_ENDS: Final = frozenset("EeF")


@dataclass(slots=True)
class Half:
    """A begin or an end. track: what pairs belong to."""

    name: str
    ph: str
    ts: float
    pid: object
    track: tuple[Any, ...]
    shape: Shape


@dataclass(slots=True)
class Pair:
    """A slice or span, with the arguments of both halves; dur in microseconds, None where it never ended."""

    name: str
    ph: str
    dur: float | None
    shape: Shape


@dataclass(slots=True)
class _Track:
    last: float
    begun: list[Half] = field(default_factory=list)


def half(event: WireEvent, shape: Shape) -> Half:
    """What is kept of an event whose phase is one of `HALVES`."""
    pid = event.file_pid
    if event.ph in "BE":
        track: tuple[Any, ...] = pid, event.file_tid
    else:
        id_ = scoped_id(event.file_id, event.file_id2, event.file_scope, pid)  # type: ignore[arg-type]
        track = span_track(event.cat, id_, event.name, event.ph)
    return Half(event.name, event.ph, event.ts if isfinite(event.ts) else 0.0, pid, track, shape)


class Pairing:
    """`add` each half in order of the file, then ask for those that are `left`."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._tracks: dict[tuple[Any, ...], _Track] = {}

    def add(self, one: Half) -> Pair | None:
        """The pair that an end completes; None for a begin, and for an end that nothing began."""
        track = self._tracks.get(one.track)
        if track is None:
            track = self._tracks[one.track] = _Track(one.ts)
        if one.ts < track.last:
            raise Disorder
        track.last = one.ts
        if one.ph not in _ENDS:
            track.begun.append(one)
            return None
        if (begin := take_begin(track.begun, one)) is None:
            return None
        if not track.begun and one.ph != "E":  # ids are many, and few are used again
            del self._tracks[one.track]
        return Pair(begin.name, begin.ph, one.ts - begin.ts, self._shapes.merged(begin.shape, one.shape))

    def left(self) -> Iterator[Pair]:
        """What never ended."""
        for track in self._tracks.values():
            for begin in track.begun:
                yield Pair(begin.name, begin.ph, None, begin.shape)
