"""Time as order and ratio, connections that go away, waiting, and the end of the server."""

from __future__ import annotations

import asyncio
import gc
import gzip
import logging
from itertools import pairwise
from pathlib import Path

import pytest

from harness.errors import ServerError
from harness.server import FixtureServer, now_us
from tests.server.wire import Raw, fetch, fields, status


async def test_pauses_lie_between_the_chunks_that_the_client_sees_apart(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=30&chunks=3&pause=30ms&delay=60ms")
    await raw.head()
    seen = []
    for _ in range(3):
        await raw.exactly(10)
        seen.append(now_us())
    entry = await server.wait_for("/gen/text", "done")
    assert len(entry.chunks_us) == 3
    assert all(written <= read for written, read in zip(entry.chunks_us, seen, strict=True))
    first, second = (later - earlier for earlier, later in pairwise(entry.chunks_us))
    assert min(first, second) >= 30_000
    assert entry.headers_us - entry.request_us >= 60_000
    assert seen[0] < entry.chunks_us[1] < seen[1] < entry.chunks_us[2]


async def test_the_tail_keeps_a_complete_body_open(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=4&tail=30ms")
    await raw.head()
    assert await raw.exactly(9) == b"4\r\n0123\r\n"
    assert not server.log[0].end_us
    assert await raw.exactly(5) == b"0\r\n\r\n"
    entry = await server.wait_for("/gen/text", "done")
    assert entry.end_us - entry.first_byte_us >= 30_000


async def test_a_body_stops_at_its_holds_one_after_the_other(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=16&hold_at=4:one&hold_at=10:two")
    await raw.head()
    assert await raw.exactly(4) == b"0123"
    assert server.log[0].body_bytes == 4
    assert server.release("one") == 1
    assert await raw.exactly(6) == b"456789"
    server.release("two")
    assert await raw.exactly(6) == b"abcde\n"


async def test_one_held_response_does_not_hold_up_another(server: FixtureServer) -> None:
    held = await Raw.open(server.port)
    held.send("/page.html?hold=never")
    await server.wait_for("hold=never")
    head, _ = await fetch(server.port, "/page.html")
    assert status(head) == 200


@pytest.mark.parametrize(
    "target", ["/page.html?hold=never", "/gen/text?bytes=10&hold_at=5:never", "/page.html?delay=60s"]
)
async def test_a_client_that_leaves_is_logged(server: FixtureServer, target: str) -> None:
    raw = await Raw.open(server.port)
    raw.send(target)
    await server.wait_for(target)
    await raw.close()
    entry = await server.wait_for(target, "done")
    assert (entry.aborted, entry.aborted_by, entry.end_us) == (True, "client", 0)


async def test_a_client_that_does_not_read_stops_the_server_and_may_leave(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=50MB")
    await server.wait_for("50MB", "headers")
    raw.writer.transport.abort()
    entry = await server.wait_for("50MB", "done")
    assert entry.aborted_by == "client"


async def test_a_large_body_arrives_whole(server: FixtureServer) -> None:
    _, body = await fetch(server.port, "/gen/text?bytes=20MB&length=off&chunk_size=7MB")
    assert body[:8] == b"6acfc0\r\n"
    assert len(body) == 20_000_000 + server.log[0].framing_bytes


async def test_aborted_bodies_are_cut_at_the_byte(server: FixtureServer) -> None:
    _, body = await fetch(server.port, "/gen/text?bytes=100&abort_at=33")
    assert len(body) == 33
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=100&abort_at=33:reset")
    await raw.head()
    with pytest.raises(ConnectionResetError):
        await raw.rest()
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=100&abort_at=head")
    assert await raw.rest() == b""
    assert [(entry.status, entry.aborted_by) for entry in server.log] == [
        (200, "server"),
        (200, "server"),
        (0, "server"),
    ]


async def test_revalidation_answers_304_until_the_body_changes(server: FixtureServer, tmp_path: Path) -> None:
    head, _ = await fetch(server.port, "/page.html?cache=etag&header304=X-Told:again")
    assert "x-told" not in fields(head)
    tag = fields(head)["etag"]
    target = "/page.html?cache=etag&header304=X-Told:again"
    again, body = await fetch(server.port, target, headers=f"If-None-Match: {tag}\r\n")
    assert (status(again), body, fields(again)["etag"], fields(again)["x-told"]) == (304, b"", tag, "again")
    (tmp_path / "site" / "page.html").write_text("changed")
    changed, body = await fetch(server.port, "/page.html?cache=etag", headers=f"If-None-Match: {tag}\r\n")
    assert (status(changed), body) == (200, b"changed")


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("//b.test/x?y=1", "//b.test:5/x?y=1"),
        ("http://b.test/x", "http://b.test:5/x"),
        ("http://b.test:80/x", "http://b.test:80/x"),
        ("http://example.com/x", "http://example.com/x"),
        ("https://b.test/x", "https://b.test/x"),
        ("next.html", "next.html"),
        ("/a%25b%20c", "/a%b%20c"),
    ],
)
async def test_a_redirect_is_sent_as_written_but_for_the_port(server: FixtureServer, written: str, sent: str) -> None:
    head, body = await fetch(server.port, f"/x?redirect={written}", host="a.test:5")
    assert (status(head), fields(head)["location"], body) == (302, sent, b"")


async def test_a_mistake_that_is_repeated_is_one_problem(server: FixtureServer) -> None:
    for _ in range(3):
        await fetch(server.port, "/page.html?dealy=1s")
    assert len(server.problems) == 1


async def test_text_is_transcoded_before_it_is_compressed(server: FixtureServer, tmp_path: Path) -> None:
    (tmp_path / "site" / "kana.txt").write_text("かな", "utf-8")
    head, body = await fetch(server.port, "/kana.txt?charset=shift_jis&encoding=gzip")
    assert fields(head)["content-type"] == "text/plain; charset=shift_jis"
    assert gzip.decompress(body).decode("shift_jis") == "かな"
    assert (await fetch(server.port, "/kana.txt?charset=shift_jis&encoding=gzip"))[1] == body
    head, _ = await fetch(server.port, "/kana.txt?charset=ascii")
    assert status(head) == 400
    assert "cannot be transcoded" in server.problems[0].message


async def test_waiting_counts_looks_back_and_times_out_with_what_there_was(server: FixtureServer) -> None:
    await fetch(server.port, "/page.html?q=1")
    assert (await server.wait_for("page", "done")).path == "/page.html?q=1"
    middle = now_us()
    waiting = asyncio.create_task(server.wait_for("page", "done", count=2))
    await fetch(server.port, "/page.html?q=2")
    assert (await waiting).path == "/page.html?q=2"
    assert [entry.path for entry in server.take_log(middle)] == ["/page.html?q=2"]
    with pytest.raises(ServerError, match=r"/page\.html\?q=2 \(done\)") as caught:
        await server.wait_for("page", timeout_s=0.01, count=2, since_us=middle)
    assert "q=1" not in str(caught.value)


async def test_a_log_that_was_taken_does_not_change(server: FixtureServer) -> None:
    raw = await Raw.open(server.port)
    raw.send("/gen/text?bytes=10&chunks=2&hold_at=5:rest")
    await raw.head()
    await raw.exactly(5)
    before = server.log
    server.release("rest")
    await server.wait_for("/gen/text", "done")
    assert (len(before[0].chunks_us), before[0].end_us) == (1, 0)


async def test_the_end_takes_everything_with_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = asyncio.all_tasks()
    async with FixtureServer([tmp_path]) as server:
        for target in (
            "/gen/text?hold=a",
            "/gen/text?bytes=9&hold_at=3:b",
            "/gen/text?delay=60s",
            "/gen/text?bytes=90MB",
        ):
            (await Raw.open(server.port)).send(target)
            await server.wait_for(target)
        await Raw.open(server.port)  # never asks
    assert asyncio.all_tasks() == before
    assert {entry.aborted_by for entry in server.log} == {"server"}
    assert not server.problems
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", server.port)
    gc.collect()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_an_error_inside_the_block_comes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with FixtureServer([tmp_path]):
            raise KeyError


async def test_two_servers_are_apart(tmp_path: Path) -> None:
    async with FixtureServer([tmp_path]) as one, FixtureServer([tmp_path]) as other:
        assert one.port != other.port
        raw = await Raw.open(other.port)
        raw.send("/gen/text?hold=x")
        await other.wait_for("hold=x")
        assert (one.release("x"), one.log) == (0, [])
