"""HTTP/1.1 on one connection. h11 reads requests; the response is written by hand, so that every byte and every
write on the wire is ours to place and to count."""

from __future__ import annotations

import asyncio
import socket
import struct
from http import HTTPStatus

import h11

from harness.errors import Problem
from harness.server.connection import Shared, TcpConnection
from harness.server.journal import Exchange, now_us
from harness.server.reply import Action, Cut, Data, End, Head, Hint, Hold, Reply, Request, Sleep
from harness.server.resolve import failure

# More than this at once waits for the kernel in between, so that `end_us` of a large body is near its real end.
SLAB_BYTES = 64 * 1024
LAST_CHUNK = b"0\r\n\r\n"


class Http1Connection(TcpConnection):
    """Answers the requests of one connection in order until either side closes it."""

    def __init__(self, number: int, scheme: str, shared: Shared) -> None:
        super().__init__(number, scheme, shared)
        self._received = bytearray()
        self._arrived = asyncio.Event()
        self._exchange: Exchange | None = None

    # --- what the transport tells ------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._arrived.set()

    def eof_received(self) -> None:
        # A client that half-closes is taken as gone: a browser that cancels a request looks the same.
        self.connection_lost(None)

    def _end(self) -> None:
        if self.task:
            self.task.cancel()

    # --- requests ----------------------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        try:
            while await self._one_exchange():
                self._exchange = None
        except asyncio.CancelledError:
            self._leave_open(self._left_first or "server")
        except Exception as error:
            self._failed(error)
            self._leave_open("server")
        finally:
            self._transport.close()

    def _leave_open(self, who: str) -> None:
        if self._exchange:
            self._leave(self._exchange, who)

    async def _one_exchange(self) -> bool:
        """Read one request and answer it; whether another may follow on this connection."""
        parser = h11.Connection(h11.SERVER)
        size = 0
        head: h11.Request | None = None
        try:
            while not isinstance(event := parser.next_event(), h11.EndOfMessage):
                if isinstance(event, h11.Request):
                    head = event
                elif event is h11.NEED_DATA:
                    data = await self._read()
                    size += len(data)
                    parser.receive_data(data)
        except h11.RemoteProtocolError as error:
            problem = Problem(f"a request that is not HTTP/1.1: {error}")
            self._shared.problems.append(problem)
            exchange = self._open(Request("", "", "", {}), "http/1.1", size)
            return await self._answer(failure("GET", 400, str(problem)), exchange, keep=False)
        assert head is not None
        rest = parser.trailing_data[0]
        self._received[:0] = rest
        request, version = _request(head), head.http_version.decode()
        keep = version == "1.1" and "close" not in request.headers.get("connection", "").lower()
        exchange = self._open(request, f"http/{version}", size - len(rest))
        return await self._answer(await self._resolve(request), exchange, keep)

    async def _read(self) -> bytes:
        while not self._received:
            self._arrived.clear()
            await self._arrived.wait()
        data = bytes(self._received)
        self._received.clear()
        return data

    # --- responses ---------------------------------------------------------------------------------------------------

    def _open(self, request: Request, protocol: str, size: int) -> Exchange:
        self._exchange = super()._open(request, protocol, size)
        return self._exchange

    async def _answer(self, reply: Reply, exchange: Exchange, keep: bool) -> bool:
        chunked = reply.framing == "chunked" and exchange.protocol == "http/1.1"
        keep = keep and reply.framing != "close"
        for action in reply.script:
            if not await self._perform(action, reply, exchange, chunked, keep):
                return False
        return keep

    async def _perform(self, action: Action, reply: Reply, exchange: Exchange, chunked: bool, keep: bool) -> bool:
        """Carry out one action; whether the connection still stands."""
        match action:
            case Hold(name):
                await self._shared.holds.wait(name)
            case Sleep(us):
                await asyncio.sleep(us / 1e6)
            case Hint(link):
                hint = f"HTTP/1.1 103 Early Hints\r\nLink: {link}\r\n\r\n".encode("latin-1")
                exchange.hints_us, exchange.hint_bytes = now_us(), len(hint)
                await self._write(hint, exchange.hints_us)
            case Head():
                head = _head(reply, chunked, keep)
                exchange.status, exchange.header_bytes = reply.status, len(head)
                exchange.headers_us = exchange.last_write_us = now_us()
                await self._write(head, exchange.headers_us)
                self._shared.journal.changed()
            case Data(start, end):
                await self._send_data(reply.body[start:end], exchange, chunked)
            case End():
                if chunked and reply.sends_body:
                    exchange.framing_bytes += len(LAST_CHUNK)
                    exchange.last_write_us = await self._write(LAST_CHUNK, now_us())
                exchange.end_us = exchange.last_write_us
                self._shared.journal.changed()
            case Cut(reset):
                self._leave(exchange, "server")
                if reset:
                    linger = struct.pack("ii", 1, 0)  # on, for no time: close() sends RST
                    self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self._transport.abort()
                return False
        return True

    async def _send_data(self, data: bytes, exchange: Exchange, chunked: bool) -> None:
        begin, finish = (f"{len(data):x}\r\n".encode(), b"\r\n") if chunked else (b"", b"")
        exchange.framing_bytes += len(begin) + len(finish)
        moment = exchange.begin_chunk(len(data))
        exchange.last_write_us = await self._write(begin + data + finish, moment)

    async def _write(self, data: bytes, moment: float) -> float:
        """Hand all of it to the kernel from `moment` on; the time just before the last of it."""
        for start in range(0, len(data), SLAB_BYTES):
            if start:
                await self._drained.wait()
                moment = now_us()
            self._transport.write(data[start : start + SLAB_BYTES])
        await self._drained.wait()
        return moment


def _request(head: h11.Request) -> Request:
    headers: dict[str, str] = {}
    for raw_name, raw_value in head.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Request(head.method.decode(), headers.get("host", ""), head.target.decode("latin-1"), headers)


def _head(reply: Reply, chunked: bool, keep: bool) -> bytes:
    headers = list(reply.headers)
    if chunked:
        headers.append(("Transfer-Encoding", "chunked"))
    elif reply.framing == "length":
        headers.append(("Content-Length", str(len(reply.body))))
    if not keep:
        headers.append(("Connection", "close"))
    phrase = HTTPStatus(reply.status).phrase if reply.status in set(HTTPStatus) else ""
    lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1")
