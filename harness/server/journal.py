"""The log of all requests while they happen, and waiting for a moment in it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Literal

from harness.errors import ServerError
from harness.server.reply import Request
from harness.trace.context import LogEntry

State = Literal["received", "headers", "done"]


def now_us() -> float:
    """Microseconds of CLOCK_MONOTONIC, on Linux the clock of a trace's `ts`."""
    return time.monotonic_ns() / 1000


@dataclass(slots=True)
class Exchange:
    """One request and its response, still changing. Fields are those of `LogEntry` and the time of the last write."""

    request: Request
    protocol: str
    connection: int
    request_bytes: int
    request_us: float
    scheme: str = "http"
    hints_us: float = 0
    hint_bytes: int = 0
    status: int = 0
    headers_us: float = 0
    first_byte_us: float = 0
    end_us: float = 0
    chunks_us: list[float] = field(default_factory=list)
    header_bytes: int = 0
    body_bytes: int = 0
    framing_bytes: int = 0
    aborted_by: str = ""
    pushed: bool = False
    last_write_us: float = 0

    def reached(self, state: State) -> bool:
        """`done` holds for a response that was cut off, too: nothing more will come of it."""
        if state == "headers":
            return bool(self.headers_us)
        return state == "received" or bool(self.end_us or self.aborted_by)

    def begin_chunk(self, size: int) -> float:
        """A piece of the body is about to be written: the moment."""
        moment = now_us()
        self.body_bytes += size
        self.chunks_us.append(moment)
        self.first_byte_us = self.first_byte_us or moment
        return moment

    def entry(self) -> LogEntry:
        return LogEntry(
            method=self.request.method,
            host=self.request.host,
            path=self.request.target,
            protocol=self.protocol,
            scheme=self.scheme,
            hints_us=self.hints_us,
            hint_bytes=self.hint_bytes,
            status=self.status,
            request_us=self.request_us,
            headers_us=self.headers_us,
            first_byte_us=self.first_byte_us,
            end_us=self.end_us,
            chunks_us=list(self.chunks_us),
            request_bytes=self.request_bytes,
            header_bytes=self.header_bytes,
            body_bytes=self.body_bytes,
            framing_bytes=self.framing_bytes,
            aborted=bool(self.aborted_by),
            aborted_by=self.aborted_by,
            connection=self.connection,
            pushed=self.pushed,
            request_headers=dict(self.request.headers),
        )


class Journal:
    """Exchanges in the order in which their requests were read."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self._changed = asyncio.Event()

    def open(
        self, request: Request, protocol: str, connection: int, request_bytes: int, scheme: str = "http"
    ) -> Exchange:
        exchange = Exchange(request, protocol, connection, request_bytes, now_us(), scheme)
        self.exchanges.append(exchange)
        self.changed()
        return exchange

    def changed(self) -> None:
        """Whoever waits looks again."""
        self._changed.set()
        self._changed = asyncio.Event()

    def entries(self, since_us: float) -> list[LogEntry]:
        return [exchange.entry() for exchange in self.exchanges if exchange.request_us >= since_us]

    async def wait_for(self, part: str, state: State, timeout_s: float, count: int, since_us: float) -> LogEntry:
        """The `count`th request whose path contains `part` and that has reached `state`."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    asked = [one for one in self.exchanges if part in one.request.target and one.request_us >= since_us]
                    reached = [one for one in asked if one.reached(state)]
                    if len(reached) >= count:
                        return reached[count - 1].entry()
                    await self._changed.wait()
        except TimeoutError:
            raise ServerError(
                f"no request {count} for {part!r} was {state} within {timeout_s:g} s; {self._seen(since_us)}"
            ) from None

    def _seen(self, since_us: float) -> str:
        states: tuple[State, ...] = ("done", "headers", "received")
        seen = [
            f"{one.request.target} ({next(state for state in states if one.reached(state))})"
            for one in self.exchanges
            if one.request_us >= since_us
        ]
        return f"requests so far: {', '.join(seen)}" if seen else "there was no request at all"
