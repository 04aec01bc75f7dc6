"""One session over one websocket.

A websocket for each target (`/devtools/page/<id>`) and not sessions multiplexed on one: every Chromium that listens on
a port has them, back to 64, where `Target.attachToTarget` does not know `flatten` yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, RejectConnection, Request, TextMessage
from wsproto.utilities import ProtocolError

from harness.errors import BrowserError

_READ = 1 << 18  # bytes
_LONGEST_S = 180.0  # a backstop: whoever calls has a shorter limit of its own
_CLOSE_S = 2.0

Handler = Callable[[dict[str, Any]], Any]


class Refused(BrowserError):
    """The browser answered a command with an error; `str` is `Domain.method: what it said`."""


class _Message(msgspec.Struct):
    """Both kinds: an answer has an id, an event has a method."""

    id: int | None = None
    result: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    method: str = ""
    params: dict[str, Any] = {}


_DECODE = msgspec.json.Decoder(_Message).decode


class Socket:
    """A `Session`. Every call ends at once, with `BrowserError`, when the connection does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wire: WSConnection) -> None:
        self._reader, self._writer, self._wire = reader, writer, wire
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._handlers: dict[str, list[Handler]] = {}
        self.closed = asyncio.Event()
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def connect(cls, url: str, seconds: float = 15.0) -> Socket:
        """Connect to a `ws://` address; `BrowserError` when nobody accepts within `seconds`."""
        parts = urlsplit(url)
        try:
            async with asyncio.timeout(seconds):
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                try:
                    wire = await _upgrade(reader, writer, parts.netloc, parts.path)
                except BaseException:
                    writer.close()
                    raise
        except (OSError, ProtocolError) as error:  # TimeoutError is an OSError
            raise BrowserError(f"no connection to the browser at {url}: {error or 'no answer'}") from None
        return cls(reader, writer, wire)

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a command. `Refused` when the browser answers with an error, `BrowserError` when it is gone."""
        if self.closed.is_set():
            raise BrowserError(f"{method}: the connection to the browser is closed")
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        text = msgspec.json.encode({"id": number, "method": method, "params": params or {}}).decode()
        try:
            async with asyncio.timeout(_LONGEST_S):
                self._writer.write(self._wire.send(TextMessage(data=text)))
                await self._writer.drain()
                result: dict[str, Any] = await answer
                return result
        except Refused as error:
            raise Refused(f"{method}: {error}") from None
        except TimeoutError:
            raise BrowserError(f"{method}: no answer within {_LONGEST_S:g} s") from None
        except (BrowserError, ConnectionError):
            raise BrowserError(f"{method}: the connection to the browser broke off") from None
        finally:
            self._answers.pop(number, None)

    def on(self, event: str, f: Handler) -> None:
        """Call `f` with the parameters of each event of this name, in the order in which they come."""
        self._handlers.setdefault(event, []).append(f)

    async def detach(self) -> None:
        """Close the connection; bounded, and silent when it is gone already."""
        with contextlib.suppress(ProtocolError, OSError):
            async with asyncio.timeout(_CLOSE_S):
                if not self.closed.is_set():
                    self._writer.write(self._wire.send(CloseConnection(code=1000)))
                    await self._writer.drain()
                    await self.closed.wait()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)

    async def _listen(self) -> None:
        text: list[str] = []
        try:
            while True:
                for event in self._wire.events():  # the first may have come along with the handshake
                    if isinstance(event, TextMessage):
                        text.append(event.data)
                        if event.message_finished:
                            whole, text = "".join(text), []
                            self._take(_DECODE(whole))
                    elif isinstance(event, Ping):
                        self._writer.write(self._wire.send(event.response()))
                    elif isinstance(event, CloseConnection):
                        return
                if not (data := await self._reader.read(_READ)):
                    return
                self._wire.receive_data(data)
        except (OSError, ProtocolError):
            return  # the browser died in the middle of a word
        finally:
            self.closed.set()
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(BrowserError("closed"))
            self._writer.close()

    def _take(self, message: _Message) -> None:
        if message.id is None:
            for handler in self._handlers.get(message.method, ()):
                handler(message.params)
        elif (answer := self._answers.get(message.id)) and not answer.done():
            if message.error is None:
                answer.set_result(message.result)
            else:
                answer.set_exception(Refused(_words(message.error)))


async def _upgrade(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str) -> WSConnection:
    wire = WSConnection(ConnectionType.CLIENT)
    writer.write(wire.send(Request(host=host, target=path)))
    while data := await reader.read(_READ):
        wire.receive_data(data)
        for event in wire.events():
            if isinstance(event, AcceptConnection):
                return wire
            if isinstance(event, RejectConnection):
                raise ConnectionRefusedError(f"it answered with status {event.status_code}")
    raise ConnectionResetError("it closed the connection")


def _words(error: dict[str, Any]) -> str:
    return " ".join(str(error[key]) for key in ("message", "data") if error.get(key))
