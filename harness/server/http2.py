"""HTTP/2 on one connection. h2 keeps the protocol's state."""

from __future__ import annotations

import asyncio
import contextlib

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

from harness.errors import Problem
from harness.server.connection import Shared, TcpConnection
from harness.server.journal import Exchange, now_us
from harness.server.reply import Request
from harness.server.secure import HTTP2
from harness.server.streams import Headers, Multiplexed, Stream, request_of


class Http2Connection(Multiplexed, TcpConnection):
    """HTTP/2 over TCP, with pushes for a client that takes them."""

    PROTOCOL = HTTP2

    def __init__(self, number: int, scheme: str, shared: Shared) -> None:
        super().__init__(number, scheme, shared)
        self._h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))

    # --- what the transport tells ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._h2.initiate_connection()
        self._flush()

    def data_received(self, data: bytes) -> None:
        try:
            events = self._h2.receive_data(data)
        except ProtocolError as error:
            self._shared.problems.append(Problem(f"a connection that is not HTTP/2: {error!r}"))
            events = []
            self._gone.set()
        for event in events:
            self._take(event)
        self._flush()

    def _take(self, event: Event) -> None:
        match event:
            case RequestReceived():
                request = request_of(event.headers)  # type: ignore[arg-type]
                self._streams[event.stream_id] = Stream(event.stream_id, request)
            case DataReceived():
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                self._streams[event.stream_id].body_bytes += len(event.data)
            case StreamEnded() if not self._gone.is_set():
                self._answer_soon(self._streams[event.stream_id])
            case StreamReset():
                self._cancelled(event.stream_id)
            case WindowUpdated() | RemoteSettingsChanged():
                for waiting in self._streams.values():
                    waiting.open_window.set()

    # --- frames ------------------------------------------------------------------------------------------------------

    def _send_headers(self, stream: Stream, headers: Headers, *, ends: bool) -> int:
        self._h2.send_headers(stream.number, headers, end_stream=ends)
        return self._flush()

    async def _send_data(self, stream: Stream, exchange: Exchange, data: bytes, *, ends: bool) -> None:
        for start, end in self._pieces(len(data)):
            size = end - start
            while self._h2.local_flow_control_window(stream.number) < size:
                stream.open_window.clear()
                await stream.open_window.wait()
            exchange.last_write_us = now_us()
            self._h2.send_data(stream.number, data[start:end], end_stream=ends and end == len(data))
            exchange.framing_bytes += self._flush() - size
            await self._drained.wait()

    def _pieces(self, size: int) -> list[tuple[int, int]]:
        most = self._h2.max_outbound_frame_size
        return [(start, min(start + most, size)) for start in range(0, size, most)]

    def _send_end(self, stream: Stream) -> int:
        self._h2.end_stream(stream.number)
        return self._flush()

    def _reset(self, stream: Stream) -> None:
        with contextlib.suppress(ProtocolError):
            self._h2.reset_stream(stream.number, ErrorCodes.INTERNAL_ERROR)
        self._flush()

    def _push(self, stream: Stream, target: str) -> None:
        if not self._h2.remote_settings[SettingCodes.ENABLE_PUSH]:
            return
        host = stream.request.host
        promised = Stream(self._h2.get_next_available_stream_id(), Request("GET", host, target, {}))
        asked = [(":method", "GET"), (":scheme", self._scheme), (":authority", host), (":path", target)]
        self._h2.push_stream(stream.number, promised.number, asked)
        self._flush()
        self._streams[promised.number] = promised
        self._answer_soon(promised).pushed = True

    def _hang_up(self) -> None:
        self._transport.close()

    def _flush(self) -> int:
        """Hand what h2 has made to the kernel: its size."""
        data = self._h2.data_to_send()
        if data and not self._transport.is_closing():
            self._transport.write(data)
        return len(data)
