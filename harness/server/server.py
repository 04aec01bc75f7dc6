"""The fixture server: a port of its own on loopback, the log of what was asked, and the gates of held responses."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from aioquic.asyncio.server import QuicServer
from aioquic.quic.connection import QuicConnection

from harness.errors import Problem, ServerError
from harness.server.connection import Connection, Shared, TcpConnection
from harness.server.holds import Holds
from harness.server.http1 import Http1Connection
from harness.server.http2 import Http2Connection
from harness.server.http3 import Http3Connection, quic_configuration
from harness.server.journal import Journal, State
from harness.server.reply import Reply, Request
from harness.server.resolve import resolve
from harness.server.roots import Roots
from harness.server.secure import HTTP1, HTTP2, Agreed, SlowHandshake, tls_context
from harness.trace.context import LogEntry

ADDRESS = "127.0.0.1"
# `localhost` too: a browser that tries ::1 first would wait for its refusal.
SERVED_HOSTS = "*.test"
MAPPED_HOSTS = (SERVED_HOSTS, "localhost", "*.localhost")
# Ports as pages see them, below `.test`: http://a.test, https://a.test, two more over TLS, and HTTP/3.
PLAIN, SECURE, SECURE_HTTP1, SECURE_SLOW, SECURE_HTTP3 = 80, 443, 8443, 9443, 7443

AnyConnection = TypeVar("AnyConnection", bound=Connection)


class FixtureServer:
    """`async with FixtureServer([folder, …]) as server`: serves the folders, searched in order, and `/gen/`.

    `problems` collects every mistake in what was asked for; a run must not take a recording with problems as evidence.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self._roots = Roots(roots)
        self._journal = Journal()
        self._holds = Holds()
        self._connections: set[Connection] = set()
        self._accepted = 0
        self._listeners: list[asyncio.Server] = []
        self._quic: list[QuicServer] = []
        self._ports: dict[int, int] = {}  # the real ones, by those that pages see
        self.problems: list[Problem] = []
        self._shared = Shared(self._resolve, self._journal, self._holds, self.problems, self._connections.discard)

    async def __aenter__(self) -> FixtureServer:
        both = tls_context(HTTP2, HTTP1)
        try:
            await self._listen(PLAIN, lambda: self._connection(HTTP1, "http"))
            await self._listen(SECURE, lambda: Agreed(self._secure), both)
            await self._listen(SECURE_HTTP1, lambda: Agreed(self._secure), tls_context(HTTP1))
            await self._listen(SECURE_SLOW, lambda: SlowHandshake(self._secure, both))
            await self._listen_quic(SECURE_HTTP3)
        except OSError as error:
            raise ServerError(f"the fixture server cannot listen on {ADDRESS}: {error}") from error
        return self

    async def _listen(
        self, port: int, protocol: Callable[[], asyncio.Protocol], tls: ssl.SSLContext | None = None
    ) -> None:
        # Port 0: the kernel picks a free one, so that servers never clash.
        loop = asyncio.get_running_loop()
        listener = await loop.create_server(protocol, ADDRESS, 0, family=socket.AF_INET, ssl=tls)
        self._listeners.append(listener)
        self._ports[port] = listener.sockets[0].getsockname()[1]

    async def _listen_quic(self, port: int) -> None:
        loop, configuration = asyncio.get_running_loop(), quic_configuration()
        transport, listener = await loop.create_datagram_endpoint(
            lambda: QuicServer(configuration=configuration, create_protocol=self._quic_connection), (ADDRESS, 0)
        )
        self._quic.append(listener)
        self._ports[port] = transport.get_extra_info("sockname")[1]

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for listener in self._listeners:
            listener.close()
        connections = list(self._connections)
        for connection in connections:
            connection.abort()
        await asyncio.gather(*(one.task for one in connections if one.task), return_exceptions=True)
        for listener in self._listeners:
            await listener.wait_closed()
        for quic in self._quic:
            quic.close()

    def _secure(self, protocol: str) -> asyncio.Protocol:
        return self._connection(protocol, "https")

    def _connection(self, protocol: str, scheme: str) -> TcpConnection:
        maker = Http2Connection if protocol == HTTP2 else Http1Connection
        return self._keep(maker(self._count(), scheme, self._shared))

    def _quic_connection(self, quic: QuicConnection, **_: object) -> Http3Connection:
        return self._keep(Http3Connection(quic, self._count(), self._shared))

    def _count(self) -> int:
        self._accepted += 1
        return self._accepted

    def _keep(self, connection: AnyConnection) -> AnyConnection:
        self._connections.add(connection)
        return connection

    @property
    def port(self) -> int:
        """Of plain HTTP."""
        return self._ports[PLAIN]

    def _resolve(self, request: Request) -> tuple[Reply, tuple[Problem, ...]]:
        return resolve(request, self._roots)

    # --- addresses ---------------------------------------------------------------------------------------------------

    @property
    def origin(self) -> str:
        return f"http://{ADDRESS}:{self.port}"

    @property
    def host_rules(self) -> str:
        """For `--host-resolver-rules`: names lead to loopback, and below `.test` the usual ports to this server's."""
        ports = [f"MAP {SERVED_HOSTS}:{seen} {ADDRESS}:{real}" for seen, real in self._ports.items()]
        return ",".join([*ports, *(f"MAP {host} {ADDRESS}" for host in MAPPED_HOSTS)])

    def url_for(self, path: Path | str, host: str = ADDRESS) -> str:
        """The URL of a file in one of the roots, or of a URL path such as `/gen/css?rules=3`.

        Raises `ServerError` for a file that is in no root, or hidden by one with the same path in an earlier root.
        """
        target = self._roots.url_path(path) if isinstance(path, Path) else f"/{path.removeprefix('/')}"
        return f"http://{host}:{self.port}{target}"

    def variables(self, fixture: Path | None = None) -> dict[str, str]:
        """Run-time names for steps: `server.origin`, `server.a`, `server.b`, `server.localhost`,
        `fixture.url`, `fixture.file`."""
        names = {
            "server.origin": self.origin,
            "server.port": str(self.port),
            "server.a": f"http://a.test:{self.port}",
            "server.b": f"http://b.test:{self.port}",
            "server.localhost": f"http://localhost:{self.port}",
        }
        return names | ({"fixture.url": self.url_for(fixture), "fixture.file": fixture.as_uri()} if fixture else {})

    # --- what happened and what shall happen -------------------------------------------------------------------------

    @property
    def log(self) -> list[LogEntry]:
        """Every request so far, in the order in which they were read. A snapshot: it does not change afterwards."""
        return self.take_log()

    def take_log(self, since_us: float = 0) -> list[LogEntry]:
        """The requests that were read at `since_us` (CLOCK_MONOTONIC) or later."""
        return self._journal.entries(since_us)

    async def wait_for(
        self, part: str, state: State = "received", timeout_s: float = 10, count: int = 1, since_us: float = 0
    ) -> LogEntry:
        """Wait for the `count`th request whose path with query contains `part` to reach `state`; `done` includes
        responses that were cut off. Raises `ServerError` after `timeout_s`, with the requests that there were."""
        return await self._journal.wait_for(part, state, timeout_s, count, since_us)

    def release(self, name: str) -> int:
        """Let go of all who hold `name`, now and from now on. Says how many were waiting; twice does no more."""
        return self._holds.release(name)

    def reset_holds(self) -> None:
        """Forget what was released, before another recording on the same server."""
        self._holds.reset()
