from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest_asyncio

from harness.server import FixtureServer
from tests.server.wire import Raw


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[FixtureServer]:
    """A server of one folder, `tmp_path / "site"`, with a small page in it."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "page.html").write_text("<!DOCTYPE html><p>A small page.</p>\n")
    async with FixtureServer([site]) as running:
        yield running


@pytest_asyncio.fixture(autouse=True)
async def clients() -> AsyncIterator[None]:
    """Closes the connections that the test opened."""
    yield
    while Raw.opened:
        writer = Raw.opened.pop().writer
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()
