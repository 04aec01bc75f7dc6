"""Async spans: b with e by category and id, S with F of old by name as well; n, T and p are points of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from harness.trace.event import Event
from harness.trace.slices import close

_BEGINS, _ENDS = frozenset("bS"), frozenset("eF")


def pair_async(events: Iterable[Event], anomalies: Counter[str]) -> list[Event]:
    """Merge each end into the nearest open begin of its track; events come and go in order of time.

    A track is one category and id (`Event.id` tells scope and process). On it spans nest, so an end takes the innermost
    begin of its name; of several, one from its own process, because ids repeat across processes.
    """
    kept: list[Event] = []
    begun: defaultdict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for event in events:
        track = begun[event.cat, event.id, event.name if event.ph in "STpF" else ""]
        if event.ph not in _ENDS:
            kept.append(event)
            if event.ph in _BEGINS:
                track.append(event)
            continue
        matching = [begin for begin in reversed(track) if event.name in ("", begin.name)]
        if not matching:
            anomalies["unmatched async ends"] += 1
            continue
        begin = next((begin for begin in matching if begin.pid == event.pid), matching[0])
        track.remove(begin)
        close(begin, event)
    return kept
