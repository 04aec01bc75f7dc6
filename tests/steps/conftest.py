from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from harness.browser import Launched, launch
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from tests.lab import SHELL, build_at, step

PAGES = {
    "plain.html": """<!doctype html><title>plain</title><p id=p>hello</p><script>
        const seen = [];
        for (const kind of 'mousedown mouseup mousemove wheel touchstart touchend keydown resize'.split(' '))
          addEventListener(kind, event => seen.push([kind, event.clientX, event.buttons, event.key]), {passive: true});
        const kinds = () => seen.map(row => row[0]);
        const sees = async kind => { while (!kinds().includes(kind)) await new Promise(requestAnimationFrame) };
        const add = (a, b) => a + b;
        const app = {later: value => new Promise(resolve => setTimeout(resolve, 20, value))};
        const fail = () => { throw new Error('the fixture gave up') };
        const hang = () => { for (;;); };
        </script>""",
    "second.html": "<!doctype html><title>second</title><p>two",
    "frames.html": """<!doctype html><title>frames</title><script>
        const who = () => 'parent';
        document.write(`<iframe src='child.html#same'></iframe>
          <iframe src='http://b.test:${location.port}/child.html#other'></iframe>`)</script>""",
    "child.html": "<!doctype html><p>child<script>const who = () => 'child ' + location.hash</script>",
    "slow.html": "<!doctype html><title>slow</title>" + "<p>part" * 1500 + "<img src='/gen/image.png?hold=picture'>",
    "field.html": "<!doctype html><input autofocus><style>body {height: 5000px}</style>",
}


@pytest.fixture(scope="session")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(fixtures: Path) -> AsyncIterator[FixtureServer]:
    async with FixtureServer([fixtures]) as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def launched(server: FixtureServer) -> AsyncIterator[Launched]:
    async with launch(build_at(SHELL), "shell", host_rules=server.host_rules) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def ctx(launched: Launched, server: FixtureServer) -> AsyncIterator[StepContext]:
    context = await StepContext.open(
        launched, await launched.new_page(), server=server, variables=server.variables(), timeout_s=10.0
    )
    yield context
    for driven in context.pages.values():
        # Playwright never hears of the end of a page whose navigation was given up; the browser ends it all the same.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(driven.page.close(), 5)


Do = Callable[..., Awaitable[Any]]


@pytest.fixture
def do(ctx: StepContext) -> Do:
    """Run one step; returns what it kept with `as_`."""

    async def run(verb: str, arg: Any = None, **options: Any) -> Any:
        await run_steps([step(verb, arg, **options)], ctx)
        return ctx.values.get(options.get("as_", ""))

    return run
