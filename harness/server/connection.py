"""What connections of the fixture server have in common, whatever protocol they speak."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass

from harness.errors import Problem
from harness.server.holds import Holds
from harness.server.journal import Exchange, Journal
from harness.server.reply import Reply, Request


@dataclass(frozen=True, slots=True)
class Shared:
    """What all connections of a server share."""

    resolver: Callable[[Request], tuple[Reply, tuple[Problem, ...]]]
    journal: Journal
    holds: Holds
    problems: list[Problem]
    on_end: Callable[[Connection], None]


class Connection:
    """One connection until either side closes it: who left first is known."""

    def __init__(self, number: int, scheme: str, shared: Shared) -> None:
        self.number = number
        self.task: asyncio.Task[None] | None = None
        self._scheme, self._shared = scheme, shared
        self._left_first = ""  # client or server, once either has gone

    def abort(self) -> None:
        """End now, whatever is going on."""
        self._left_first = self._left_first or "server"
        self._end()

    def _begin(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self._serve())
        self.task.add_done_callback(lambda task: self._shared.on_end(self))

    def _client_left(self) -> None:
        self._left_first = self._left_first or "client"
        self._end()

    async def _serve(self) -> None:
        """Answers requests until the connection ends."""
        raise NotImplementedError

    def _end(self) -> None:
        """Has `_serve` come to its end."""
        raise NotImplementedError

    def _open(self, request: Request, protocol: str, size: int) -> Exchange:
        return self._shared.journal.open(request, protocol, self.number, size, self._scheme)

    async def _resolve(self, request: Request) -> Reply:
        # Reading, transcoding and packing must not hold up the pauses of other responses.
        reply, problems = await asyncio.to_thread(self._shared.resolver, request)
        self._shared.problems.extend(problem for problem in problems if problem not in self._shared.problems)
        return reply

    def _failed(self, error: Exception) -> None:
        """A defect of the server is shown by the run beside the fixture that met it, not on the console."""
        self._shared.problems.append(Problem(f"the fixture server failed: {error!r}"))

    def _leave(self, exchange: Exchange, who: str) -> None:
        if not exchange.reached("done"):
            exchange.aborted_by = who
            self._shared.journal.changed()


class TcpConnection(Connection, asyncio.Protocol):
    """A connection over TCP, with or without TLS: its writes wait for the kernel."""

    def __init__(self, number: int, scheme: str, shared: Shared) -> None:
        super().__init__(number, scheme, shared)
        self._drained = asyncio.Event()
        self._drained.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._socket: socket.socket = transport.get_extra_info("socket")
        # Else a head and a body in two writes on a kept connection cost 40 ms (Nagle against the delayed ACK).
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=1, low=0)  # 0 would never let go over TLS
        self._begin()

    def connection_lost(self, error: Exception | None) -> None:
        self._drained.set()
        self._client_left()

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    def abort(self) -> None:
        self._left_first = self._left_first or "server"
        self._transport.abort()
        super().abort()
