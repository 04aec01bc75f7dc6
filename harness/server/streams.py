"""Many requests on one connection, as HTTP/2 and HTTP/3 have them: each stream plays its reply's script."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.server.connection import Connection, Shared
from harness.server.journal import Exchange, now_us
from harness.server.reply import Action, Cut, Data, End, Head, Hint, Hold, Push, Reply, Request, Sleep

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Stream:
    """One request and its answer. `body_bytes` is what has come of the request's body."""

    number: int
    request: Request
    body_bytes: int = 0
    exchange: Exchange | None = None
    task: asyncio.Task[None] | None = None
    open_window: asyncio.Event = field(default_factory=asyncio.Event)


class Multiplexed(Connection):
    """Answers the requests of one connection side by side until either side closes it.

    A protocol says when a request has come (`_streams`, `_answer_soon`) and how frames are sent.
    """

    PROTOCOL = ""

    def __init__(self, number: int, scheme: str, shared: Shared) -> None:
        super().__init__(number, scheme, shared)
        self._streams: dict[int, Stream] = {}
        self._gone = asyncio.Event()

    # --- what a protocol does ----------------------------------------------------------------------------------------

    def _send_headers(self, stream: Stream, headers: Headers, *, ends: bool) -> int:
        """Send a block of headers; `ends`: it is the last of the stream. The bytes of its frames."""
        raise NotImplementedError

    async def _send_data(self, stream: Stream, exchange: Exchange, data: bytes, *, ends: bool) -> None:
        """Send a piece of the body, and note the time of the last write and the bytes that are not the body's."""
        raise NotImplementedError

    def _send_end(self, stream: Stream) -> int:
        """End the stream with a frame without content: its bytes."""
        raise NotImplementedError

    def _reset(self, stream: Stream) -> None:
        """Cut one stream off."""
        raise NotImplementedError

    def _hang_up(self) -> None:
        """Close the connection."""
        raise NotImplementedError

    def _push(self, stream: Stream, target: str) -> None:
        """Send what nobody has asked for yet, where the protocol and the client have such a thing."""

    # --- the life of a connection ------------------------------------------------------------------------------------

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
            self._hang_up()

    # --- one stream --------------------------------------------------------------------------------------------------

    def _answer_soon(self, stream: Stream) -> Exchange:
        """The request has been read: answer it from now on."""
        stream.exchange = self._open(stream.request, self.PROTOCOL, stream.body_bytes)
        stream.task = asyncio.get_running_loop().create_task(self._answer(stream, stream.exchange))
        return stream.exchange

    def _cancelled(self, number: int) -> None:
        """The client wants no more of this stream."""
        if (stream := self._streams.get(number)) and stream.task:
            stream.task.cancel()

    async def _answer(self, stream: Stream, exchange: Exchange) -> None:
        try:
            reply = await self._resolve(stream.request)
            for place, action in enumerate(reply.script):
                ends = reply.script[place + 1 :] == (End(),) and not _ends_apart(reply)
                await self._perform(action, reply, stream, exchange, ends)
        except asyncio.CancelledError:
            self._leave(exchange, self._left_first or "client")
        except Exception as error:
            self._failed(error)
            self._leave(exchange, "server")
            self._reset(stream)

    async def _perform(self, action: Action, reply: Reply, stream: Stream, exchange: Exchange, ends: bool) -> None:
        """Carry out one action. `ends`: what it sends is the last of the stream, and says so in the same frame."""
        match action:
            case Hold(name):
                await self._shared.holds.wait(name)
            case Sleep(us):
                await asyncio.sleep(us / 1e6)
            case Hint(value):
                exchange.hints_us = now_us()
                exchange.hint_bytes += self._send_headers(stream, [(":status", "103"), ("link", value)], ends=False)
            case Push(target):
                self._push(stream, target)
            case Head():
                exchange.status = reply.status
                exchange.headers_us = exchange.last_write_us = now_us()
                exchange.header_bytes = self._send_headers(stream, _headers(reply), ends=ends)
                self._shared.journal.changed()
            case Data(start, end):
                exchange.begin_chunk(end - start)
                await self._send_data(stream, exchange, reply.body[start:end], ends=ends)
            case End():
                if _ends_apart(reply):
                    exchange.last_write_us = now_us()
                    exchange.framing_bytes += self._send_end(stream)
                exchange.end_us = exchange.last_write_us
                self._shared.journal.changed()
            case Cut(reset):
                self._leave(exchange, "server")
                if reset:
                    self._reset(stream)
                else:
                    self._gone.set()


def request_of(headers: Iterable[tuple[str, str]]) -> Request:
    """A request from its block of headers."""
    names: dict[str, str] = {}
    for name, value in headers:
        names[name] = f"{names[name]}, {value}" if name in names else value
    method, host, target = names.pop(":method"), names.pop(":authority", ""), names.pop(":path")
    names.pop(":scheme", None)
    return Request(method, host or names.get("host", ""), target, names)


def _ends_apart(reply: Reply) -> bool:
    return reply.framing == "chunked" and reply.sends_body


def _headers(reply: Reply) -> Headers:
    headers = [(":status", str(reply.status)), *((name.lower(), value) for name, value in reply.headers)]
    if reply.framing == "length":
        headers.append(("content-length", str(len(reply.body))))
    return headers
