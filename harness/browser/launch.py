"""One browser for one attempt, driven by Playwright: a fresh profile, the whole command line, and an end that leaves
nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Playwright
from playwright.async_api import Error as PlaywrightError

from harness.browser.attempt import Attempt, create, sweep
from harness.browser.build import Build
from harness.browser.catalogue import playwright_from
from harness.browser.driver import driver
from harness.browser.find import for_mode
from harness.browser.frames import Frame, frames_of
from harness.browser.running import PORT, Controlled, Spawned, end_attempt, spawn
from harness.errors import BrowserError, CapabilityError
from harness.scenario.model import BrowserSpec


@dataclass(slots=True, kw_only=True)
class Launched(Controlled[Page]):
    """A running browser. `context` is the profile's own (not an incognito one) with no viewport emulation."""

    browser: Browser
    context: BrowserContext
    _handed_out: int = 0

    @property
    def gone(self) -> bool:
        return self.crashed.is_set() or not self.browser.is_connected()

    async def new_page(self) -> Page:
        self._handed_out += 1
        if self._handed_out == 1 and self.context.pages:
            return self.context.pages[0]
        return await self.context.new_page()

    async def new_session(self) -> CDPSession:
        return await self.browser.new_browser_cdp_session()

    async def page_session(self, page: Page) -> CDPSession:
        return await self.context.new_cdp_session(page)

    async def frames_of(self, page: Page) -> list[Frame]:
        return await frames_of(page)

    def _may_be_a_crash(self, error: BaseException) -> bool:
        said = str(error)
        return isinstance(error, PlaywrightError) and any(word in said for word in ("crash", "closed", "aborted"))


@contextlib.asynccontextmanager
async def launch(
    build: Build,
    mode: str,
    spec: BrowserSpec | None = None,
    *,
    host_rules: str = "",
    playwright: Playwright | None = None,
    timeout_s: float = 60.0,
) -> AsyncIterator[Launched]:
    """Start a browser and end it, whatever happens inside.

    `host_rules` is Chrome's `--host-resolver-rules`. `playwright`: a driver of the caller's, else the one of
    `shared_driver`, else an own one. Raises `CapabilityError` when the build has not got the mode, there is no Xvfb for
    it, or GPU raster stays off; `BrowserError` when the browser does not start.
    """
    spec = spec or BrowserSpec()
    build = await asyncio.to_thread(for_mode, build, mode)
    if build.major < playwright_from():
        raise CapabilityError(
            f"Playwright cannot drive {build}: it needs {playwright_from()} or newer; the recorder cdp-quiet reaches it"
        )
    async with contextlib.AsyncExitStack() as stack:
        if playwright is None:
            playwright = await stack.enter_async_context(driver())
        await asyncio.to_thread(sweep)
        attempt = create()
        stack.push_async_callback(end_attempt, attempt)
        spawned = await spawn(attempt, build, mode, spec, host_rules, [PORT], "about:blank")
        launched = await _connect(playwright, attempt, spawned, build, mode, spec, timeout_s)
        stack.callback(_end, launched)
        await launched.check_mode()
        yield launched


async def _connect(
    playwright: Playwright,
    attempt: Attempt,
    spawned: Spawned,
    build: Build,
    mode: str,
    spec: BrowserSpec,
    timeout_s: float,
) -> Launched:
    """A connection with `no_defaults` is the only one in which Playwright leaves pages as they are: when it launches a
    browser itself it emulates focus, and then no page is ever hidden."""
    try:
        async with asyncio.timeout(timeout_s):
            endpoint = await spawned.endpoint(attempt.profile)
            connecting = playwright.chromium.connect_over_cdp(endpoint, no_defaults=True, timeout=timeout_s * 1000)
            browser = await spawned.while_running(connecting)
    except (TimeoutError, PlaywrightError, ChildProcessError) as error:
        reason = spawned.complaint() or str(error) or f"no answer within {timeout_s:g} s"
        raise BrowserError(f"{build} did not start in mode {mode}: {reason}") from None
    launched = Launched(
        browser=browser,
        context=browser.contexts[0],
        session=await browser.new_browser_cdp_session(),
        build=build,
        mode=mode,
        spec=spec,
        command_line=spawned.command,
        version=browser.version,
        pids=attempt.pids(),
        profile=attempt.profile,
    )
    await _watch_for_crashes(launched)
    return launched


async def _watch_for_crashes(launched: Launched) -> None:
    def on_target(event: dict[str, Any]) -> None:
        launched._note_crash(f"a renderer crashed ({event.get('status')}, code {event.get('errorCode')})")

    def on_page(page: Page) -> None:
        page.on("crash", lambda page: launched._note_crash(f"the renderer of {page.url} crashed"))

    launched.browser.on("disconnected", lambda _: launched._note_crash("the browser process went away"))
    launched.context.on("page", on_page)
    for page in launched.context.pages:
        on_page(page)
    launched.session.on("Target.targetCrashed", on_target)
    await launched.session.send("Target.setDiscoverTargets", {"discover": True})


def _end(launched: Launched) -> None:
    """From here on it may go. It is killed, not asked to close: what a browser does on its way out takes as long as a
    recording, and nobody looks at its profile again."""
    launched._ending = True
