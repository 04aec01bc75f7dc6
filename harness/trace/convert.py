"""From the file's records to events: numbers out of strings, ids in one spelling, names held once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from harness.trace.event import KINDS, Event
from harness.trace.wire import Id2, Number, Record

_HEX = re.compile(r"0[xX][0-9a-fA-F]+")


class Converter:
    """Makes events out of records. `anomalies` counts what it met; `tid_names` names threads whose tid is a word."""

    def __init__(self) -> None:
        self.anomalies: Counter[str] = Counter()
        self.tid_names: dict[tuple[int, int], str] = {}
        self._texts: dict[str, str] = {}
        self._ints: dict[int, int] = {}
        self._words: dict[str, int] = {}

    def events(self, records: Iterable[Record]) -> list[Event]:
        """In file order. A record with no phase is no event: it is left out and counted."""
        return [event for seq, record in enumerate(records) if (event := self._event(seq, record)) is not None]

    def _event(self, seq: int, record: Record) -> Event | None:
        phase = record.ph
        if not phase:
            self.anomalies["records without a phase"] += 1
            return None
        kind = KINDS.get(phase)
        if kind is None:
            self.anomalies["unknown phases"] += 1
            return None
        ts = self._number(record.ts)
        if ts is None:
            ts = 0.0
            if kind != "metadata":
                self.anomalies["events without ts"] += 1
        pid = self._int(record.pid)
        dur = self._number(record.dur) if phase == "X" else None
        if dur is not None and dur < 0:
            self.anomalies["negative durations"] += 1
            dur = 0.0
        name = record.name if type(record.name) is str else str(record.name or "")
        event = Event(
            seq,
            self._text(name),
            self._text(record.cat or ""),
            self._text(phase),
            kind,
            ts,
            dur,
            ts if dur is None else ts + dur,
            self._number(record.tts),
            self._number(record.tdur),
            pid,
            self._tid(pid, record.tid),
            "" if record.id is None and record.id2 is None else scoped_id(record.id, record.id2, record.scope, pid),
            record.args,
        )
        if kind == "instant":
            event.scope = (record.s or "t") if phase != "R" else "t"
        if record.bp:
            event.bp = record.bp
        if record.bind_id is not None and (record.flow_in or record.flow_out):
            event.bind_id = plain_id(record.bind_id)
            event.flow_in, event.flow_out = bool(record.flow_in), bool(record.flow_out)
        return event

    def _text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def _number(self, value: Number) -> float | None:
        if value is None or type(value) is float:
            return value
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        self.anomalies["times that are not numbers"] += 1
        return None

    def _int(self, value: int | float | str | None) -> int:
        if type(value) is not int:
            value = _whole(value) if value is not None else 0
            if value is None:
                self.anomalies["pids that are not numbers"] += 1
                value = 0
        return self._ints.setdefault(value, value)

    def _tid(self, pid: int, value: int | float | str | None) -> int:
        if type(value) is int:
            return self._ints.setdefault(value, value)
        if value is None:
            return 0
        if (number := _whole(value)) is not None:
            return self._ints.setdefault(number, number)
        # A word for a thread, as writers outside Chrome use: below 0 no kernel's thread ids are met.
        number = self._words.setdefault(str(value), -1 - len(self._words))
        self.tid_names[pid, number] = str(value)
        return number


def _whole(value: float | str) -> int | None:
    try:
        return int(value)
    except (ValueError, OverflowError):
        return None


def plain_id(value: int | float | str) -> str:
    """One spelling for one id: `31`, `"0x1F"` and `"0x1f"` are all `0x1f`; other text stays as it is."""
    if isinstance(value, str):
        return f"{int(value, 16):#x}" if _HEX.fullmatch(value) else value
    return f"{int(value):#x}" if value == int(value) else str(value)


def scoped_id(id_: int | float | str | None, id2: Id2 | None, scope: str | None, pid: int) -> str:
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
