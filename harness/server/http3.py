"""HTTP/3 on one connection. aioquic keeps QUIC's and the protocol's state, and sends when the client lets it."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import ErrorCode, H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, QuicEvent, StopSendingReceived, StreamReset

from harness.server.connection import Shared
from harness.server.journal import Exchange, now_us
from harness.server.secure import CERTIFICATE, HTTP3, KEY
from harness.server.streams import Headers, Multiplexed, Stream, request_of


def quic_configuration() -> QuicConfiguration:
    """A server's configuration with the fixture certificate, for HTTP/3 only."""
    configuration = QuicConfiguration(is_client=False, alpn_protocols=[HTTP3])
    configuration.load_cert_chain(CERTIFICATE, KEY)
    return configuration


class _Counted:
    """A QUIC connection that counts what is written to each of its streams."""

    def __init__(self, quic: QuicConnection) -> None:
        self._quic = quic
        self.sent: dict[int, int] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._quic, name)

    def send_stream_data(self, stream_id: int, data: bytes, end_stream: bool = False) -> None:
        self.sent[stream_id] = self.sent.get(stream_id, 0) + len(data)
        self._quic.send_stream_data(stream_id, data, end_stream)


class Http3Connection(Multiplexed, QuicConnectionProtocol):
    """HTTP/3 over QUIC. What it writes is handed to QUIC, which sends it when the client's windows allow."""

    PROTOCOL = HTTP3

    def __init__(self, quic: QuicConnection, number: int, shared: Shared) -> None:
        QuicConnectionProtocol.__init__(self, quic)
        Multiplexed.__init__(self, number, "https", shared)
        self._counted = _Counted(quic)
        self._h3: H3Connection | None = None

    # --- what the transport tells ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._begin()

    def quic_event_received(self, event: QuicEvent) -> None:
        match event:
            case ProtocolNegotiated():
                self._h3 = H3Connection(cast(QuicConnection, self._counted))
            case StreamReset() | StopSendingReceived():
                self._cancelled(event.stream_id)
            case ConnectionTerminated():
                self._client_left()
        if self._h3 and not self._gone.is_set():  # datagrams come until the socket is closed, which all clients share
            for one in self._h3.handle_event(event):
                self._take(one)

    def _take(self, event: H3Event) -> None:
        match event:
            case HeadersReceived():
                request = request_of((name.decode(), value.decode()) for name, value in event.headers)
                self._streams[event.stream_id] = Stream(event.stream_id, request)
            case DataReceived():
                self._streams[event.stream_id].body_bytes += len(event.data)
            case _:
                return
        if event.stream_ended:
            self._answer_soon(self._streams[event.stream_id])

    # --- frames ------------------------------------------------------------------------------------------------------

    def _send_headers(self, stream: Stream, headers: Headers, *, ends: bool) -> int:
        assert self._h3 is not None
        before = self._sent(stream)
        self._h3.send_headers(stream.number, [(name.encode(), value.encode()) for name, value in headers], ends)
        self.transmit()
        return self._sent(stream) - before

    async def _send_data(self, stream: Stream, exchange: Exchange, data: bytes, *, ends: bool) -> None:
        exchange.last_write_us = now_us()
        exchange.framing_bytes += self._write(stream, data, ends) - len(data)

    def _send_end(self, stream: Stream) -> int:
        return self._write(stream, b"", True)

    def _write(self, stream: Stream, data: bytes, ends: bool) -> int:
        assert self._h3 is not None
        before = self._sent(stream)
        self._h3.send_data(stream.number, data, ends)
        self.transmit()
        return self._sent(stream) - before

    def _sent(self, stream: Stream) -> int:
        return self._counted.sent.get(stream.number, 0)

    def _reset(self, stream: Stream) -> None:
        self._quic.reset_stream(stream.number, ErrorCode.H3_INTERNAL_ERROR)
        self.transmit()

    def _hang_up(self) -> None:
        self.close(ErrorCode.H3_NO_ERROR)
