"""HTTP/2 on one connection. h2 keeps the protocol's state; each stream plays its reply's script, as in `http1.py`."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field

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

from harness.errors import Problem
from harness.server.connection import Connection, Shared
from harness.server.journal import Exchange, now_us
from harness.server.reply import Action, Cut, Data, End, Head, Hint, Hold, Reply, Request, Sleep

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class _Stream:
    request: Request
    body_bytes: int = 0
    exchange: Exchange | None = None
    task: asyncio.Task[None] | None = None
    open_window: asyncio.Event = field(default_factory=asyncio.Event)


class Http2Connection(Connection):
    """Answers the requests of one connection side by side until either side closes it."""

    def __init__(self, number: int, scheme: str, shared: Shared) -> None:
        super().__init__(number, scheme, shared)
        self._streams: dict[int, _Stream] = {}
        self._h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._gone = asyncio.Event()

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

    def _end(self) -> None:
        self._gone.set()

    async def _serve(self) -> None:
        """Ends when the connection does, with all its streams."""
        try:
            await self._gone.wait()
        finally:
            self._left_first = self._left_first or "server"
            tasks = [stream.task for stream in self._streams.values() if stream.task]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._transport.close()

    # --- requests ----------------------------------------------------------------------------------------------------

    def _take(self, event: Event) -> None:
        match event:
            case RequestReceived():
                self._streams[event.stream_id] = _Stream(_request(event.headers))
            case DataReceived():
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                self._streams[event.stream_id].body_bytes += len(event.data)
            case StreamEnded():
                stream = self._streams[event.stream_id]
                stream.exchange = self._open(stream.request, "h2", stream.body_bytes)
                stream.task = asyncio.get_running_loop().create_task(self._answer(event.stream_id, stream))
            case StreamReset():
                if (cancelled := self._streams.get(event.stream_id)) and cancelled.task:
                    cancelled.task.cancel()
            case WindowUpdated() | RemoteSettingsChanged():
                for waiting in self._streams.values():
                    waiting.open_window.set()

    async def _answer(self, number: int, stream: _Stream) -> None:
        exchange = stream.exchange
        assert exchange is not None
        try:
            reply = await self._resolve(stream.request)
            for place, action in enumerate(reply.script):
                ends = reply.script[place + 1 :] == (End(),) and not (reply.framing == "chunked" and reply.sends_body)
                await self._perform(action, reply, number, stream, exchange, ends)
        except asyncio.CancelledError:
            self._leave(exchange, self._left_first or "client")
        except Exception as error:
            self._failed(error)
            self._leave(exchange, "server")
            with contextlib.suppress(ProtocolError):
                self._h2.reset_stream(number, ErrorCodes.INTERNAL_ERROR)
            self._flush()

    # --- responses ---------------------------------------------------------------------------------------------------

    async def _perform(
        self, action: Action, reply: Reply, number: int, stream: _Stream, exchange: Exchange, ends: bool
    ) -> None:
        """Carry out one action. `ends`: what it sends is the last of the stream, and says so in the same frame."""
        match action:
            case Hold(name):
                await self._shared.holds.wait(name)
            case Sleep(us):
                await asyncio.sleep(us / 1e6)
            case Hint(value):
                exchange.hints_us = now_us()
                self._h2.send_headers(number, [(":status", "103"), ("link", value)])
                exchange.hint_bytes += self._flush()
            case Head():
                exchange.status = reply.status
                exchange.headers_us = exchange.last_write_us = now_us()
                self._h2.send_headers(number, _headers(reply), end_stream=ends)
                exchange.header_bytes = self._flush()
                self._shared.journal.changed()
            case Data(start, end):
                await self._send_data(reply.body[start:end], number, stream, exchange, ends)
            case End():
                if reply.framing == "chunked" and reply.sends_body:
                    exchange.last_write_us = now_us()
                    self._h2.end_stream(number)
                    exchange.framing_bytes += self._flush()
                exchange.end_us = exchange.last_write_us
                self._shared.journal.changed()
            case Cut(reset):
                self._leave(exchange, "server")
                if reset:
                    self._h2.reset_stream(number, ErrorCodes.INTERNAL_ERROR)
                    self._flush()
                else:
                    self._gone.set()

    async def _send_data(self, data: bytes, number: int, stream: _Stream, exchange: Exchange, ends: bool) -> None:
        exchange.begin_chunk(len(data))
        for start, end in self._pieces(len(data)):
            size = end - start
            while self._h2.local_flow_control_window(number) < size:
                stream.open_window.clear()
                await stream.open_window.wait()
            exchange.last_write_us = now_us()
            self._h2.send_data(number, data[start:end], end_stream=ends and end == len(data))
            exchange.framing_bytes += self._flush() - size
            await self._drained.wait()

    def _pieces(self, size: int) -> list[tuple[int, int]]:
        most = self._h2.max_outbound_frame_size
        return [(start, min(start + most, size)) for start in range(0, size, most)]

    def _flush(self) -> int:
        """Hand what h2 has made to the kernel: its size."""
        data = self._h2.data_to_send()
        if data and not self._transport.is_closing():
            self._transport.write(data)
        return len(data)


def _request(raw: object) -> Request:
    headers: dict[str, str] = {}
    for name, value in raw:  # type: ignore[attr-defined]
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    method, host, target = headers.pop(":method"), headers.pop(":authority", ""), headers.pop(":path")
    headers.pop(":scheme", None)
    return Request(method, host or headers.get("host", ""), target, headers)


def _headers(reply: Reply) -> Headers:
    headers = [(":status", str(reply.status)), *((name.lower(), value) for name, value in reply.headers)]
    if reply.framing == "length":
        headers.append(("content-length", str(len(reply.body))))
    return headers
