"""Flows: arrows from one slice to another, written as s/t/f records or as `bind_id` on the slices themselves."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.trace.event import Event


@dataclass(frozen=True, slots=True)
class Flow:
    """One arrow. `source` and `target` are the records that speak of it: s, t and f records, or the slices with the
    `bind_id`; the slices are those that enclose them (None outside any slice)."""

    name: str
    cat: str
    id: str
    source: Event
    target: Event
    source_slice: Event | None
    target_slice: Event | None


def link(
    events: Iterable[Event], tracks: Mapping[tuple[int, int], Sequence[Event]], anomalies: Counter[str]
) -> list[Flow]:
    """All flows, in the order of their targets. `events` in order of time, with their parents; `tracks` likewise."""
    flows: list[Flow] = []
    last: dict[tuple[str, str, str], Event] = {}
    bound: dict[str, Event] = {}
    for event in events:
        if event.kind == "flow":
            key = event.cat, event.name, event.id
            source = None if event.ph == "s" else last.pop(key, None)
            if source is not None:
                target_slice = _target_slice(event, tracks)
                flows.append(Flow(event.name, event.cat, event.id, source, event, source.parent, target_slice))
            elif event.ph != "s":
                anomalies["flows without a start"] += 1
            if event.ph != "f":
                last[key] = event
        elif event.bind_id:
            source = bound.get(event.bind_id)
            if event.flow_in and source is not None:
                flows.append(
                    Flow(source.name, source.cat, event.bind_id, source, event, _itself(source), _itself(event))
                )
            if event.flow_out:
                bound[event.bind_id] = event
    anomalies["flows without an end"] += sum(event.ph == "s" for event in last.values())
    return flows


def _itself(event: Event) -> Event | None:
    return event if event.kind == "slice" else event.parent


def _target_slice(record: Event, tracks: Mapping[tuple[int, int], Sequence[Event]]) -> Event | None:
    """The enclosing slice; an f without `bp: e` points at the next slice that begins on its thread."""
    if record.ph != "f" or record.bp == "e":
        return record.parent
    track = tracks.get(record.thread, ())
    after = bisect_left(track, record.ts, key=lambda event: event.ts)
    return next((event for event in track[after:] if event.kind == "slice"), None)
