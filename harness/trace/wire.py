"""A trace event as it stands in the file, for msgspec: odd types admitted, arguments left undecoded.

Format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

from typing import Final

import msgspec

NOTHING: Final = msgspec.Raw(b"{}")
Number = float | str | None  # writers other than Chrome put numbers into strings


class Id2(msgspec.Struct, gc=False):
    """An id that says how far it reaches: one process, or the whole trace."""

    local: int | float | str | None = None
    global_: int | float | str | None = msgspec.field(default=None, name="global")


class Record(msgspec.Struct, gc=False):
    """One element of `traceEvents`."""

    name: str | int | float | bool | None = ""
    cat: str | None = ""
    ph: str | None = ""
    ts: Number = None
    dur: Number = None
    tts: Number = None
    tdur: Number = None
    pid: int | float | str | None = 0
    tid: int | float | str | None = 0
    id: int | float | str | None = None
    id2: Id2 | None = None
    scope: str | None = None
    s: str | None = None
    bp: str | None = None
    bind_id: int | float | str | None = None
    flow_in: bool | int | None = False
    flow_out: bool | int | None = False
    args: msgspec.Raw = NOTHING


class TraceObject(msgspec.Struct, gc=False):
    """The object form of a trace file; every other key of it is skipped."""

    traceEvents: list[Record]
    metadata: msgspec.Raw = NOTHING
