"""A part of one recording, ready to be drawn: plain records that the HTML report, pictures and tests read.

Times are microseconds from `Drawing.origin`, a step mark, so that the arms of an attempt stand on one scale.
"""

from __future__ import annotations

from typing import Literal

import msgspec

LaneKind = Literal["thread", "async", "gaps", "server"]
Role = Literal["selected", "control", "missed"]


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One track. `rows`: how deep its slices nest. `label`: what DevTools calls it, where that is another name."""

    kind: LaneKind
    process: str
    name: str
    pid: int
    tid: int = 0
    label: str = ""
    rows: int = 1


class Highlight(msgspec.Struct, frozen=True, kw_only=True):
    """Events that an expectation looked at. `at`: places in the drawing's columns; `notes`: why each was missed."""

    finding: int  # index of the expectation
    role: Role
    label: str  # of the selection
    at: list[int]
    notes: list[str] = []
    left_out: int = 0  # of its events, for want of room


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A `during` of the expectations."""

    name: str
    begin: float
    end: float


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """Events as columns: the i-th of `lane`, `row`, `ts`, `dur`, `kind`, `name`, `args` and `seq` make one event.

    dur: 0 for a point; an open slice reaches to the end of the trace. name, args: places in `names` and `texts`.
    kind: a letter for each event: s slice, o open slice, i instant, a async, g gap, r request.
    flows: from, to (places in the columns) and name, three numbers for each arrow.
    present: how many events the shown processes have in the shown time. longest_left_out: of those that are not drawn.
    """

    arm: str
    block: int
    attempt: int
    trace: str
    origin: str
    begin: float
    end: float
    lanes: list[Lane]
    lane: list[int]
    row: list[int]
    ts: list[float]
    dur: list[float]
    kind: str
    name: list[int]
    args: list[int]
    seq: list[int]
    names: list[str]
    texts: list[str]
    flows: list[int] = []
    marks: list[tuple[str, float]] = []
    windows: list[Window] = []
    frames: list[float] = []
    frames_of: str = ""
    highlights: list[Highlight] = []
    present: int = 0
    longest_left_out: float = 0
    total: int = 0  # events of the whole recording

    @property
    def drawn(self) -> int:
        return len(self.ts)
