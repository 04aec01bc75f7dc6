"""TLS in front of the fixture server: which protocol a connection speaks is agreed in its handshake (ALPN)."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import cache

from harness.paths import configs_root

SLOW_HANDSHAKE_S = 0.2
HTTP1, HTTP2, HTTP3 = "http/1.1", "h2", "h3"
CERTIFICATE = configs_root() / "certificates" / "fixture.pem"
KEY = CERTIFICATE.with_name("fixture.key.pem")


@cache
def tls_context(*protocols: str) -> ssl.SSLContext:
    """A server's context with the fixture certificate, which offers these protocols, the first one rather."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    context.set_alpn_protocols(list(protocols))
    return context


class Agreed(asyncio.Protocol):
    """Gives a connection to the protocol that its handshake has agreed on."""

    def __init__(self, make: Callable[[str], asyncio.Protocol]) -> None:
        self._make = make
        self._early = b""

    def data_received(self, data: bytes) -> None:
        self._early += data  # after `start_tls` a client may be heard before the connection is made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        chosen = transport.get_extra_info("ssl_object").selected_alpn_protocol()
        protocol = self._make(chosen or HTTP1)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._early:
            protocol.data_received(self._early)


class SlowHandshake(asyncio.Protocol):
    """Leaves the client's first message unread for a while, so that its handshake takes at least that long."""

    def __init__(self, make: Callable[[str], asyncio.Protocol], context: ssl.SSLContext) -> None:
        self._make, self._context = make, context
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        self._task = asyncio.get_running_loop().create_task(self._shake(transport))

    async def _shake(self, transport: asyncio.Transport) -> None:
        await asyncio.sleep(SLOW_HANDSHAKE_S)
        agreed = Agreed(self._make)
        try:
            secure = await asyncio.get_running_loop().start_tls(transport, agreed, self._context, server_side=True)
        except (OSError, ssl.SSLError):
            transport.abort()  # the client has gone, as from a preconnected socket that it did not need
            return
        if secure is not None:
            agreed.connection_made(secure)
