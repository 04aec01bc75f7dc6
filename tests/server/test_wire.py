"""What is written to the socket, to the byte, and what the log says of it."""

from __future__ import annotations

import pytest

from harness.server import FixtureServer
from tests.server.wire import Raw, fetch, fields, status

BODY = b"<!DOCTYPE html><p>A small page.</p>\n"


async def test_a_file_is_served_to_the_byte(server: FixtureServer) -> None:
    head, body = await fetch(server.port, "/page.html")
    assert head == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 36\r\nConnection: close\r\n\r\n"
    )
    assert body == BODY


async def test_the_log_counts_every_byte_once(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    asked = raw.send("/page.html?length=off&chunks=3")
    head = await raw.head()
    entry = await server.wait_for("/page.html", "done")
    body = await raw.exactly(entry.body_bytes + entry.framing_bytes)
    assert body == b"c\r\n" + BODY[:12] + b"\r\nc\r\n" + BODY[12:24] + b"\r\nc\r\n" + BODY[24:] + b"\r\n0\r\n\r\n"
    assert (entry.request_bytes, entry.header_bytes) == (asked, len(head))
    assert (entry.body_bytes, entry.framing_bytes) == (36, 3 * 5 + 5)
    assert len(entry.chunks_us) == 3
    times = [entry.request_us, entry.headers_us, entry.first_byte_us, *entry.chunks_us, entry.end_us]
    assert times == sorted(times)
    assert (entry.aborted, entry.aborted_by, entry.connection, entry.status) == (False, "", 1, 200)


async def test_a_kept_connection_answers_one_request_after_the_other(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    for size in (5, 70_000, 0):
        raw.send(f"/gen/text?bytes={size}")
        head = await raw.head()
        assert fields(head)["content-length"] == str(size)
        assert len(await raw.exactly(size)) == size
    assert [entry.connection for entry in server.log] == [1, 1, 1]


async def test_pipelined_requests_are_counted_apart(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    sizes = [raw.send(f"/gen/text?bytes={size}") for size in (1, 22, 333)]
    for size in (1, 22, 333):
        await raw.head()
        await raw.exactly(size)
    assert [entry.request_bytes for entry in server.log] == sizes


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "OPTIONS"])
async def test_any_method_is_answered_and_head_without_a_body(server: FixtureServer, method: str) -> None:
    head, body = await fetch(server.port, "/page.html", method=method)
    assert status(head) == 200
    assert fields(head)["content-length"] == "36"
    assert body == (b"" if method == "HEAD" else BODY)


async def test_the_body_of_a_request_is_read_and_counted(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    asked = raw.send("/page.html", method="POST", headers="Content-Length: 5\r\n")
    raw.writer.write(b"hello")
    await raw.head()
    assert server.log[0].request_bytes == asked + 5
