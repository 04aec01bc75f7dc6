from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from harness.browser import Build
from tests.lab import FULL, SHELL, build_at

Open = Callable[..., Coroutine[Any, Any, Page]]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader() -> AsyncIterator[Browser]:
    """A browser to read reports in: one for all tests of a module, with a fresh context for each page."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(_build().path), args=["--no-sandbox"])
        yield browser
        await browser.close()


def _build() -> Build:
    return build_at(SHELL if Path(SHELL).exists() else FULL)


@pytest_asyncio.fixture(loop_scope="module")
async def open_report(tmp_path: Path, reader: Browser) -> AsyncIterator[Open]:
    """`await open_report(html, "claim=…", width=…)`: a page that has shown it.

    The test fails on anything in the console, on an error, and on a request for anything but the file.
    """
    told: list[str] = []
    opened: list[Page] = []

    async def open_(html: str, hash_: str = "", width: int = 1024, **context: Any) -> Page:
        page = await reader.new_page(viewport={"width": width, "height": 800}, **context)
        opened.append(page)
        page.on("console", lambda message: told.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: told.append(f"error: {error}"))
        page.on("request", lambda request: told.append(request.url) if "file:" not in request.url else None)
        file = tmp_path / "report.html"
        file.write_text(html)
        await page.goto(f"file://{file}#{hash_}")
        await page.wait_for_selector("main h1")
        return page

    yield open_
    for page in opened:
        await page.close()
    assert told == []
