"""`docs/server.md` is executed: no control without a row, no example that does not work."""

from __future__ import annotations

import asyncio
import re
from dataclasses import fields as dataclass_fields
from pathlib import Path

import msgspec
import pytest

from harness.server import FixtureServer
from harness.server.controls import CONTROLS, Behaviour, HoldAt, parse
from harness.server.generated import GENERATORS
from harness.server.resolve import query
from harness.trace.context import LogEntry
from tests.server.wire import Raw, fetch, fields, status

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without backquotes."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines[2:]]


CONTROL_ROWS = rows("Controls")
MISTAKES = rows("Mistakes")
BODIES = rows("Bodies made on the fly")


def test_every_control_has_an_example() -> None:
    assert {row[0] for row in CONTROL_ROWS} == set(CONTROLS)
    assert {control.field for control in CONTROLS.values()} == {field.name for field in dataclass_fields(Behaviour)}


@pytest.mark.parametrize(("control", "target", "answer"), [row[:3] for row in CONTROL_ROWS])
async def test_an_example_works(server: FixtureServer, control: str, target: str, answer: str) -> None:
    assert control in {given.name for given in query(target)}
    raw = await Raw.open(server.port)
    raw.send(target)
    await server.wait_for(target)
    controls = [given for given in query(target) if given.name in CONTROLS]
    behaviour = parse(controls)
    for name in [behaviour.hold, *(hold.name for hold in behaviour.hold_at if isinstance(hold, HoldAt))]:
        server.release(name)
    entry = await server.wait_for(target, "done")
    assert not server.problems
    assert entry.aborted == (answer == "cut")
    if answer != "cut":
        head = await raw.head()
        assert status(await raw.head() if status(head) == 103 else head) == int(answer)
    await raw.close()


@pytest.mark.parametrize(("target", "answer", "message"), MISTAKES)
async def test_a_mistake_is_answered_as_documented(
    server: FixtureServer, target: str, answer: str, message: str
) -> None:
    head, body = await fetch(server.port, target)
    assert status(head) == int(answer)
    assert message in body.decode()
    assert [message in problem.message for problem in server.problems] == [True]


def test_every_generated_body_and_parameter_is_documented() -> None:
    documented = {row[0].removeprefix("/gen/"): set(row[1].split(", ")) for row in BODIES}
    assert documented == {name: set(generator.parameters) for name, generator in GENERATORS.items()}


@pytest.mark.parametrize(("target", "size"), [(row[2], row[3]) for row in BODIES])
async def test_a_generated_body_has_the_documented_size(server: FixtureServer, target: str, size: str) -> None:
    head, body = await fetch(server.port, target)
    assert (status(head), len(body)) == (200, int(size))


async def test_the_sidecar_example_works(server: FixtureServer, tmp_path: Path) -> None:
    source = re.search(r"```yaml\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)
    assert source is not None
    site = tmp_path / "site"
    for name, text in ((source[1], source[2]), ("late.css", "p {}"), ("isolated.html", "<p>")):
        (site / name).write_text(text)
    answers = [await fetch(server.port, f"/{path}") for path in ("page.html", "late.css", "old.html", "isolated.html")]
    assert not server.problems
    assert [status(head) for head, _ in answers] == [200, 200, 301, 200]
    assert [len(entry.chunks_us) for entry in server.log] == [2, 1, 0, 1]
    assert fields(answers[2][0])["location"] == "page.html"
    assert fields(answers[3][0])["cross-origin-embedder-policy"] == "require-corp"


async def test_every_variable_is_documented(server: FixtureServer, tmp_path: Path) -> None:
    documented = {row[0].strip("${}"): row[1] for row in rows("Hosts") if row[0].startswith("${")}
    variables = server.variables(tmp_path / "site" / "page.html")
    assert set(documented) == set(variables)
    for name, value in documented.items():
        if "PORT" in value and name != "fixture.url":
            assert variables[name] == value.replace("PORT", str(server.port))
    assert variables["fixture.url"] == f"{server.origin}/page.html"
    assert variables["fixture.file"] == f"file://{tmp_path}/site/page.html"


def test_every_field_of_the_log_is_documented() -> None:
    documented = {name for row in rows("The log") for name in row[0].split(", ")}
    assert documented == {field.name for field in msgspec.structs.fields(LogEntry)}


async def test_a_hold_is_released_for_good(server: FixtureServer) -> None:
    first, second, later = [await Raw.open(server.port) for _ in range(3)]
    for raw in (first, second):
        raw.send("/gen/text?bytes=1&hold=gate")
    await server.wait_for("hold=gate", count=2)
    assert not server.log[0].headers_us
    server.release("gate")
    await asyncio.gather(first.head(), second.head())
    later.send("/gen/text?bytes=1&hold=gate")
    await later.head()
    server.release("gate")
    server.reset_holds()
    later.send("/gen/text?bytes=2&hold=gate")
    assert not (await server.wait_for("bytes=2")).headers_us
