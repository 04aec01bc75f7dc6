"""One trace added up: a few thousand rows that stand for all of its events, and can be added to those of others."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import Final

from harness.census.pairs import Half, Pair, Pairing, half
from harness.census.shapes import Shape, Shapes
from harness.trace.event import WireEvent, WireId, decode_args
from harness.trace.halves import HALVES, Disorder
from harness.trace.reader import TraceStream, collector_paused
from harness.trace.threads import process_role

_THREAD_NUMBER: Final = re.compile(r"/\d+$")  # `ThreadPoolForegroundWorker/1234`: each trace would have its own


@dataclass(slots=True)
class Tally:
    """What a trace holds.

    events: (name, cat, ph, process, thread): how many records.
    durations: (name, ph of the beginning, microseconds): how many.
    arguments: (name, path, types at that path in one event, joined by `|`): how many events, ends being part of their
        begins.
    """

    path: Path
    size: int = 0
    records: int = 0
    span_us: float = 0.0
    events: Counter[tuple[str, str, str, str, str]] = field(default_factory=Counter)
    durations: Counter[tuple[str, str, float]] = field(default_factory=Counter)
    arguments: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def tally(path: Path) -> Tally:
    """Count the records of a trace file; `TraceFileError` when it is cut or not a trace.

    In one pass and little memory, as long as begins and ends of a thread or an id stand in the order of time, as Chrome
    writes them. Where they do not, in another pass that holds them all.
    """
    with collector_paused():
        try:
            return _tally(path, in_order=True)
        except Disorder:
            return _tally(path, in_order=False)


def _tally(path: Path, *, in_order: bool) -> Tally:
    made = Tally(path)
    places: Counter[tuple[str, str, str, WireId, WireId]] = Counter()
    found: Counter[tuple[str, Shape]] = Counter()
    shapes, names = Shapes(), _Names()
    pairing, held = Pairing(shapes), list[Half]()
    first, last = float("inf"), float("-inf")

    def count(pair: Pair) -> None:
        found[pair.name, pair.shape] += 1
        if pair.dur is not None:
            made.durations[pair.name, pair.ph, pair.dur] += 1

    for event in chain.from_iterable(TraceStream(path)):
        name, phase = event.name, event.ph
        places[name, event.cat, phase, event.file_pid, event.file_tid] += 1
        if event.ts > 0 and phase != "M":
            first, last = min(first, event.ts), max(last, event.ts)
        shape = shapes.of(event)
        if phase in HALVES:
            if not in_order:
                held.append(half(event, shape))
            elif pair := pairing.add(half(event, shape)):
                count(pair)
            continue
        found[name, shape] += 1
        if phase == "M":
            names.learn(event)
        elif phase == "X" and event.dur is not None and isfinite(event.dur) and event.dur >= 0:
            made.durations[name, "X", event.dur] += 1
            last = max(last, event.ts + event.dur)
    held.sort(key=attrgetter("ts"))
    for pair in chain(filter(None, map(pairing.add, held)), pairing.left()):
        count(pair)
    made.size, made.records = path.stat().st_size, places.total()
    made.span_us = last - first if last > first else 0.0
    for (name, category, phase, pid, tid), number in places.items():
        process, thread = names.processes.get(pid, ""), names.threads.get((pid, tid), "")
        made.events[name, category, phase, process, thread] += number
    for (name, shape), number in found.items():
        for argument, types in shape:
            made.arguments[name, argument, types] += number
    return made


class _Names:
    """What metadata records call processes and threads; a later name replaces an earlier one."""

    def __init__(self) -> None:
        self.processes: dict[WireId, str] = {}
        self.threads: dict[tuple[WireId, WireId], str] = {}

    def learn(self, event: WireEvent) -> None:
        if event.name == "process_name":
            name = str(decode_args(event.raw_args).get("name", ""))
            # A process that was born while tracing is called by its whole command line.
            command = name.startswith("/") or " --" in name
            self.processes[event.file_pid] = process_role(name, ()) if command else name
        elif event.name == "thread_name":
            name = str(decode_args(event.raw_args).get("name", ""))
            self.threads[event.file_pid, event.file_tid] = _THREAD_NUMBER.sub("", name)
