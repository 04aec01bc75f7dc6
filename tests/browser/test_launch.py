"""A real browser starts with our command line only, tells when it dies, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
from pathlib import Path

import pytest
from playwright.async_api import Frame, Page

from harness.browser import Build, doctor, launch
from harness.browser.guard import members
from harness.browser.running import Spawned
from harness.errors import BrowserError, CapabilityError
from harness.scenario.model import BrowserSpec

pytestmark = pytest.mark.browser


async def test_a_launch_gives_a_page_and_ends_with_nothing_left(
    build_and_mode: tuple[Build, str], temp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, mode = build_and_mode
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    monkeypatch.setenv("TMPDIR", str(temp))
    async with launch(build, mode) as launched:
        page = await launched.new_page()
        await page.goto("data:text/html,<title>here</title>")
        assert await page.title() == "here"
        assert launched.version == build.version
        profile, pids = launched.profile, launched.pids
        assert members(str(profile.parent), [launched.pid])
        assert "--hide-scrollbars" not in launched.command_line
    assert not entries(temp)
    assert not members(str(profile.parent), [pids["browser"], pids.get("display", pids["browser"])])


def entries(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_the_window_and_the_context_are_as_asked(build_and_mode: tuple[Build, str]) -> None:
    build, mode = build_and_mode
    async with launch(build, mode, BrowserSpec(window=(900, 700))) as launched:
        page = await launched.new_page()
        assert page.viewport_size is None
        width, outer_height, height = await page.evaluate("[outerWidth, outerHeight, innerHeight]")
        assert (width, outer_height) == (900, 700)
        assert height == (700 if mode == "shell" else 700 - 87)  # no infobar below the tool bar


async def test_a_renderer_crash_is_noticed(build: Build) -> None:
    async with launch(build, build.modes[0]) as launched:
        page = await launched.new_page()
        session = await launched.context.new_cdp_session(page)
        with pytest.raises(BrowserError, match="crashed"):
            await launched.watch(session.send("Page.crash"))
        assert launched.crashed.is_set()


async def test_a_crash_of_another_sites_frame_is_noticed(build: Build) -> None:
    spec = BrowserSpec(args=("--site-per-process",))
    async with launch(build, build.modes[0], spec, host_rules="MAP *.test 127.0.0.1:9") as launched:
        page = await launched.new_page()
        for url in ("http://a.test/", "http://b.test/"):
            await page.route(url, lambda route: route.fulfill(body="<p>here", content_type="text/html"))
        await page.goto("http://a.test/")
        await page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), {src: '//b.test/'}))")
        frame = await wait_for_frame(page, "http://b.test/")
        session = await launched.context.new_cdp_session(frame)
        with pytest.raises(BrowserError, match="crashed"):
            await launched.watch(session.send("Page.crash"))


async def wait_for_frame(page: Page, url: str) -> Frame:
    while not (found := page.frame(url=url)):
        await page.wait_for_event("framenavigated")
    return found


async def test_gpu_raster_is_checked_before_it_is_trusted(build: Build) -> None:
    async with launch(build, build.modes[0], BrowserSpec(raster="gpu")) as launched:
        assert (await launched.gpu_features())["gpu_compositing"] == "enabled"
    with pytest.raises(CapabilityError, match="gpu_compositing is disabled"):
        async with launch(build, build.modes[0], BrowserSpec(raster="gpu", args=("--disable-gpu",))):
            pass


async def test_a_headed_browser_without_xvfb_is_a_capability_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("DISPLAY", raising=False)
    build = Build("Chromium", "99.2.3.4", 99, Path("/bin/false"), "test", ("headed",))
    with pytest.raises(CapabilityError, match="apt-get install xvfb"):
        async with launch(build, "headed"):
            pass


@pytest.mark.slow
async def test_doctor_tries_what_there_is(build: Build) -> None:
    checks = {check.name: check for check in await doctor([build])}
    for name in ("Python", "browsers", "tracing", "clock", f"{build.version} {build.modes[0]}"):
        assert checks[name].ok, checks[name]
    assert all(check.remedy for check in checks.values() if not check.ok)


async def test_doctor_without_a_browser_says_how_to_get_one() -> None:
    checks = {check.name: check for check in await doctor([])}
    assert not checks["browsers"].ok
    assert "ensure" in checks["browsers"].remedy


async def test_a_browser_that_is_killed_is_noticed(build: Build) -> None:
    async with launch(build, build.modes[0]) as launched:
        page = await launched.new_page()
        waiting = asyncio.ensure_future(launched.watch(page.evaluate("new Promise(() => {})")))
        os.kill(launched.pid, signal.SIGKILL)
        with pytest.raises(BrowserError, match="went away"):
            await waiting
        profile = launched.profile
    assert not profile.parent.exists()


async def test_a_mode_that_the_build_lacks_is_a_capability_error(build: Build) -> None:
    lacking = next(mode for mode in ("shell", "headed", "headless") if mode not in build.modes)
    build = dataclasses.replace(build, source="path")  # or its other half is taken
    with pytest.raises(CapabilityError, match="install"):
        async with launch(build, lacking):
            pass


async def test_a_binary_that_ends_at_once_is_a_browser_error(build: Build, tmp_path: Path) -> None:
    broken = tmp_path / "chrome"
    broken.write_text("#!/bin/sh\necho no good >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(BrowserError, match="no good"):
        async with launch(Build("Chromium", "99.2.3.4", 99, broken, "test", ("shell",)), "shell"):
            pass


async def test_a_browser_that_ends_while_a_client_connects_is_not_waited_for(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec("false")
    with pytest.raises(ChildProcessError, match="it ended with status 1"):
        await Spawned(process, (), tmp_path / "stderr").while_running(asyncio.Event().wait())
