from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from harness.browser import Launched, launch
from harness.errors import BrowserError, RecorderError
from harness.record import identify, identify_page, process_types
from harness.scenario.model import BrowserSpec
from harness.server import FixtureServer
from harness.trace.context import PageIdentity
from tests.lab import FULL, SHELL, build_at, record

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def site(folder: Path) -> Path:
    (folder / "child.html").write_text("<!doctype html><p>child")
    (folder / "outer.html").write_text(
        "<!doctype html><iframe src='child.html'></iframe><script>"
        "document.write(`<iframe src='http://b.test:${location.port}/child.html'></iframe>`)</script>"
    )
    return folder


async def test_a_page_alone(launched: Launched, page: Page) -> None:
    await page.goto("data:text/html,<p>hello")
    identity = await identify_page(launched, page)
    assert identity.how == "nonce"
    assert [frame.url for frame in identity.frames] == ["data:text/html,<p>hello"]
    assert identity.main is not None
    assert (await process_types(launched))[identity.main.pid] == "renderer"


async def test_a_mark_that_came_too_early_is_made_again(
    launched: Launched, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, empty = identify._look, [None, None]

    async def late(launched: Launched, page: Page) -> PageIdentity | None:
        return empty.pop() if empty else await look(launched, page)

    monkeypatch.setattr(identify, "_look", late)
    await page.goto("data:text/html,<p>hello")
    assert (await identify_page(launched, page)).main is not None


async def test_a_page_that_never_marks_is_an_error(
    launched: Launched, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(launched: Launched, page: Page) -> None:
        return None

    monkeypatch.setattr(identify, "_look", never)
    with pytest.raises(RecorderError, match="no mark"):
        await identify_page(launched, page)


async def test_it_names_the_thread_of_the_page_in_another_recording(
    launched: Launched, page: Page, tmp_path: Path
) -> None:
    async def work() -> None:
        await page.evaluate("performance.mark('here')")

    trace, _ = await record(launched, page, tmp_path, ["blink.user_timing"], work)
    here = trace.by_name("here")[0]
    main = (await identify_page(launched, page)).main
    assert main is not None
    assert (main.pid, main.tid) == (here.pid, here.tid)


@pytest.mark.parametrize(("args", "processes"), [((), 1), (("--site-per-process",), 2)], ids=["shared", "isolated"])
async def test_frames_of_another_site(tmp_path: Path, args: tuple[str, ...], processes: int) -> None:
    async with FixtureServer([site(tmp_path)]) as server:
        rules = server.host_rules
        async with launch(build_at(SHELL), "shell", BrowserSpec(args=args), host_rules=rules) as own:
            page = await own.new_page()
            await page.goto(f"http://a.test:{server.port}/outer.html")
            identity = await identify_page(own, page)
    hosts = [frame.url.partition("//")[2].partition(":")[0] for frame in identity.frames]
    assert sorted(hosts) == ["a.test", "a.test", "b.test"]
    assert hosts[0] == "a.test"
    assert len(identity.frame_pids) == processes
    assert len(identity.pids) == 1


async def test_the_page_cannot_hide_itself(launched: Launched, page: Page) -> None:
    await page.goto("data:text/html,<script>performance.mark = () => { throw 1 }; performance = null</script>")
    assert (await identify_page(launched, page)).main is not None


async def test_a_page_that_is_gone(launched: Launched) -> None:
    page = await launched.new_page()
    await page.close()
    with pytest.raises((RecorderError, BrowserError)):
        await identify_page(launched, page)


async def test_the_full_browser() -> None:
    async with launch(build_at(FULL), "headless") as own:
        page = await own.new_page()
        await page.goto("data:text/html,<p>hello")
        main = (await identify_page(own, page)).main
        assert main is not None
        assert (await process_types(own))[main.pid] == "renderer"
