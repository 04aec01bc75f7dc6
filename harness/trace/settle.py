"""From events as the file has them to events that can be compared: kinds, whole threads, one spelling of ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import isfinite

from harness.trace.event import KINDS, Event, Id2, WireId

_HEX = re.compile(r"0[xX][0-9a-fA-F]+")


class Settler:
    """`anomalies` counts what it met; `tid_names` names threads whose tid is a word."""

    def __init__(self) -> None:
        self.anomalies: Counter[str] = Counter()
        self.tid_names: dict[tuple[int, int], str] = {}
        self._threads: dict[tuple[WireId, WireId], tuple[int, int]] = {}
        self._words: dict[str, int] = {}

    def settle(self, events: Iterable[Event]) -> list[Event]:
        """The events in file order. What has no phase that is known is no event: it is left out and counted."""
        settled: list[Event] = []
        texts: dict[str, str] = {}  # a trace has few names and many events: each is held once
        threads = self._threads
        for seq, event in enumerate(events):
            if (kind := KINDS.get(event.ph)) is None:
                self.anomalies["unknown phases" if event.ph else "records without a phase"] += 1
                continue
            event.seq, event.kind = seq, kind
            event.name = texts.setdefault(event.name, event.name)
            event.cat = texts.setdefault(event.cat, event.cat)
            event.ph = texts.setdefault(event.ph, event.ph)
            place = event.file_pid, event.file_tid
            event.thread = threads.get(place) or self._thread(*place)
            event.file_pid, event.file_tid = event.thread
            dur = event.dur
            event.end = event.ts if dur is None else event.ts + dur
            if not isfinite(event.end) or (dur is not None and (dur < 0 or event.ph != "X")):
                self._mend_times(event)
            if event.file_id is not None or event.file_id2 is not None:
                event.id = scoped_id(event.file_id, event.file_id2, event.file_scope, event.thread[0])
            if kind == "instant" and (not event.scope or event.ph == "R"):
                event.scope = "t"
            if event.file_bind_id is not None and (event.flow_in or event.flow_out):
                event.bind_id = plain_id(event.file_bind_id)
            settled.append(event)
        return settled

    def _mend_times(self, event: Event) -> None:
        """Times that no comparison could bear. Only X has a duration of its own."""
        if not isfinite(event.ts):
            event.ts = 0.0
            if event.kind != "metadata":
                self.anomalies["events without ts"] += 1
        if event.ph != "X" or event.dur is None or not isfinite(event.dur):
            event.dur = None
        elif event.dur < 0:
            self.anomalies["negative durations"] += 1
            event.dur = 0.0
        event.end = event.ts + (event.dur or 0.0)

    def _thread(self, pid: WireId, tid: WireId) -> tuple[int, int]:
        process = _whole(pid)
        if process is None:
            self.anomalies["pids that are not numbers"] += 1
            process = 0
        number = _whole(tid)
        if number is None:
            # A word for a thread, as writers outside Chrome use: below 0 no kernel's thread ids are met.
            number = self._words.setdefault(str(tid), -1 - len(self._words))
            self.tid_names[process, number] = str(tid)
        return self._threads.setdefault((pid, tid), (process, number))


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
    suffix = ""
    if id2 is not None and id2.global_ is not None:
        text = plain_id(id2.global_)
    elif id2 is not None and id2.local is not None:
        text, suffix = plain_id(id2.local), f"@{pid}"
    elif id_ is not None:
        text = plain_id(id_)
    else:
        return ""
    return f"{scope}:{text}{suffix}" if scope else text + suffix
