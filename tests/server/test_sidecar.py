"""`<fixture>.server.yaml`: what it may say, what goes before what, and its mistakes with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UserError
from harness.server import FixtureServer
from harness.server.sidecar import read
from tests.server.wire import fetch, fields, status


async def test_the_url_goes_before_a_route_and_a_route_before_defaults(server: FixtureServer, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "page.html.server.yaml").write_text("defaults: {status: 201, length: off, header: {A: 1}}\n")
    (site / "other.html").write_text("x")
    (site / "other.html.server.yaml").write_text("routes: {page.html: {status: 202, header: {B: 2}}}\n")
    head, _ = await fetch(server.port, "/page.html?status=203")
    assert status(head) == 203
    assert fields(head)["transfer-encoding"] == "chunked"
    assert "a" not in fields(head)
    assert fields(head)["b"] == "2"
    assert not server.problems


async def test_a_route_reaches_below_its_folder_only(server: FixtureServer, tmp_path: Path) -> None:
    deep = tmp_path / "site" / "deep"
    deep.mkdir()
    (deep / "page.html").write_text("x")
    (tmp_path / "site" / "page.html.server.yaml").write_text("routes: {deep/page.html: {status: 201}}")
    (deep / "page.html.server.yaml").write_text("routes: {gone.html: {redirect: page.html}}")
    answers = [await fetch(server.port, path) for path in ("/deep/page.html", "/deep/gone.html", "/gone.html")]
    assert [status(head) for head, _ in answers] == [201, 302, 404]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("defaults:\n  delay: 20\n", "2:3", "malformed delay"),
        ("defaults:\n  dealy: 20ms\n", "2:3", "unknown control 'dealy'"),
        ("default: {delay: 20ms}", "1:1", "unknown key 'default'"),
        ("defaults:\n  delay: 1s\n  delay: 2s\n", "3:3", "duplicate key 'delay'"),
        ("defaults: [delay]", "1:11", "wrong shape"),
        ("defaults: {delay: {a: b}}", "1:19", "not the value of a control"),
        ("defaults: {delay: 1s", "1:21", "expected ',' or '}'"),
        ("routes: {/gen/css: {delay: 1s}}", "1:10", "is not a path below the fixture's folder"),
        ("routes: {../x.css: {delay: 1s}}", "1:10", "is not a path below the fixture's folder"),
        ("routes: {? [a] : {}}", "1:12", "a key must be a scalar"),
        ("just words", "1:1", "wrong shape"),
    ],
)
async def test_a_mistake_is_told_with_its_place(
    server: FixtureServer, tmp_path: Path, text: str, place: str, message: str
) -> None:
    file = tmp_path / "site" / "page.html.server.yaml"
    file.write_text(text)
    head, body = await fetch(server.port, "/page.html")
    assert status(head) == 400
    assert message in body.decode()
    assert server.problems[0].place == f"{file}:{place}"


async def test_two_routes_for_one_path_are_refused(server: FixtureServer, tmp_path: Path) -> None:
    for name in ("page.html", "other.html"):
        (tmp_path / "site" / name).write_text("x")
        (tmp_path / "site" / f"{name}.server.yaml").write_text("routes: {late.css: {status: 201}}")
    await fetch(server.port, "/late.css")
    assert "both give a route for late.css" in server.problems[0].message


async def test_a_file_beside_no_fixture_is_refused(server: FixtureServer, tmp_path: Path) -> None:
    (tmp_path / "site" / "page.server.yaml").write_text("defaults: {delay: 1s}")
    await fetch(server.port, "/page.html")
    assert "page.html.server.yaml" in server.problems[0].remedy


def test_scalars_are_taken_as_written(tmp_path: Path) -> None:
    file = tmp_path / "x.server.yaml"
    file.write_text("defaults: {length: off, status: 0404, hold: yes}")
    assert [given.value for given in read(file).defaults] == ["off", "0404", "yes"]


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"a: \x00", b"a: !!python/object:os.system x", b"[" * 3])
def test_nonsense_is_a_user_error(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "x.server.yaml"
    file.write_bytes(raw)
    with pytest.raises(UserError):
        read(file)


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.server.yaml"
    file.write_text("# nothing\n")
    assert read(file).defaults == ()
