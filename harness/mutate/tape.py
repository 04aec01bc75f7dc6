"""A recording as a list of lines that can be changed one by one and written again as a trace.

A line is one event with its end merged into it, so that shifting a span shifts both of its ends. Lines are never
changed in place: a mutant shares all but the changed ones with the recording that it is made of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, Final

import msgspec

from harness.expect import Recording
from harness.trace import Event, Trace, WireEvent, from_records, in_the_file
from harness.trace.context import RecordingContext

_ENDS: Final = {"B": "E", "b": "e", "S": "F"}
_AFTER: Final = 1e-3  # of the distance between two lines of the file


@dataclass(frozen=True)
class Line:
    """One event. `place` is its place in the file and `end_place` that of its end; times in us."""

    place: float
    name: str
    cat: str
    ph: str
    ts: float
    dur: float | None
    pid: int
    tid: int
    args: msgspec.Raw | dict[str, Any]
    tts: float | None = None
    tdur: float | None = None
    id: str = ""
    scope: str = ""
    bp: str = ""
    bind_id: str = ""
    flow_in: bool = False
    flow_out: bool = False
    end_place: float = -1.0
    written: int | None = None

    @property
    def end(self) -> float:
        return self.ts + (self.dur or 0.0)

    def arguments(self) -> dict[str, Any]:
        """The arguments as a dict of its own, free to be changed."""
        value = msgspec.json.decode(msgspec.json.encode(self.args))
        return value if isinstance(value, dict) else {}

    @cached_property
    def placed(self) -> list[tuple[float, WireEvent]]:
        """Its records as a trace is made of them: of a mutant only those of the changed lines are made anew."""
        records = self.records()
        return list(zip([place for place, _ in records], in_the_file([one for _, one in records]), strict=True))

    def records(self) -> list[tuple[float, dict[str, Any]]]:
        """The one or two records of the file with their places."""
        base: dict[str, Any] = {"name": self.name, "cat": self.cat, "pid": self.pid, "tid": self.tid}
        for key, value in (("id", self.id), ("bp", self.bp), ("bind_id", self.bind_id), ("s", self.scope)):
            if value:
                base[key] = value
        begin = {**base, "ph": self.ph, "ts": self.ts, "args": self.args}
        if self.tts is not None:
            begin["tts"] = self.tts
        if self.written is not None:
            begin["traceproof_written"] = self.written
        if self.flow_in or self.flow_out:
            begin |= {"flow_in": self.flow_in, "flow_out": self.flow_out}
        closing = _ENDS.get(self.ph)
        if closing is None or self.dur is None:
            begin |= {key: value for key, value in (("dur", self.dur), ("tdur", self.tdur)) if value is not None}
            return [(self.place, begin)]
        end = {**base, "ph": closing, "ts": self.end}
        if self.tts is not None and self.tdur is not None:
            end["tts"] = self.tts + self.tdur
        return [(self.place, begin), (max(self.end_place, self.place + _AFTER), end)]


@dataclass(frozen=True, slots=True)
class Tape:
    """The lines of one recording and what is known of its making."""

    lines: tuple[Line, ...]
    context: RecordingContext

    def change(self, changes: dict[int, Line | None], added: Iterable[Line] = ()) -> Tape:
        """The tape with some lines replaced (None: left out) and others added."""
        kept = (changes.get(index, line) for index, line in enumerate(self.lines))
        return replace(self, lines=(*(line for line in kept if line is not None), *added))

    def written(self) -> tuple[list[dict[str, Any]], list[int]]:
        """The records in the order of the file, and for each the index of its line."""
        placed = [(place, index, record) for index, line in enumerate(self.lines) for place, record in line.records()]
        placed.sort(key=lambda entry: entry[:2])
        return [record for _, _, record in placed], [index for _, index, _ in placed]

    def recording(self) -> Recording:
        placed = sorted(chain.from_iterable(line.placed for line in self.lines), key=itemgetter(0))
        return Recording(from_records([record for _, record in placed]), self.context)


def read(trace: Trace, context: RecordingContext) -> Tape:
    """The tape of a loaded trace."""
    return Tape(tuple(_line(event) for event in trace.events), context)


def _line(event: Event) -> Line:
    return Line(
        place=float(event.seq),
        name=event.name,
        cat=event.cat,
        ph=event.ph,
        ts=event.ts,
        dur=event.dur,
        pid=event.pid,
        tid=event.tid,
        args=event.raw_args,
        tts=event.tts,
        tdur=event.tdur,
        # A text that is no bare number is kept as it is, so the reach that the id carries needs no taking apart.
        id=event.id,
        scope=event.scope if event.kind == "instant" and event.ph != "R" else "",
        bp=event.bp,
        bind_id=event.bind_id,
        flow_in=event.flow_in,
        flow_out=event.flow_out,
        end_place=float(event.end_seq),
        written=event.written,
    )


def reduced(tape: Tape, trace: Trace, wanted: Collection[int], *, children: bool) -> Tape:
    """Only what is needed to see the `wanted` events (by seq) as they are: the slices around them, the names of threads
    and processes, the first and the last event of the whole. `children`: also the slices in them, for self time."""
    kept = set(wanted)
    for event in trace.events:
        if event.kind == "metadata":
            kept.add(event.seq)
        elif event.seq in wanted or (children and event.parent is not None and event.parent.seq in wanted):
            kept.add(event.seq)
            kept.update(above.seq for above in event.ancestors())
    timed = [event for event in trace.events if event.kind != "metadata" and event.ts]
    if timed:
        kept.add(min(timed, key=lambda event: event.ts).seq)
        kept.add(max(timed, key=lambda event: event.end).seq)
    return replace(tape, lines=tuple(line for line in tape.lines if int(line.place) in kept))
