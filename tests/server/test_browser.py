"""A real Chromium sees what the controls say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from harness.server import FixtureServer, now_us

CHROMIUM = Path("/usr/bin/chromium")

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is not there")]


@pytest_asyncio.fixture
async def browser(server: FixtureServer) -> AsyncIterator[Browser]:
    args = ["--no-sandbox", f"--host-resolver-rules={server.host_rules}"]
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        yield running
        await running.close()


async def _paragraphs(page: Page) -> int:
    return int(await page.evaluate("document.getElementsByTagName('p').length"))


async def test_a_document_is_parsed_chunk_by_chunk(server: FixtureServer, browser: Browser) -> None:
    page = await browser.new_page()
    # The second half of 200 paragraphs stays behind until it is let go: 42 bytes of start, then 7 for each.
    url = server.url_for("/gen/html?elements=200&chunk_size=70&hold_at=742:rest", "a.test")
    await page.goto(url, wait_until="commit")
    await page.wait_for_function("document.getElementsByTagName('p').length >= 100")
    held = now_us()
    assert await _paragraphs(page) == 100
    server.release("rest")
    await page.wait_for_load_state("load")
    assert await _paragraphs(page) == 200
    (entry,) = [entry for entry in server.log if entry.path.startswith("/gen/html")]
    assert entry.host == f"a.test:{server.port}"
    assert sum(time < held for time in entry.chunks_us) == 11
    assert held < entry.chunks_us[11] <= entry.chunks_us[-1] == entry.end_us


async def test_a_held_stylesheet_blocks_the_script_behind_it(
    server: FixtureServer, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "site" / "held.html").write_text(
        '<!DOCTYPE html><link rel="stylesheet" href="/gen/css?rules=3&hold=style">'
        "<script>window.ran = document.styleSheets[0].cssRules.length</script><p>text"
    )
    page = await browser.new_page()
    await page.goto(server.url_for("/held.html"), wait_until="commit")
    await server.wait_for("hold=style")
    assert await page.evaluate("window.ran") is None
    server.release("style")
    await page.wait_for_load_state("load")
    assert await page.evaluate("window.ran") == 3
    assert not server.problems
