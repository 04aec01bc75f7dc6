"""A real browser starts with our command line only, tells when it dies, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from harness.browser import Build, launch
from harness.browser.guard import members
from harness.errors import BrowserError, CapabilityError
from harness.scenario.model import BrowserSpec

pytestmark = pytest.mark.browser


async def test_a_launch_gives_a_page_and_ends_with_nothing_left(build_and_mode: tuple[Build, str]) -> None:
    build, mode = build_and_mode
    async with launch(build, mode) as launched:
        page = await launched.new_page()
        await page.goto("data:text/html,<title>here</title>")
        assert await page.title() == "here"
        assert launched.version == build.version
        profile, pids = launched.profile, launched.pids
        assert members(str(profile.parent), [launched.pid])
        assert "--hide-scrollbars" not in launched.command_line
    assert not profile.parent.exists()
    assert not members(str(profile.parent), [pids["browser"], pids.get("display", pids["browser"])])


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
    with pytest.raises(CapabilityError, match="install"):
        async with launch(build, lacking):
            pass


async def test_a_binary_that_ends_at_once_is_a_browser_error(build: Build, tmp_path: Path) -> None:
    broken = tmp_path / "chrome"
    broken.write_text("#!/bin/sh\necho no good >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(BrowserError, match="no good"):
        async with launch(Build("Chromium", "1.2.3.4", 1, broken, "test", ("shell",)), "shell"):
            pass
