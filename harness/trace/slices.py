"""Slices of one thread: B with its E, and who holds whom.

How Chrome writes them. Current versions pair begins with ends before they export, innermost first whatever the name:
slices are X, a lone B is one that was still running, and nothing overlaps (0 of 230,000 in a recording of 156). Where
Blink's own pairs interleave, the times nest and the arguments of the ends change places: with the category `blink`,
ParseHTML carries PumpTokenizer's `parsed_tokens` and PumpTokenizer carries ParseHTML's `endData`, and so Layout and
LocalFrameView::layout; nothing in the file tells, so nothing is counted. Versions to about 90 write B and E as they
came; V8.RunMicrotasks and RunMicrotasks of 74 interleave. Ends are therefore matched by name, and where two slices
overlap without one holding the other, the later one is held by the innermost that does hold it, and it is counted.

An X has a start and a length, each cut to whole microseconds by itself: a slice that ends with the one around it may
seem to end one microsecond after it (1 in 328 recordings of 153 had such a pair). It began before the other's end,
cut or not, so it lies in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from harness.trace.event import NOTHING, Event, merge_args
from harness.trace.halves import take_begin

OVERLAPS = "overlapping slices"
TOO_DEEP = "slices nested too deep"
# C frees a chain of parents by recursion: one of 50,000 (begins that all lost their ends) would crash it.
DEEPEST = 5000


def pair(track: Sequence[Event], anomalies: Counter[str]) -> list[Event]:
    """Merge each E of a thread into its begin; events come and go in order of time."""
    for begin, end in pairs(track, anomalies):
        close(begin, end)
    return [event for event in track if event.ph != "E"]


def pairs(track: Iterable[Event], anomalies: Counter[str]) -> Iterator[tuple[Event, Event]]:
    """Each E of a thread after the nearest open B of its name. Events come in order of time.

    An E without a name ends the innermost B. Ends that nothing began are counted.
    """
    begun: list[Event] = []
    for event in track:
        if event.ph == "B":
            begun.append(event)
        elif event.ph == "E":
            if (begin := take_begin(begun, event)) is None:
                anomalies["unmatched ends"] += 1
            else:
                yield begin, event


def close(begin: Event, end: Event) -> None:
    """Merge an end into its begin."""
    begin.dur = max(end.ts - begin.ts, 0.0)
    begin.end = begin.ts + begin.dur
    begin.end_seq = end.seq
    if begin.tts is not None and end.tts is not None:
        begin.tdur = end.tts - begin.tts
    if end.raw_args is not begin.raw_args and end.raw_args is not NOTHING:
        begin.raw_args = merge_args(begin.raw_args, end.raw_args)


def nest(track: Iterable[Event], anomalies: Counter[str]) -> None:
    """Give every event of a thread, in order of time, its parent and depth."""
    for _ in nested(track, anomalies):
        pass


def nested(track: Iterable[Event], anomalies: Counter[str]) -> Iterator[Event]:
    """The events of a thread as they come, in order of time, each as soon as it has its parent and depth.

    A slice holds what starts and ends within it, both edges included; of two with the same edges the one that comes
    first in the file holds the other. So a point at the very end of a slice is inside it, unless the file shows
    the slice's E before the point. A parent always holds its children, but for the microsecond that cutting takes from
    it. What lies deeper than `DEEPEST` hangs on the last slice above it, and is counted.
    """
    running: list[Event] = []
    for event in track:
        start, holder = event.ts, None
        while running:
            holder = running[-1]
            if holder.end > start or not (holder.end < start or _over(holder, event)):
                break
            running.pop()
            holder = None
        if holder is not None and event.end > holder.end and event.kind == "slice" and not _cut(running, event):
            anomalies[OVERLAPS] += 1
            holder = next((slice_ for slice_ in reversed(running) if slice_.end >= event.end), None)
        if holder is not None:
            event.parent, event.depth = holder, holder.depth + 1
        if event.kind == "slice":
            if len(running) < DEEPEST:
                running.append(event)
            else:
                anomalies[TOO_DEEP] += 1
        yield event


def _over(slice_: Event, event: Event) -> bool:
    """Whether a slice that ends at the moment in which the event begins was really over then."""
    return event.end > event.ts or -1 < slice_.end_seq < event.seq


def _cut(running: Sequence[Event], event: Event) -> bool:
    """Whether an event that begins within slices ends after some for no other reason than that all were cut.

    One microsecond is all that cutting takes, however many slices lie in one another.
    """
    if event.ph != "X" or event.end - running[-1].end != 1 or event.ts % 1 or event.end % 1:
        return False
    ended = (slice_ for slice_ in running if event.ts <= slice_.end < event.end)
    return all(slice_.ph == "X" and event.end - slice_.end == 1 for slice_ in ended)


def covered_by_children(track: Iterable[Event]) -> dict[int, float]:
    """For each slice (by seq): the time that its direct children cover, counted once where they overlap."""
    covered: dict[int, float] = {}
    reached: dict[int, float] = {}
    for event in track:
        if event.kind == "slice" and event.parent is not None:
            key = event.parent.seq
            start = max(event.ts, reached.get(key, event.ts))
            end = min(event.end, event.parent.end)
            covered[key] = covered.get(key, 0.0) + max(end - start, 0.0)
            reached[key] = max(end, reached.get(key, end))
    return covered
