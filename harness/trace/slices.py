"""Slices of one thread: B with its E, and who holds whom.

How Chrome writes them. Current versions pair begins with ends before they export, innermost first whatever the name:
slices are X, a lone B is one that was still running, and nothing overlaps (0 of 230,000 in a recording of 156). Where
Blink's own pairs interleave, the times nest and the arguments of the ends change places: with the category `blink`,
ParseHTML carries PumpTokenizer's `parsed_tokens` and PumpTokenizer carries ParseHTML's `endData`, and so Layout and
LocalFrameView::layout; nothing in the file tells, so nothing is counted. Versions to about 90 write B and E as they
came; V8.RunMicrotasks and RunMicrotasks of 74 interleave. Ends are therefore matched by name, and where two slices
overlap without one holding the other, the later one is held by the innermost that does hold it, and it is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from harness.trace.event import Event, merge_args

OVERLAPS = "overlapping slices"
TOO_DEEP = "slices nested too deep"
DEEPEST = (
    5000  # C frees a chain of parents by recursion: one of 50,000 (begins that all lost their ends) would crash it
)


def pair(track: Iterable[Event], anomalies: Counter[str]) -> list[Event]:
    """Merge each E of a thread into the nearest open B of its name; events come and go in order of time.

    An E without a name ends the innermost B. Ends that nothing began are counted and left out.
    """
    kept: list[Event] = []
    begun: list[Event] = []
    for event in track:
        if event.ph != "E":
            kept.append(event)
            if event.ph == "B":
                begun.append(event)
            continue
        place = next((i for i in range(len(begun) - 1, -1, -1) if event.name in ("", begun[i].name)), None)
        if place is None:
            anomalies["unmatched ends"] += 1
        else:
            close(begun.pop(place), event)
    return kept


def close(begin: Event, end: Event) -> None:
    """Merge an end into its begin."""
    begin.dur = max(end.ts - begin.ts, 0.0)
    begin.end = begin.ts + begin.dur
    begin.end_seq = end.seq
    if begin.tts is not None and end.tts is not None:
        begin.tdur = end.tts - begin.tts
    if end.raw_args is not begin.raw_args:
        begin.raw_args = merge_args(begin.raw_args, end.raw_args)


def nest(track: Sequence[Event], anomalies: Counter[str]) -> None:
    """Give every event of a thread, in order of time, its parent and depth.

    A slice holds what starts and ends within it, both edges included; of two with the same edges the one that comes
    first in the file holds the other. So a point at the very end of a slice is inside it, unless the file shows
    the slice's E before the point. A parent always holds its children. What lies deeper than `DEEPEST` hangs on the
    last slice above it, and is counted.
    """
    running: list[Event] = []
    for event in track:
        while running and running[-1].end <= event.ts and _over(running[-1], event):
            running.pop()
        holder = running[-1] if running else None
        if holder is not None and event.end > holder.end and event.kind == "slice":
            anomalies[OVERLAPS] += 1
            holder = next((slice_ for slice_ in reversed(running) if slice_.end >= event.end), None)
        if holder is not None:
            event.parent, event.depth = holder, holder.depth + 1
        if event.kind == "slice":
            if len(running) < DEEPEST:
                running.append(event)
            else:
                anomalies[TOO_DEEP] += 1


def _over(slice_: Event, event: Event) -> bool:
    """Whether a slice that ends no later than the event begins was really over then."""
    return slice_.end < event.ts or event.end > event.ts or -1 < slice_.end_seq < event.seq


def holds(outer: Event, inner: Event) -> bool:
    """Whether one event's time holds the other's on the same thread; the rule of `nest` for any two events."""
    if outer.thread != inner.thread or outer is inner:
        return False
    if (outer.ts, outer.end) == (inner.ts, inner.end):
        return outer.seq < inner.seq
    return outer.ts <= inner.ts and inner.end <= outer.end


def covered_by_children(track: Iterable[Event]) -> dict[int, float]:
    """For each slice (by seq): the time that its direct children cover, counted once where they overlap."""
    covered: dict[int, float] = {}
    reached: dict[int, float] = {}
    for event in track:
        if event.kind == "slice" and event.parent is not None:
            key = event.parent.seq
            start = max(event.ts, reached.get(key, event.ts))
            covered[key] = covered.get(key, 0.0) + max(event.end - start, 0.0)
            reached[key] = max(event.end, reached.get(key, event.end))
    return covered
