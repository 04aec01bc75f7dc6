"""From records as the file has them to events that can be compared: kinds, whole threads, one spelling of ids.

On the way each event is laid where the model looks for it, so that every one of them is passed over once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, isfinite
from typing import Final

from harness.trace.event import BEGINS, KINDS, NOTHING, Event, Id2, WireEvent, WireId

_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_PHASES: Final = {ph: (ph, kind) for ph, kind in KINDS.items()}
_BEYOND_THREADS: Final = ("p", "g")  # scopes


@dataclass(slots=True, eq=False)
class Lane:
    """A thread with what lies on it, in file order.

    paired: some of it are ends that have to find their begins. first, last: the first start and the last end of its
    events, those without a time (0) left aside.
    """

    thread: tuple[int, int]
    track: list[Event] = field(default_factory=list)
    paired: bool = False
    silent: bool = True  # only metadata so far
    latest: float = -inf
    first: float = inf
    last: float = 0.0


class Settler:
    """Takes a file's records a chunk at a time. All lists are in file order.

    anomalies: what it met, with how often. tid_names: threads whose tid is a word.
    lanes: by (pid, tid), in the order of their first events; those of metadata alone are not among them.
    spanning: async events. flowing: flow records, and others with a `bind_id`. names: metadata.
    loose: other events that belong to no thread. unended: those that began and have no duration of their own.
    """

    def __init__(self) -> None:
        self.anomalies: Counter[str] = Counter()
        self.tid_names: dict[tuple[int, int], str] = {}
        self.lanes: dict[tuple[int, int], Lane] = {}
        self.spanning: list[Event] = []
        self.flowing: list[Event] = []
        self.names: list[Event] = []
        self.loose: list[Event] = []
        self.unended: list[Event] = []
        self._places: dict[tuple[WireId, WireId], Lane] = {}
        self._threads: dict[tuple[int, int], Lane] = {}
        self._words: dict[str, int] = {}
        self._texts: dict[str, str] = {}  # a trace has few names and many events: each is held once
        self._seen = 0

    def settle(self, records: Iterable[WireEvent]) -> list[Event]:
        """Events out of the records that follow on those of before, in file order.

        What has no phase that is known is no event: it is left out and counted.
        """
        settled: list[Event] = []
        known, places, text = _PHASES.get, self._places, self._texts.setdefault
        spanning, unended = self.spanning.append, self.unended.append
        seq = self._seen - 1
        for seq, record in enumerate(records, self._seen):
            if (phase := known(record.ph)) is None:
                self.anomalies["unknown phases" if record.ph else "records without a phase"] += 1
                continue
            ph, kind = phase
            lane = places.get((record.file_pid, record.file_tid)) or self._lane(record)
            name, cat, ts, dur, scope = record.name, record.cat, record.ts, record.dur, record.scope
            end = ts if dur is None else ts + dur
            if not -inf < end < inf or (dur is not None and (dur < 0 or ph != "X")):
                ts, dur = self._mended(kind, ph, ts, dur)
                end = ts + (dur or 0.0)
            if scope:
                scope = text(scope, scope)
            if kind == "instant" and (not scope or ph == "R"):
                scope = "t"
            raw_args, id_, id2, bind_id = record.raw_args, record.file_id, record.file_id2, ""
            if record.file_bind_id is not None and (record.flow_in or record.flow_out):
                bind_id = plain_id(record.file_bind_id)
            event = Event(
                seq,
                kind,
                lane.thread,
                text(name, name),
                text(cat, cat),
                ph,
                ts,
                dur,
                end,
                NOTHING if raw_args == NOTHING else raw_args.copy(),  # less than the whole piece that it is a view of
                scope,
                record.tts,
                record.tdur,
                "" if id_ is None and id2 is None else scoped_id(id_, id2, record.file_scope, lane.thread[0]),
                bind_id,
                record.bp,
                record.flow_in,
                record.flow_out,
            )
            settled.append(event)
            if record.written is not None:
                event.written = record.written
            if dur is None and ph in BEGINS:
                unended(event)
            if kind == "metadata":
                self.names.append(event)
                continue
            if lane.silent:
                lane.silent = False
                self.lanes[lane.thread] = lane
            if end > lane.last:
                lane.last = end
            if ts < lane.first and ts:
                lane.first = ts
            if kind == "flow" or bind_id:
                self.flowing.append(event)
            if kind == "async":
                spanning(event)
                continue
            if kind == "counter" or (scope and scope in _BEYOND_THREADS):
                self.loose.append(event)
                continue
            lane.track.append(event)
            if kind == "slice":
                if ph == "E":
                    lane.paired = True
            elif kind != "instant" or ph == "R":
                continue  # marks are dated back by design, and flows stand behind everything else
            if ts < lane.latest:
                self.anomalies["events out of order"] += 1
            lane.latest = ts
        self._seen = seq + 1
        return settled

    def extent(self) -> tuple[float, dict[int, float]]:
        """The first start, and each process's last end. Events without a time have no part in it."""
        last: dict[int, float] = {}
        for lane in self.lanes.values():
            if lane.last:
                last[lane.thread[0]] = max(last.get(lane.thread[0], 0.0), lane.last)
        first = min((lane.first for lane in self.lanes.values()), default=inf)
        return first if last and isfinite(first) else 0.0, last

    def _mended(self, kind: str, ph: str, ts: float, dur: float | None) -> tuple[float, float | None]:
        """Times that a comparison can bear. Only X has a duration of its own."""
        if not isfinite(ts):
            ts = 0.0
            if kind != "metadata":
                self.anomalies["events without ts"] += 1
        if ph != "X" or dur is None or not isfinite(dur):
            return ts, None
        if dur < 0:
            self.anomalies["negative durations"] += 1
            return ts, 0.0
        return ts, dur

    def _lane(self, record: WireEvent) -> Lane:
        pid, tid = record.file_pid, record.file_tid
        process = _whole(pid)
        if process is None:
            self.anomalies["pids that are not numbers"] += 1
            process = 0
        number = _whole(tid)
        if number is None:
            # A word for a thread, as writers outside Chrome use: below 0 no kernel's thread ids are met.
            number = self._words.setdefault(str(tid), -1 - len(self._words))
            self.tid_names[process, number] = str(tid)
        thread = process, number
        lane = self._threads.setdefault(thread, Lane(thread))
        return self._places.setdefault((pid, tid), lane)


