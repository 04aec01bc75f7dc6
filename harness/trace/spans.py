"""Async spans: b with e by category and id, S with F of old by name as well; n, T and p are points of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from harness.trace.event import Event
from harness.trace.halves import span_track, take_begin
from harness.trace.slices import close

_BEGINS, _ENDS = frozenset("bS"), frozenset("eF")


def pair_async(events: Iterable[Event], anomalies: Counter[str]) -> list[Event]:
    """Merge each end into the nearest open begin of its track; events come and go in order of time.

    A track is that of `span_track` (`Event.id` tells scope and process). On it spans nest.
    """
    kept: list[Event] = []
    begun: defaultdict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for event in events:
        track = begun[span_track(event.cat, event.id, event.name, event.ph)]
        if event.ph not in _ENDS:
            kept.append(event)
            if event.ph in _BEGINS:
                track.append(event)
            continue
        if (begin := take_begin(track, event)) is None:
            anomalies["unmatched async ends"] += 1
        else:
            close(begin, event)
    return kept
