"""What is known about a recording beside the trace itself: the clock marks, values and identities of its making.

Stored as `context.json` next to each recording so that a verdict can be derived again with no browser. All times are
microseconds of CLOCK_MONOTONIC, which on Linux is the clock of a trace's `ts`.
"""

from __future__ import annotations

from typing import Any

import msgspec

START, END = "start", "end"  # the marks that every recording has


def marker_name(edge: str) -> str:
    """The marker at an edge of a recording (`start` or `end`).

    It is `args.sync_id` of a `clock_sync` event with `markers: clock`, and the name of a `blink.user_timing` event with
    `markers: page`.
    """
    return f"traceproof-{edge}"


class Mark(msgspec.Struct, frozen=True):
    """A named moment that the step script passed."""

    name: str
    ts_us: float


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One request as the fixture server saw it. Bytes are those on the wire; a time is 0 where it never came."""

    method: str
    host: str  # with the port, as the client sent it
    path: str  # with the query
    protocol: str = "http/1.1"
    scheme: str = "http"
    hints_us: float = 0  # the early hints were handed to the socket
    hint_bytes: int = 0  # of the early hints
    status: int = 0
    request_us: float = 0  # the request was read
    headers_us: float = 0  # the response head was handed to the socket
    first_byte_us: float = 0  # the first byte of the body was
    end_us: float = 0  # the last byte of the body was
    chunks_us: list[float] = []  # each write of the body
    request_bytes: int = 0
    header_bytes: int = 0
    body_bytes: int = 0  # as sent: after compression, without chunked framing
    framing_bytes: int = 0  # chunk sizes and line ends of a chunked body
    aborted: bool = False
    aborted_by: str = ""  # client, or server: by abort_at or because it ended
    connection: int = 0  # counts the connections of the server
    pushed: bool = False  # nobody had asked: the server pushed it
    request_headers: dict[str, str] = {}


class FrameIdentity(msgspec.Struct, frozen=True):
    """The process and main thread that a frame of the page ran on, as its nonce mark told."""

    pid: int
    tid: int
    frame_id: str = ""
    url: str = ""


class PageIdentity(msgspec.Struct, frozen=True):
    """The page under test: its main frame first, then its child frames; `earlier_pids` when it changed process."""

    frames: list[FrameIdentity] = []
    earlier_pids: list[int] = []
    how: str = "nonce"  # nonce, or which events of the trace itself told
    device_pixel_ratio: float = 0  # of the main frame after the recording; 0 where nobody could ask

    @property
    def main(self) -> FrameIdentity | None:
        return self.frames[0] if self.frames else None

    @property
    def pids(self) -> set[int]:
        """Processes that showed the main frame."""
        return {*(frame.pid for frame in self.frames[:1]), *self.earlier_pids}

    @property
    def frame_pids(self) -> set[int]:
        """Processes that showed any frame of the page."""
        return {*(frame.pid for frame in self.frames), *self.earlier_pids}


class RecordingContext(msgspec.Struct, kw_only=True):
    """Everything that expectations may look at beside the events."""

    arm: str = "main"
    block: int = 0  # of a paired design, from 0
    marks: list[Mark] = []
    values: dict[str, Any] = {}  # what steps returned, by their `as:`
    log: list[LogEntry] = []  # the fixture server's
    page: PageIdentity | None = None
    variables: dict[str, Any] = {}  # run-time names such as fixture.url
    data_loss: bool = False
    doubts: list[str] = []  # why it is no evidence, where only its making could tell
    build: str = ""  # full version, such as 156.0.8078.108
    mode: str = ""

    def mark(self, name: str) -> float | None:
        """When a mark was first passed, in microseconds."""
        return next((mark.ts_us for mark in self.marks if mark.name == name), None)
