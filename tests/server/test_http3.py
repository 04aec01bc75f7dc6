"""HTTP/3: what a client gets, that the log has its bytes, and that Chromium speaks it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent, StreamDataReceived, StreamReset

from harness.browser import launch, probe
from harness.scenario.model import BrowserSpec
from harness.server import FixtureServer
from harness.server.server import SECURE_HTTP3

ROOTS = [Path(__file__).parent]
SHELL = Path("/usr/bin/chromium-headless-shell")


class Answer:
    """What came on one stream: heads, body, and the bytes of the stream itself."""

    def __init__(self) -> None:
        self.heads: list[dict[str, str]] = []
        self.body = b""
        self.stream_bytes = 0
        self.cut = ""
        self.done = asyncio.Event()


class Client(QuicConnectionProtocol):
    def __init__(self, *args: object, **named: object) -> None:
        super().__init__(*args, **named)  # type: ignore[arg-type]
        self.h3 = H3Connection(self._quic)
        self.answers: dict[int, Answer] = {}

    def ask(self, target: str, method: str = "GET", body: bytes = b"") -> tuple[int, Answer]:
        stream = self._quic.get_next_available_stream_id()
        self.answers[stream] = Answer()
        names = {":method": method, ":scheme": "https", ":authority": "a.test:7443", ":path": target}
        self.h3.send_headers(stream, [(key.encode(), value.encode()) for key, value in names.items()], not body)
        if body:
            self.h3.send_data(stream, body, True)
        self.transmit()
        return stream, self.answers[stream]

    async def get(self, target: str) -> Answer:
        _, answer = self.ask(target)
        await answer.done.wait()
        return answer

    def cancel(self, stream: int) -> None:
        self._quic.stop_stream(stream, 0x10C)
        self.transmit()

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, StreamDataReceived) and event.stream_id in self.answers:
            self.answers[event.stream_id].stream_bytes += len(event.data)
        if isinstance(event, StreamReset) and event.stream_id in self.answers:
            self.answers[event.stream_id].cut = "reset"
            self.answers[event.stream_id].done.set()
        if isinstance(event, ConnectionTerminated):
            for answer in self.answers.values():
                answer.cut = answer.cut or "closed"
                answer.done.set()
        for one in self.h3.handle_event(event):
            if isinstance(one, HeadersReceived):
                heads = {name.decode(): value.decode() for name, value in one.headers}
                self.answers[one.stream_id].heads.append(heads)
            elif isinstance(one, DataReceived):
                self.answers[one.stream_id].body += one.data
            if isinstance(one, HeadersReceived | DataReceived) and one.stream_ended:
                self.answers[one.stream_id].done.set()


@asynccontextmanager
async def client(server: FixtureServer) -> AsyncIterator[Client]:
    port = int(server.host_rules.partition(f"MAP *.test:{SECURE_HTTP3} 127.0.0.1:")[2].partition(",")[0])
    configuration = QuicConfiguration(alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE, server_name="a.test")
    async with connect("127.0.0.1", port, configuration=configuration, create_protocol=Client) as connected:
        assert isinstance(connected, Client)
        yield connected


async def test_bytes_are_those_of_the_stream() -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        answer = await asking.get("/gen/text?bytes=200000&chunks=3")
        entry = server.log[0]
    assert (len(answer.body), answer.heads[0]["content-length"]) == (200_000, "200000")
    assert (entry.protocol, entry.scheme, entry.host, entry.status) == ("h3", "https", "a.test:7443", 200)
    assert len(entry.chunks_us) == 3 and entry.end_us and not entry.aborted
    assert entry.framing_bytes == 3 * 5 and entry.body_bytes == 200_000
    assert answer.stream_bytes == entry.header_bytes + entry.body_bytes + entry.framing_bytes


async def test_a_repeated_head_is_packed() -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        for _ in range(2):
            await asking.get(f"/none?status=204&header=X-Long:{'abcdefghij' * 80}")
        first, second = server.log
    assert second.header_bytes < first.header_bytes / 10


async def test_early_hints_and_an_open_end() -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        answer = await asking.get("/gen/text?bytes=10&early_hints=<x>;rel=preload&length=off")
        entry = server.log[0]
    assert [head[":status"] for head in answer.heads] == ["103", "200"]
    assert "content-length" not in answer.heads[1] and entry.framing_bytes == 2 + 2
    assert entry.hint_bytes and 0 < entry.hints_us < entry.headers_us


@pytest.mark.parametrize(("how", "cut"), [("5:reset", "reset"), ("5", "closed")])
async def test_a_body_is_cut(how: str, cut: str) -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        answer = await asking.get(f"/gen/text?bytes=10&abort_at={how}")
        assert (answer.cut, server.log[0].aborted_by) == (cut, "server")


async def test_the_server_knows_when_the_client_cancels_and_what_it_posted() -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        stream, _ = asking.ask("/gen/text?bytes=10&hold=never", "POST", b"12345")
        assert (await server.wait_for("hold=never", "received")).request_bytes == 5
        asking.cancel(stream)
        assert (await server.wait_for("hold=never", "done")).aborted_by == "client"


async def test_the_server_ends_while_a_client_waits() -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        asking.ask("/gen/text?bytes=10&hold=never")
        await server.wait_for("hold=never", "received")
    assert server.log[0].aborted_by and not server.problems


async def test_what_comes_while_the_server_ends_is_not_answered() -> None:
    async with FixtureServer(ROOTS) as server, client(server) as asking:
        for _ in range(60):
            asking.ask("/gen/text?bytes=500000&hold=never")
        await server.wait_for("hold=never", "received")
        await server.__aexit__(None, None, None)
        assert not [task for task in asyncio.all_tasks() if "Multiplexed._answer" in str(task.get_coro())]
        assert {entry.aborted_by for entry in server.log} == {"server"}


@pytest.mark.browser
@pytest.mark.skipif(not SHELL.exists(), reason=f"{SHELL} is not there")
async def test_chromium_speaks_it() -> None:
    build = probe(SHELL, "installed")
    async with (
        FixtureServer(ROOTS) as server,
        launch(build, "shell", BrowserSpec(profile="tls"), host_rules=server.host_rules) as browser,
    ):
        page = await browser.new_page()
        for host in ("a.test", "b.test"):
            answer = await page.goto(f"https://{host}:7443/gen/html?elements=3")
            assert answer is not None and answer.status == 200
        assert await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h3"
        pages = [entry for entry in server.log if entry.path.startswith("/gen/html")]
    assert [entry.protocol for entry in pages] == ["h3", "h3"]
