"""One event: as its writer wrote it (`WireEvent`), and as consumers of a trace look at it (`Event`).

Format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec

Kind = Literal["slice", "instant", "async", "flow", "counter", "metadata", "object", "sample"]
WireId = int | float | str | None  # Chrome writes 31, "0x1f" and, in old versions, numbers beyond 64 bits

NOTHING: Final = msgspec.Raw(b"{}")
FLEETING: Final[dict[str, Any]] = {}  # `decoded` of an event whose arguments are decoded again at each look

# By the letter of the phase. E, e and F are merged into their begins; S, T, p and F are the async phases of old.
KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys("XBE", "slice"),
    **dict.fromkeys("IiR", "instant"),
    **dict.fromkeys("bneSTpF", "async"),
    **dict.fromkeys("stf", "flow"),
    **dict.fromkeys("Mc()=", "metadata"),
    **dict.fromkeys("NODvV", "object"),
    "C": "counter",
    "P": "sample",
}

BEGINS: Final = frozenset("BXbS")  # phases of what has an end

_IN_FILE: Final = {
    "raw_args": "args",
    "scope": "s",
    "file_pid": "pid",
    "file_tid": "tid",
    "file_id": "id",
    "file_id2": "id2",
    "file_scope": "scope",
    "file_bind_id": "bind_id",
    "written": "traceproof_written",
}


class Id2(msgspec.Struct, gc=False):
    """An id that says how far it reaches: one process, or the whole trace."""

    local: WireId = None
    global_: WireId = msgspec.field(default=None, name="global")


class WireEvent(msgspec.Struct, gc=False, eq=False, kw_only=True, rename=_IN_FILE):
    """One event of a file, undigested; times in microseconds. `Settler` makes an `Event` of it.

    The order of the fields is that in which Chrome writes them, in which they are found the fastest.
    """

    raw_args: msgspec.Raw = NOTHING
    bp: str = ""
    cat: str = ""
    dur: float | None = None
    file_id: WireId = None
    file_id2: Id2 | None = None
    name: str = ""
    ph: str = ""
    file_pid: WireId = 0
    scope: str = ""
    tdur: float | None = None
    file_tid: WireId = 0
    ts: float = math.nan
    tts: float | None = None
    file_bind_id: WireId = None
    file_scope: str = ""
    flow_in: bool = False
    flow_out: bool = False
    written: int | None = None


class Event(msgspec.Struct, gc=False, eq=False):
    """One event. Times are microseconds on the trace's clock. Not to be changed outside `harness.trace`.

    dur: None where the file gives none: points in time, and slices or spans that never ended.
    scope: of an instant: t (thread), p (process), g (global).
    seq: place in the file, from 0; the places of merged ends are left out.
    end: `ts + dur`; the end of the trace for an open slice or span; `ts` for a point.
    thread: (pid, tid), a key of `Trace.threads`.
    id: normalised: `0x1f`; `scope:0x1f` with a scope; `0x1f@1234` where it counts in process 1234 only; '' without.
    parent: the innermost slice of the same thread that holds it (slices, and points that belong to one thread).
    depth: how many slices hold it; 0 at the top.
    end_seq: place in the file of the end of a B/E pair; -1 where the file does not tell.
    written: place of its packet among those of the file, which a thread writes one by one; None in Chrome's JSON.
    """

    seq: int
    kind: Kind
    thread: tuple[int, int]
    name: str
    cat: str
    ph: str
    ts: float
    dur: float | None
    end: float
    raw_args: msgspec.Raw = NOTHING
    scope: str = ""
    tts: float | None = None
    tdur: float | None = None
    id: str = ""
    bind_id: str = ""
    bp: str = ""
    flow_in: bool = False
    flow_out: bool = False
    parent: Event | None = None
    depth: int = 0
    end_seq: int = -1
    written: int | None = None
    decoded: dict[str, Any] | None = None

    @property
    def args(self) -> dict[str, Any]:
        """The arguments, decoded at the first look; {} where Chrome stripped them. Not to be changed."""
        if self.decoded is FLEETING:
            return decode_args(self.raw_args)
        if self.decoded is None:
            self.decoded = decode_args(self.raw_args)
        return self.decoded

    @property
    def stripped(self) -> bool:
        """Whether arguments were written that are none: Chrome's `"__stripped__"`, or another writer's text or list."""
        return not bytes(self.raw_args).lstrip().startswith(b"{") and not self.args

    @property
    def open(self) -> bool:
        """Whether it began and did not end before the trace did."""
        return self.dur is None and self.ph in BEGINS

    @property
    def pid(self) -> int:
        return self.thread[0]

    @property
    def tid(self) -> int:
        return self.thread[1]

    def ancestors(self) -> Iterator[Event]:
        """The slices that hold it, from the innermost out."""
        holder = self.parent
        while holder is not None:
            yield holder
            holder = holder.parent

    def __repr__(self) -> str:
        return f"<{self.ph} {self.name!r} ts={self.ts:.15g} dur={self.dur} {self.pid}/{self.tid} seq={self.seq}>"


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)


def decode_args(raw: msgspec.Raw) -> dict[str, Any]:
    """Arguments as a dict. Chrome's `"__stripped__"` and other non-objects give {}."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError):
        # The reader has accepted the JSON; what is left is text that is not UTF-8 (a URL cut in a character).
        # Or an integer of thousands of digits, which is beyond any number that a test could name.
        value = json.loads(bytes(raw).decode("utf-8", "replace"), parse_int=_integer)
    return value if isinstance(value, dict) else {}


def merge_args(begin: msgspec.Raw, end: msgspec.Raw) -> msgspec.Raw:
    """The arguments of a begin and its end together; the end's win where both have a key."""
    if not (late := decode_args(end)):
        return begin
    early = decode_args(begin)
    return msgspec.Raw(msgspec.json.encode({**early, **late})) if early else end


# A sort key. Sorting is stable: events that come in file order keep it where times are equal.
start_of: Final = attrgetter("ts")
