"""Only loopback, only known hosts, only files below the roots."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from harness.errors import ServerError
from harness.server import FixtureServer
from tests.server.wire import Raw, fetch, status


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that lies beside the served folder."""
    file = tmp_path / "secret.html"
    file.write_text("SECRET")
    return file


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.html",
        "/%2e%2e/secret.html",
        "/%2E%2e%2fsecret.html",
        "/x/../../secret.html",
        "/./../secret.html",
        "/..%5csecret.html",
        "/..\\secret.html",
        "/%252e%252e/secret.html",
        "//secret.html",
        "/{absolute}",
        "/%2f{absolute}",
        "{absolute}",
        "http://127.0.0.1/../secret.html",
        "/page.html%00.css",
        "/page.html/../../secret.html",
        "/link.html",
        "/folder/secret.html",
        "/",
        "/gen/../../secret.html",
    ],
)
async def test_no_spelling_leads_out(server: FixtureServer, tmp_path: Path, secret: Path, target: str) -> None:
    (tmp_path / "site" / "link.html").symlink_to(secret)
    (tmp_path / "site" / "folder").symlink_to(tmp_path)
    head, body = await fetch(server.port, target.replace("{absolute}", str(secret)))
    assert status(head) in (400, 403, 404)
    assert b"SECRET" not in body
    assert server.problems


async def test_a_link_inside_its_root_is_served(server: FixtureServer, tmp_path: Path) -> None:
    (tmp_path / "site" / "alias.html").symlink_to("page.html")
    head, _ = await fetch(server.port, "/alias.html")
    assert status(head) == 200


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "x.localhost:80", "a.test:5", "b.test", "www.A.test"])
async def test_known_hosts_are_served_and_logged_as_sent(server: FixtureServer, host: str) -> None:
    head, _ = await fetch(server.port, "/page.html", host=host)
    assert (status(head), server.log[0].host) == (200, host)


@pytest.mark.parametrize("host", ["example.com", "a.test.example.com", "nottest", "127.0.0.1.example.com", ""])
async def test_a_foreign_host_gets_nothing(server: FixtureServer, host: str) -> None:
    head, body = await fetch(server.port, "/page.html", host=host)
    assert status(head) == 421
    assert b"small page" not in body
    assert "unknown host" in server.problems[0].message


async def test_only_loopback_is_bound(server: FixtureServer) -> None:
    assert server.origin == f"http://127.0.0.1:{server.port}"
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.2", server.port)


@pytest.mark.parametrize("noise", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"])
async def test_what_is_not_http_is_refused_and_reported(server: FixtureServer, noise: bytes) -> None:
    raw = await Raw.open(server.port)
    raw.writer.write(noise)
    assert status(await raw.head()) == 400
    assert "not HTTP/1.1" in server.problems[0].message


async def test_the_first_root_wins_and_a_hidden_fixture_is_an_error(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "same.html").write_text(folder.name)
    (second / "own name.html").write_text("x")
    async with FixtureServer([first, second]) as server:
        _, body = await fetch(server.port, "/same.html")
        assert body == b"first"
        assert server.url_for(second / "own name.html", "a.test") == f"http://a.test:{server.port}/own%20name.html"
        with pytest.raises(ServerError, match="hidden by"):
            server.url_for(second / "same.html")
        with pytest.raises(ServerError, match="none of the folders"):
            server.url_for(tmp_path / "elsewhere.html")


def test_a_root_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="not a folder"):
        FixtureServer([tmp_path / "missing"])


async def test_a_missing_file_is_reported_unless_it_is_meant(server: FixtureServer) -> None:
    head, _ = await fetch(server.port, "/missing.png?status=404")
    assert (status(head), server.problems) == (404, [])
    head, _ = await fetch(server.port, "/missing.png")
    assert (status(head), len(server.problems)) == (404, 1)


async def test_the_favicon_is_answered_without_a_file(server: FixtureServer, tmp_path: Path) -> None:
    head, _ = await fetch(server.port, "/favicon.ico")
    assert (status(head), server.log[0].path, server.problems) == (204, "/favicon.ico", [])
    (tmp_path / "site" / "favicon.ico").write_bytes(b"icon")
    assert (await fetch(server.port, "/favicon.ico"))[1] == b"icon"
