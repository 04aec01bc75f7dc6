"""The recorders that speak the Tracing domain of the DevTools protocol.

`cdp-browser` uses a session with the browser. `cdp-page` uses one with the page, as the DevTools panel does: the same
browser-wide recording, and the browser also writes TracingStartedInBrowser with the page's frames. `cdp-quiet` is as
`cdp-browser` in a browser whose only client is our own.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any, TypeVar

from harness.browser import Controlled
from harness.cdp import Session
from harness.errors import RecorderError
from harness.record.bounded import bounded
from harness.record.recorder import GZIP_JSON, Collected
from harness.record.stream import gzipped, read_stream, write_chunks
from harness.scenario.model import RecordSpec
from harness.trace.context import END, START, marker_name

P = TypeVar("P")
_CALL_SECONDS = 15.0
_GATHER_SECONDS = 180.0  # a third of the default buffer took 22 s on a busy machine
_USAGE_INTERVAL_MS = 500
_RECORD_MODES = {
    "until-full": "recordUntilFull",
    "continuously": "recordContinuously",
    "as-much-as-possible": "recordAsMuchAsPossible",
}


def monotonic_us() -> float:
    """Now, on the clock of a trace's `ts` (on Linux)."""
    return time.monotonic_ns() / 1000


class Tracing:
    """`Tracing.start` to `Tracing.end` on one session, with the events that the browser sends in between."""

    def __init__(self, launched: Controlled[Any], session: Session) -> None:
        self._launched, self._session = launched, session
        self._complete: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.buffer_peak: float | None = None
        session.on("Tracing.tracingComplete", self._on_complete)
        session.on("Tracing.bufferUsage", self._on_usage)

    def _on_complete(self, event: dict[str, Any]) -> None:
        if not self._complete.done():
            self._complete.set_result(event)

    def _on_usage(self, event: dict[str, Any]) -> None:
        self.buffer_peak = max(self.buffer_peak or 0.0, float(event.get("percentFull", 0)))

    async def start(self, what: dict[str, Any]) -> None:
        """`what`: the parameters of `Tracing.start` that say what to record, and in which format if not JSON."""
        parameters = {
            "transferMode": "ReturnAsStream",
            "streamFormat": "json",
            "streamCompression": "gzip",
            "bufferUsageReportingInterval": _USAGE_INTERVAL_MS,
        }
        await self._send("Tracing.start", parameters | what, "start to record")

    async def mark_clock(self, name: str) -> None:
        await self._send("Tracing.recordClockSyncMarker", {"syncId": name}, "write a clock marker")

    async def end(self) -> dict[str, Any]:
        """End the recording and gather it; returns the event with the handle of the stream and the data-loss flag."""
        await self._send("Tracing.end", {}, "stop recording")
        return await bounded(self._launched, asyncio.shield(self._complete), _GATHER_SECONDS, "hand over the trace")

    async def _send(self, method: str, parameters: dict[str, Any], doing: str) -> None:
        await bounded(self._launched, self._session.send(method, parameters), _CALL_SECONDS, doing)


class CdpRecorder:
    """See `Recorder`. The session is taken from the browser or the page, as the spec's recorder says."""

    suffix = GZIP_JSON

    def __init__(self, spec: RecordSpec, categories: tuple[str, ...]) -> None:
        self._spec, self._categories = spec, categories
        self._launched: Controlled[Any] | None = None

    def setup(self) -> tuple[str, ...]:
        return ()

    async def start(self, launched: Controlled[P], page: P) -> None:
        self._launched, self._page = launched, page
        of_page = self._spec.recorder == "cdp-page"
        opening = launched.page_session(page) if of_page else launched.new_session()
        self._session = await bounded(launched, opening, _CALL_SECONDS, "open a session for the recorder")
        self._tracing = Tracing(launched, self._session)
        await self._tracing.start(self._what())
        self._start_us = monotonic_us()
        await self._mark(START)

    @property
    def buffer_peak(self) -> float | None:
        """The fullest that the browser has reported so far, from 0 to 1."""
        return self._tracing.buffer_peak

    async def stop(self) -> None:
        if self._launched is None:
            raise RecorderError("the recording was never started")
        await self._mark(END)
        self._stop_us = monotonic_us()
        self._ended = await self._tracing.end()

    async def collect(self, path: Path) -> Collected:
        if self._launched is None:
            raise RecorderError("the recording was never started")
        chunks = gzipped(read_stream(self._launched, self._session, self._ended["stream"]))
        written = await write_chunks(chunks, path)
        await bounded(self._launched, self._session.detach(), _CALL_SECONDS, "close the recorder's session")
        return Collected(
            path,
            written,
            bool(self._ended.get("dataLossOccurred")),
            self.buffer_peak,
            self._categories,
            self._spec.exclude,
            self._start_us,
            self._stop_us,
            self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        """What an older browser did not do of what it was asked; it leaves out unknown parameters without a word."""
        notes = []
        if "dataLossOccurred" not in self._ended:
            notes.append("the browser does not report data loss")
        if self._ended.get("streamCompression") != "gzip":
            notes.append("the browser sent the trace without compression")
        return tuple(notes)

    def _what(self) -> dict[str, Any]:
        config = {
            "recordMode": _RECORD_MODES[self._spec.buffer_mode],
            "traceBufferSizeInKb": max(1, self._spec.buffer_bytes // 1024),
            "includedCategories": list(self._categories),
            "excludedCategories": list(self._spec.exclude),
        }
        return {"traceConfig": config}

    async def _mark(self, edge: str) -> None:
        """A clock marker is written by the browser process whatever the categories are, and costs the page nothing."""
        assert self._launched is not None
        if self._spec.markers == "clock":
            await self._tracing.mark_clock(marker_name(edge))
        elif self._spec.markers == "page":
            session = await self._launched.page_session(self._page)
            script = {"expression": f"void performance.mark({json.dumps(marker_name(edge))})"}
            await bounded(self._launched, session.send("Runtime.evaluate", script), _CALL_SECONDS, "mark in the page")
            await session.detach()
