"""The events of a file one by one, ends merged into their begins: for whatever adds up and keeps none of them.

The rules are those of the model (`slices.py`, `spans.py`), so each event comes as the model has it, but for its place
in the tree. Only begins that wait for their ends are held, and a number for each thread and async track. The rules hold
in order of time: where the halves of a track are not in it, only the whole model can pair them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from harness.trace.event import Event, WireEvent, decode_args
from harness.trace.halves import HALVES, Disorder, span_track, take_begin
from harness.trace.model import MERGED
from harness.trace.reader import TraceStream
from harness.trace.settle import Settler
from harness.trace.slices import close

_OF_THREADS: Final = frozenset("BE")


class MergedEvents:
    """Iterate it once; `metadata` is whole when that has ended. `Disorder` and `TraceFileError` on the way."""

    def __init__(self, path: Path) -> None:
        self._stream = TraceStream(path)
        self._begun: defaultdict[tuple[Any, ...], list[Event]] = defaultdict(list)
        self._last: dict[int, float] = {}  # by the hash of a track: two that share one are at worst sorted in vain

    @property
    def metadata(self) -> dict[str, Any]:
        return decode_args(self._stream.metadata)

    def __iter__(self) -> Iterator[Event]:
        settler = Settler()
        for chunk in self._stream:
            yield from filter(None, map(self._whole, _settled(settler, chunk)))
        for begun in self._begun.values():
            yield from begun

    def _whole(self, event: Event) -> Event | None:
        """The event, or the one that it ends; None for a begin, and for an end that nothing began."""
        if event.ph not in HALVES:
            return event
        if event.ph in _OF_THREADS:
            track: tuple[Any, ...] = event.thread
        else:
            track = span_track(event.cat, event.id, event.name, event.ph)
        key = hash(track)
        if event.ts < self._last.get(key, event.ts):
            raise Disorder
        self._last[key] = event.ts
        begun = self._begun[track]
        if event.ph not in MERGED:
            begun.append(event)
            return None
        if (begin := take_begin(begun, event)) is not None:
            close(begin, event)
        if not begun:  # ids are many, and few are used again
            del self._begun[track]
        return begin


def _settled(settler: Settler, chunk: Iterable[WireEvent]) -> list[Event]:
    events = settler.settle(chunk)
    for lane in settler.lanes.values():
        lane.track.clear()
    for kept in (settler.spanning, settler.flowing, settler.names, settler.loose, settler.unended):
        kept.clear()
    return events
