"""TLS, HTTP/2 and early hints: what a client gets, and that the log has its bytes."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

from h2.connection import H2Connection
from h2.events import (
    DataReceived,
    Event,
    InformationalResponseReceived,
    PushedStreamReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
)
from h2.settings import SettingCodes

from harness.server import FixtureServer
from harness.server.server import SECURE, SECURE_HTTP1, SECURE_SLOW

ROOTS = [Path(__file__).parent]


def trusting(*protocols: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(list(protocols))
    return context


async def connect(
    server: FixtureServer, seen: int, *protocols: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(server.host_rules.partition(f"MAP *.test:{seen} 127.0.0.1:")[2].partition(",")[0])
    return await asyncio.open_connection("127.0.0.1", port, ssl=trusting(*protocols), server_hostname="a.test")


class Client:
    """One request over HTTP/2; `wire` has the size of each frame that came for its stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer, self.h2 = reader, writer, H2Connection()
        self.h2.initiate_connection()

    async def get(self, target: str) -> tuple[list[Event], dict[int, int]]:
        stream = self.h2.get_next_available_stream_id()
        names = [(":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", target)]
        self.h2.send_headers(stream, names, end_stream=True)
        self.writer.write(self.h2.data_to_send())
        events: list[Event] = []
        sizes: dict[int, int] = {}
        while not any(isinstance(event, StreamEnded | StreamReset) for event in events):
            head = await self.reader.readexactly(9)
            payload = await self.reader.readexactly(int.from_bytes(head[:3]))
            if int.from_bytes(head[5:]) == stream:
                sizes[head[3]] = sizes.get(head[3], 0) + 9 + len(payload)
            for event in self.h2.receive_data(head + payload):
                events.append(event)
                if isinstance(event, DataReceived):
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            self.writer.write(self.h2.data_to_send())
        return events, sizes


async def test_http2_counts_bytes_of_frames() -> None:
    async with FixtureServer(ROOTS) as server:
        client = Client(*await connect(server, SECURE, "h2"))
        events, sizes = await client.get("/gen/text?bytes=200000&chunks=3")
        body = b"".join(event.data for event in events if isinstance(event, DataReceived))
        entry = server.log[0]
        client.writer.close()
    assert len(body) == 200_000
    assert (entry.protocol, entry.scheme, entry.host, entry.status) == ("h2", "https", "a.test", 200)
    assert len(entry.chunks_us) == 3 and entry.end_us and not entry.aborted
    assert sizes == {0: entry.body_bytes + entry.framing_bytes, 1: entry.header_bytes}


async def test_http2_says_early_hints_and_resets_a_stream() -> None:
    async with FixtureServer(ROOTS) as server:
        client = Client(*await connect(server, SECURE, "h2"))
        events, _ = await client.get("/gen/text?bytes=10&early_hints=<x>;rel=preload&delay=1ms")
        kinds = [type(event) for event in events if isinstance(event, InformationalResponseReceived | ResponseReceived)]
        cut, _ = await client.get("/gen/text?bytes=10&abort_at=5:reset")
        hinted, aborted = server.log
        client.writer.close()
    assert kinds == [InformationalResponseReceived, ResponseReceived]
    assert hinted.hint_bytes and 0 < hinted.hints_us < hinted.headers_us
    assert any(isinstance(event, StreamReset) for event in cut) and aborted.aborted_by == "server"


async def test_http2_knows_when_the_client_cancels() -> None:
    async with FixtureServer(ROOTS) as server:
        client = Client(*await connect(server, SECURE, "h2"))
        stream = client.h2.get_next_available_stream_id()
        names = [(":method", "GET"), (":scheme", "https"), (":authority", "a.test")]
        client.h2.send_headers(stream, [*names, (":path", "/gen/text?bytes=10&hold=never")], end_stream=True)
        client.writer.write(client.h2.data_to_send())
        await server.wait_for("hold=never", "received")
        client.h2.reset_stream(stream)
        client.writer.write(client.h2.data_to_send())
        assert (await server.wait_for("hold=never", "done")).aborted_by == "client"
        client.writer.close()


async def test_http1_over_tls_with_hints() -> None:
    async with FixtureServer(ROOTS) as server:
        reader, writer = await connect(server, SECURE_HTTP1, "h2", "http/1.1")
        assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "http/1.1"
        target = "/gen/text?bytes=10&early_hints=<x>;rel=preload"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: a.test:8443\r\n\r\n".encode())
        hint = await reader.readuntil(b"\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        entry = await server.wait_for(target, "done")
        writer.close()
    assert hint.startswith(b"HTTP/1.1 103 Early Hints\r\nLink: <x>;rel=preload")
    assert (entry.hint_bytes, entry.header_bytes, entry.scheme) == (len(hint), len(head), "https")


async def test_a_slow_handshake_is_a_handshake() -> None:
    async with FixtureServer(ROOTS) as server:
        client = Client(*await connect(server, SECURE_SLOW, "h2"))
        events, _ = await client.get("/gen/text?bytes=10")
        client.writer.close()
    assert any(isinstance(event, ResponseReceived) for event in events)


async def test_http2_pushes_to_a_client_that_takes_it() -> None:
    async with FixtureServer(ROOTS) as server:
        client = Client(*await connect(server, SECURE, "h2"))
        events, _ = await client.get("/gen/text?bytes=10&push=/gen/css%3Frules=2")
        (promise,) = [event for event in events if isinstance(event, PushedStreamReceived)]
        pushed = await server.wait_for("/gen/css?rules=2", "done")
        client.writer.close()
    assert dict(promise.headers or [])[b":path"] == b"/gen/css?rules=2"
    assert pushed.pushed and pushed.status == 200 and not server.log[0].pushed


async def test_http2_pushes_nothing_to_one_that_does_not() -> None:
    async with FixtureServer(ROOTS) as server:
        client = Client(*await connect(server, SECURE, "h2"))
        client.h2.update_settings({SettingCodes.ENABLE_PUSH: 0})
        await client.get("/gen/text?bytes=10&push=/gen/css")
        assert [entry.path.partition("?")[0] for entry in server.log] == ["/gen/text"]
        client.writer.close()
