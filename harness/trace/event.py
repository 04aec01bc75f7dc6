"""One event of the model: what consumers of a trace look at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from harness.trace.wire import NOTHING

Kind = Literal["slice", "instant", "async", "flow", "counter", "metadata", "object", "sample"]

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


class Event(msgspec.Struct, gc=False, eq=False):
    """One event, or a begin with its end. Times are microseconds on the trace's clock.

    seq: place in the file, from 0; the places of merged ends are left out.
    dur: None where the file gives none: points in time, and slices or spans that never ended.
    end: `ts + dur`; the end of the trace for an open slice or span; `ts` for a point.
    open: it began and did not end before the trace did.
    id: normalised: `0x1f`; `scope:0x1f` with a scope; `0x1f@1234` where it counts in process 1234 only; '' without.
    parent: the innermost slice of the same thread that holds it (slices, and points that belong to one thread).
    depth: how many slices hold it; 0 at the top.
    end_seq: place in the file of the end of a B/E pair; -1 where the file does not tell.
    scope: of an instant: t (thread), p (process), g (global).
    """

    seq: int
    name: str
    cat: str
    ph: str
    kind: Kind
    ts: float
    dur: float | None
    end: float
    tts: float | None
    tdur: float | None
    pid: int
    tid: int
    id: str = ""
    raw_args: msgspec.Raw = NOTHING
    scope: str = ""
    bp: str = ""
    bind_id: str = ""
    flow_in: bool = False
    flow_out: bool = False
    open: bool = False
    parent: Event | None = None
    depth: int = 0
    end_seq: int = -1
    decoded: dict[str, Any] | None = None

    @property
    def args(self) -> dict[str, Any]:
        """The arguments, decoded at the first look; {} where Chrome stripped them. Not to be changed."""
        if self.decoded is None:
            self.decoded = decode_args(self.raw_args)
        return self.decoded

    @property
    def thread(self) -> tuple[int, int]:
        """(pid, tid), a key of `Trace.threads`."""
        return self.pid, self.tid

    def ancestors(self) -> Iterator[Event]:
        """The slices that hold it, from the innermost out."""
        holder = self.parent
        while holder is not None:
            yield holder
            holder = holder.parent

    def __repr__(self) -> str:
        return f"<{self.ph} {self.name!r} ts={self.ts:.15g} dur={self.dur} {self.pid}/{self.tid} seq={self.seq}>"


def decode_args(raw: msgspec.Raw) -> dict[str, Any]:
    """Arguments as a dict. Chrome's `"__stripped__"` and other non-objects give {}."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The reader has accepted the JSON; what is left is text that is not UTF-8 (a URL cut in a character).
        value = json.loads(bytes(raw).decode("utf-8", "replace"))
    return value if isinstance(value, dict) else {}


def merge_args(begin: msgspec.Raw, end: msgspec.Raw) -> msgspec.Raw:
    """The arguments of a begin and its end together; the end's win where both have a key."""
    if not (late := decode_args(end)):
        return begin
    early = decode_args(begin)
    return msgspec.Raw(msgspec.json.encode({**early, **late})) if early else end


def by_time(event: Event) -> tuple[float, int]:
    """Sort key: in order of time, and in file order where times are equal."""
    return event.ts, event.seq