def _whole(value: WireId) -> int | None:
    try:
        number = int(value or 0)
        return number if -(2**63) <= number < 2**63 else None
    except (ValueError, OverflowError):
        return None


def plain_id(value: int | float | str) -> str:
    """One spelling for one id: `31`, `"0x1F"` and `"0x1f"` are all `0x1f`; other text stays as it is."""
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, str):
        return hex(int(value, 16)) if _HEX.fullmatch(value) else value
    return hex(int(value)) if value.is_integer() else str(value)


def scoped_id(id_: WireId, id2: Id2 | None, scope: str, pid: int) -> str:
    """The id with its reach: `scope:` before it, `@pid` after one that counts only in its own process."""
    if type(id_) is int and id2 is None and not scope:
        return hex(id_)  # of a flow: there are too many of them to remember any
    if id2 is not None and id2.global_ is not None:
        return _spelled(id2.global_, scope)
    if id2 is not None and id2.local is not None:
        return _spelled(id2.local, scope, pid)
    return "" if id_ is None else _spelled(id_, scope)


@lru_cache(maxsize=4096)  # a span's begin, steps and end are seldom far apart
def _spelled(value: int | float | str, scope: str, pid: int | None = None) -> str:
    text = plain_id(value) if pid is None else f"{plain_id(value)}@{pid}"
    return f"{scope}:{text}" if scope else text
