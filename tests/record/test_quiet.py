"""The recorders that enable nothing, in real browsers."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from harness.browser import QuietBrowser, launch_alone, launch_quiet
from harness.browser.guard import members
from harness.errors import BrowserError, RecorderError, StepError
from harness.record import StartupRecorder, identify_page
from harness.scenario.model import RecordSpec
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from harness.trace import Trace, load, resolve_page
from tests.lab import SHELL, build_at, record, step

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
CATEGORIES = [
    *("devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.stack"),
    "blink.user_timing",
]
PAGE = """<!doctype html><title>chain</title><p id=p>hello</p><script>
    function inner() { p.style.width = '99px'; void p.offsetWidth; return p.offsetWidth }
    function middle() { return inner() }
    function outer() { return middle() }
    const seen = [];
    addEventListener('mousedown', event => seen.push(event.clientX));
    const run = () => { outer(); fetch('/gen/text?bytes=1&x-done') };
    if (location.search.includes('x-run')) addEventListener('load', () => setTimeout(run, 50));
    </script>"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quiet")
    (folder / "chain.html").write_text(PAGE)
    (folder / "other.html").write_text("<!doctype html><title>other</title><p>other")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(pages: Path) -> AsyncIterator[FixtureServer]:
    async with FixtureServer([pages]) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def quiet(server: FixtureServer) -> AsyncIterator[QuietBrowser]:
    async with launch_quiet(build_at(SHELL), "shell", host_rules=server.host_rules) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def ctx(quiet: QuietBrowser, server: FixtureServer) -> AsyncIterator[StepContext]:
    context = await StepContext.open(quiet, await quiet.new_page(), server=server, timeout_s=20.0)
    yield context
    for page in context.pages.values():
        await page.close()


def depths(trace: Trace, pid: int) -> set[int]:
    stacks = (event.args["beginData"].get("stackTrace") for event in trace.by_name("Layout") if event.pid == pid)
    return {len(stack) for stack in stacks if stack}


@pytest.mark.parametrize("runtime", [False, True], ids=["nothing", "runtime"])
async def test_the_runtime_domain_is_what_deepens_a_stack(
    quiet: QuietBrowser, ctx: StepContext, server: FixtureServer, tmp_path: Path, runtime: bool
) -> None:
    async def work() -> None:
        if runtime:
            await run_steps([step("cdp", "Runtime.enable")], ctx)
        steps = [step("goto", f"{server.origin}/chain.html?x-run={runtime}"), step("wait_request", "x-done")]
        await run_steps(steps, ctx)

    trace, collected = await record(quiet, ctx.page.page, tmp_path, CATEGORIES, work, recorder="cdp-quiet")
    identity = await identify_page(quiet, ctx.page.page)
    assert identity.main is not None
    assert depths(trace, identity.main.pid) == ({4} if runtime else {1})
    assert collected.notes == ()
    assert len(trace.by_name("clock_sync")) == 2


async def test_script_called_by_the_client_is_one_frame_deep_too(
    quiet: QuietBrowser, ctx: StepContext, server: FixtureServer, tmp_path: Path
) -> None:
    await run_steps([step("goto", f"{server.origin}/chain.html")], ctx)

    async def work() -> None:
        await run_steps([step("call", "outer", as_="width")], ctx)

    trace, _ = await record(quiet, ctx.page.page, tmp_path, CATEGORIES, work, recorder="cdp-quiet")
    identity = await identify_page(quiet, ctx.page.page)
    assert ctx.values["width"] == 99
    assert identity.main is not None
    assert depths(trace, identity.main.pid) == {1}


async def test_pages_input_and_navigation(ctx: StepContext, server: FixtureServer) -> None:
    async def do(verb: str, arg: Any = None, **options: Any) -> Any:
        await run_steps([step(verb, arg, **options)], ctx)
        return ctx.values.get(options.get("as_", ""))

    await do("goto", f"{server.origin}/chain.html")
    await do("mouse_click", [30, 20])
    assert await do("evaluate", "seen", as_="seen") == [30]
    await do("goto", f"{server.origin}/other.html")  # the same page now, since somebody is attached to it
    assert await do("evaluate", "document.title", as_="title") == "other"
    await do("new_page", "second", url=f"{server.origin}/chain.html?second")
    assert await do("evaluate", "location.search", as_="search") == "?second"
    await do("use_page", "main")
    await do("hide_page")
    await do("show_page")
    await do("close_page", "second")
    assert list(ctx.pages) == ["main"]
    for until in ("none", "commit", "domcontentloaded"):
        await do("goto", f"{server.origin}/chain.html?{until}", until=until)
    with pytest.raises(StepError, match="did not load"):
        await do("goto", "http://127.0.0.1:9/")


