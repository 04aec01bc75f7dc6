"""Everything that a selection can hold: trace events, and pseudo-events made from marks, requests and gaps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from harness.expect.timing import in_time_order
from harness.trace import Event
from harness.trace.context import LogEntry, RecordingContext

MARKS_TID, SERVER_TID = -1, -2  # no thread of a trace; pseudo-events of one source are ordered among themselves
_TIMES = ("request_us", "hints_us", "headers_us", "first_byte_us", "end_us")


@dataclass(frozen=True, slots=True, eq=False)
class Pseudo:
    """An event that no trace holds, with the fields of one that does. `seq` counts within its source."""

    seq: int
    name: str
    kind: str
    ts: float
    dur: float | None
    args: dict[str, Any]
    pid: int = -1
    tid: int = MARKS_TID
    cat: str = ""
    ph: str = ""
    id: str = ""
    scope: str = ""
    tts: float | None = None
    tdur: float | None = None
    written: int | None = None
    depth: int = 0
    parent: Event | None = None
    open: bool = False

    @property
    def end(self) -> float:
        return self.ts + (self.dur or 0)

    def ancestors(self) -> Iterator[Event]:
        return iter(())


Item = Event | Pseudo


def threadless(item: Item) -> bool:
    """Marks and requests belong to no thread of the trace, so nothing can be inside them nor they inside anything."""
    return item.pid < 0


def marks(context: RecordingContext) -> list[Item]:
    """Step marks as instants."""
    return [Pseudo(seq, mark.name, "instant", mark.ts_us, None, {}) for seq, mark in enumerate(context.marks)]


def requests(context: RecordingContext) -> list[Item]:
    """Requests of the fixture server's log as slices from the request read to the last byte sent."""
    return [_request(seq, entry) for seq, entry in enumerate(context.log)]


def _request(seq: int, entry: LogEntry) -> Pseudo:
    args = msgspec.to_builtins(entry)
    for name in _TIMES:  # 0 means that it never came; left in, it would be earlier than anything
        if not args[name]:
            del args[name]
    args["url"] = f"{entry.scheme}://{entry.host}{entry.path}"
    dur = entry.end_us - entry.request_us if entry.end_us else None
    return Pseudo(seq, entry.path.partition("?")[0], "slice", entry.request_us, dur, args, tid=SERVER_TID)


def gaps(items: Iterable[Item], group_of: Callable[[Item], Hashable]) -> list[Item]:
    """The time from the last end so far to each next item's start, within each group.

    What lies inside an earlier item does not end that item's time. A next one that starts before the end makes a
    negative gap, marked `overlap: true`: left out, it would hide that the two are not apart at all.
    """
    last: dict[Hashable, Item] = {}
    found: list[Item] = []
    for item in in_time_order(items):
        group = group_of(item)
        if (previous := last.get(group)) is not None:
            dur = item.ts - previous.end
            args: dict[str, Any] = {"previous": previous.args, "next": item.args}
            if dur < 0:
                args["overlap"] = True
            found.append(Pseudo(len(found), "gap", "slice", previous.end, dur, args, pid=item.pid, tid=item.tid))
        if previous is None or item.end >= previous.end:
            last[group] = item
    return found
