"""The client against a server of the test's own, which says what a browser would, or dies in the middle of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Pong, RejectConnection, Request, TextMessage

from harness.cdp import Refused, Socket
from harness.errors import BrowserError

Talk = Callable[["Peer"], Awaitable[None]]


class Peer:
    """The browser's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer, self._wire = reader, writer, WSConnection(ConnectionType.SERVER)
        self.path = ""

    async def next(self) -> Any:
        """The next event of the connection."""
        while True:
            for event in self._wire.events():
                return event
            self._wire.receive_data(await self._reader.read(65536) or None)

    async def say(self, event: Any) -> None:
        self._writer.write(self._wire.send(event))
        await self._writer.drain()

    async def accept(self) -> None:
        request = await self.next()
        assert isinstance(request, Request)
        self.path = request.target
        await self.say(AcceptConnection())

    async def command(self) -> dict[str, Any]:
        event = await self.next()
        assert isinstance(event, TextMessage)
        return dict(json.loads(event.data))

    async def tell(self, **message: Any) -> None:
        await self.say(TextMessage(data=json.dumps(message)))

    def cut(self) -> None:
        self._writer.transport.abort()


@asynccontextmanager
async def browser(talk: Talk) -> AsyncIterator[str]:
    """The address of a server whose every connection is `talk`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(Peer(reader, writer))
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}/devtools/browser/abc"


async def test_commands_and_answers_in_any_order() -> None:
    async def talk(peer: Peer) -> None:
        await peer.accept()
        first, second = await peer.command(), await peer.command()
        assert peer.path == "/devtools/browser/abc"
        await peer.tell(id=second["id"], result={"of": second["method"], "with": second["params"]})
        await peer.tell(id=first["id"], result={"of": first["method"]})
        await peer.next()

    async with browser(talk) as url:
        socket = await Socket.connect(url)
        one, two = await asyncio.gather(socket.send("A.one"), socket.send("B.two", {"x": 1}))
        await socket.detach()
    assert one == {"of": "A.one"}
    assert two == {"of": "B.two", "with": {"x": 1}}


async def test_an_answer_larger_than_a_frame_and_a_read() -> None:
    large = "x" * 3_000_000

    async def talk(peer: Peer) -> None:
        await peer.accept()
        text = json.dumps({"id": (await peer.command())["id"], "result": {"data": large}})
        for start in range(0, len(text), 700_000):
            piece = text[start : start + 700_000]
            await peer.say(TextMessage(data=piece, message_finished=start + 700_000 >= len(text)))
        await peer.next()

    async with browser(talk) as url:
        socket = await Socket.connect(url)
        assert (await socket.send("IO.read"))["data"] == large
        await socket.detach()


async def test_events_reach_their_handlers_in_order() -> None:
    async def talk(peer: Peer) -> None:
        await peer.accept()
        number = (await peer.command())["id"]
        for value in range(3):
            await peer.tell(method="Some.event", params={"value": value})
        await peer.tell(method="Other.event", params={})
        await peer.tell(id=number, result={})
        await peer.next()

    heard: list[int] = []
    async with browser(talk) as url:
        socket = await Socket.connect(url)
        socket.on("Some.event", lambda event: heard.append(event["value"]))
        await socket.send("Go.now")
        await socket.detach()
    assert heard == [0, 1, 2]


async def test_a_refusal_in_the_browsers_words() -> None:
    async def talk(peer: Peer) -> None:
        await peer.accept()
        number = (await peer.command())["id"]
        await peer.tell(id=number, error={"code": -32601, "message": "'No.such' wasn't found", "data": "really"})
        await peer.next()

    async with browser(talk) as url:
        socket = await Socket.connect(url)
        with pytest.raises(Refused, match=r"^No\.such: 'No\.such' wasn't found really$"):
            await socket.send("No.such")
        await socket.detach()


async def test_a_ping_is_answered() -> None:
    answered = asyncio.Event()

    async def talk(peer: Peer) -> None:
        await peer.accept()
        await peer.say(Ping(payload=b"there?"))
        pong = await peer.next()
        assert isinstance(pong, Pong)
        assert pong.payload == b"there?"
        answered.set()
        await peer.next()

    async with browser(talk) as url:
        socket = await Socket.connect(url)
        await asyncio.wait_for(answered.wait(), 10)
        await socket.detach()


@pytest.mark.parametrize("polite", [False, True], ids=["cut", "closed"])
async def test_a_call_ends_when_the_browser_does(polite: bool) -> None:
    async def talk(peer: Peer) -> None:
        await peer.accept()
        await peer.command()
        if polite:
            await peer.say(CloseConnection(code=1001))
        else:
            peer.cut()

    async with browser(talk) as url:
        socket = await Socket.connect(url)
        with pytest.raises(BrowserError, match="broke off"):
            await asyncio.wait_for(socket.send("Tracing.end"), 10)
        assert socket.closed.is_set()
        with pytest.raises(BrowserError, match="closed"):
            await socket.send("Tracing.end")
        await socket.detach()  # twice does no more
        await socket.detach()


async def test_nobody_listens_and_somebody_who_refuses() -> None:
    async def talk(peer: Peer) -> None:
        await peer.next()
        await peer.say(RejectConnection(status_code=404))

    async with browser(talk) as url:
        with pytest.raises(BrowserError, match="status 404"):
            await Socket.connect(url)
    with pytest.raises(BrowserError, match="no connection"):
        await Socket.connect(url)


async def test_a_connection_that_is_never_answered_is_given_up() -> None:
    async def talk(peer: Peer) -> None:
        await peer.next()
        await peer.next()  # the client goes away

    async with browser(talk) as url:
        with pytest.raises(BrowserError, match="no connection"):
            await Socket.connect(url, seconds=0.2)