@pytest.mark.parametrize("until", ["commit", "none"])
async def test_nobody_attaches_to_a_page_that_is_opened_at_its_url(
    quiet: QuietBrowser, server: FixtureServer, until: str
) -> None:
    ctx = await StepContext.open(quiet, await quiet.new_page(), server=server)
    await run_steps([step("goto", f"{server.origin}/other.html?{until}", until=until)], ctx)
    await run_steps([step("wait_request", f"other.html?{until}")], ctx)
    infos = {info["targetId"]: info for info in await quiet.targets("page")}
    assert infos[ctx.page.page.id]["attached"] is False
    await ctx.page.close()


@pytest.fixture
def temp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tp-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setattr("tempfile.tempdir", folder)
        yield Path(folder)


async def test_a_death_ends_the_wait_at_once_and_nothing_is_left(temp: Path) -> None:
    async with launch_quiet(build_at(SHELL), "shell") as browser:
        page, folder, pid = await browser.new_page(), browser.profile.parent, browser.pid
        session = await browser.page_session(page)
        hanging = session.send("Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True})
        waiting = asyncio.ensure_future(browser.watch(hanging))
        await asyncio.sleep(0)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(BrowserError, match="went away"):
            await asyncio.wait_for(waiting, 20)
    assert not members(str(folder), [pid])
    assert os.listdir(temp) == []  # noqa: PTH208


async def test_a_renderer_crash_is_noticed(quiet: QuietBrowser, server: FixtureServer) -> None:
    async with launch_quiet(build_at(SHELL), "shell") as browser:
        ctx = await StepContext.open(browser, await browser.new_page(), server=server)
        await run_steps([step("goto", f"{server.origin}/chain.html")], ctx)
        with pytest.raises(StepError, match=r"crashed|broke off"):
            await run_steps([step("goto", "chrome://crash", until="none"), step("settle", "20s")], ctx)


async def test_startup_records_with_nobody_connected(server: FixtureServer, temp: Path, tmp_path: Path) -> None:
    recorder = StartupRecorder(RecordSpec(tuple(CATEGORIES), recorder="startup"), CATEGORIES, 8)
    url = f"{server.origin}/chain.html?x-run=startup"
    async with launch_alone(build_at(SHELL), "shell", url, recorder.arguments) as alone:
        assert not any(word.startswith("--remote-debugging") for word in alone.command_line)
        ctx = StepContext.alone(alone, server)
        await run_steps([step("goto", url), step("wait_request", "x-done"), step("mark", "done")], ctx)
        collected = await recorder.collect(alone, tmp_path / "startup.json.gz")
        folder = alone.folder
    trace = load(collected.path)
    main = resolve_page(trace).main
    assert main is not None
    assert main.url == url
    assert depths(trace, main.pid) == {1}
    assert not collected.data_loss
    assert collected.start_us < trace.end_ts < collected.start_us + 60e6
    assert not members(str(folder), [])
    assert os.listdir(temp) == []  # noqa: PTH208


async def test_steps_that_outlast_the_recording_are_refused(server: FixtureServer, tmp_path: Path) -> None:
    recorder = StartupRecorder(RecordSpec(("devtools.timeline",), recorder="startup"), ["devtools.timeline"], 1)
    async with launch_alone(build_at(SHELL), "shell", f"{server.origin}/other.html", recorder.arguments) as alone:
        recorder.start_us -= 1.1e6  # as if it had been started before
        with pytest.raises(RecorderError, match="longer than the 1 s"):
            await recorder.collect(alone, tmp_path / "startup.json.gz")


async def test_a_browser_that_ends_before_its_file(server: FixtureServer, tmp_path: Path) -> None:
    recorder = StartupRecorder(RecordSpec(("blink",), recorder="startup"), ["blink"], 20)
    async with launch_alone(build_at(SHELL), "shell", f"{server.origin}/other.html?ends", recorder.arguments) as alone:
        await StepContext.alone(alone, server).page.navigate(f"{server.origin}/other.html?ends")
        for pid in members(str(alone.folder), []):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(BrowserError, match="the browser ended"):
            await asyncio.wait_for(recorder.collect(alone, tmp_path / "startup.json.gz"), 20)
    assert os.listdir(tmp_path) == []  # noqa: PTH208
