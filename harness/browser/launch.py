"""One browser for one attempt: a fresh profile, the whole command line, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from harness.browser import guard
from harness.browser.attempt import Attempt, create, sweep
from harness.browser.build import HEADED, Build
from harness.browser.catalogue import playwright_from
from harness.browser.find import for_mode
from harness.browser.profile import command_line
from harness.errors import BrowserError, CapabilityError
from harness.scenario.model import BrowserSpec

T = TypeVar("T")
_DISPLAY_MARGIN = 200  # a window manager's absence leaves the window where it is: the screen must hold all of it
_CLOSE_SECONDS = 10.0
_PORT = "--remote-debugging-port=0"  # the kernel picks one, on loopback
_STDERR = "stderr"
_CRASH_REPORT_SECONDS = 2.0


@dataclass(slots=True)
class Launched:
    """A running browser.

    `context` is the profile's own (not an incognito one) with no viewport emulation. `crashed` is set when the browser
    or a renderer goes away before `launch` ends it, with the reason in `crash_reason`.
    """

    browser: Browser
    context: BrowserContext
    session: CDPSession  # browser-level; knows of crashes in every target, child frames of other sites too
    build: Build
    mode: str
    spec: BrowserSpec
    command_line: tuple[str, ...]
    version: str  # as the running browser says it
    pids: dict[str, int]
    profile: Path
    crashed: asyncio.Event = field(default_factory=asyncio.Event)
    crash_reason: str = ""
    _handed_out: int = 0
    _ending: bool = False

    @property
    def pid(self) -> int:
        return self.pids["browser"]

    async def new_page(self) -> Page:
        """A page at about:blank: the one that the browser opened at its start, then new ones."""
        self._handed_out += 1
        if self._handed_out == 1 and self.context.pages:
            return self.context.pages[0]
        return await self.context.new_page()

    async def watch(self, work: Awaitable[T]) -> T:
        """The result of `work`, or `BrowserError` as soon as the browser or a renderer crashes."""
        task = asyncio.ensure_future(work)
        crash = asyncio.ensure_future(self.crashed.wait())
        try:
            await asyncio.wait({task, crash}, return_when=asyncio.FIRST_COMPLETED)
            if task.done() and isinstance(task.exception(), PlaywrightError):
                # A call that a crash broke off may fail before the crash itself is reported.
                await asyncio.wait({crash}, timeout=_CRASH_REPORT_SECONDS if _sounds_like_a_crash(task) else 0)
            if self.crashed.is_set():
                raise BrowserError(self.crash_reason)
            return await task
        finally:
            for one in (task, crash):
                one.cancel()
            await asyncio.gather(task, crash, return_exceptions=True)

    async def gpu_features(self) -> dict[str, str]:
        """Chrome's own word on what runs on the GPU: `rasterization: enabled_force`, ..."""
        info = await self.session.send("SystemInfo.getInfo")
        return dict(info["gpu"].get("featureStatus", {}))

    def _note_crash(self, reason: str) -> None:
        if not self._ending and not self.crashed.is_set():
            self.crash_reason = reason
            self.crashed.set()


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

    `host_rules` is Chrome's `--host-resolver-rules`. `playwright` shares a driver that already runs (a new one takes
    about half a second). Raises `CapabilityError` when the build has not got the mode, there is no Xvfb for it, or GPU
    raster stays off; `BrowserError` when the browser does not start.
    """
    spec = spec or BrowserSpec()
    build = await asyncio.to_thread(for_mode, build, mode)
    if build.major < playwright_from():
        raise CapabilityError(
            f"Playwright cannot drive {build}: it needs {playwright_from()} or newer; the recorder cdp-quiet reaches it"
        )
    async with contextlib.AsyncExitStack() as stack:
        if playwright is None:
            playwright = await stack.enter_async_context(async_playwright())
        await asyncio.to_thread(sweep)
        attempt = create()
        stack.push_async_callback(_end_attempt, attempt)
        launched = await _start(playwright, attempt, build, mode, spec, host_rules, timeout_s)
        stack.push_async_callback(_close, launched)
        await _check_raster(launched)
        yield launched


async def _start(
    playwright: Playwright,
    attempt: Attempt,
    build: Build,
    mode: str,
    spec: BrowserSpec,
    host_rules: str,
    timeout_s: float,
) -> Launched:
    command = command_line(build, mode, spec, attempt.profile, host_rules=host_rules)
    display = _display_arguments(spec) if mode == HEADED and not os.environ.get("DISPLAY") else []
    guarded = [sys.executable, "-I", "-S", guard.__file__, str(attempt.folder), *display, "--", *command]
    browser = await _connect(playwright, attempt, [*guarded, _PORT, "about:blank"], build, mode, timeout_s)
    context = browser.contexts[0]
    session = await browser.new_browser_cdp_session()
    launched = Launched(
        browser,
        context,
        session,
        build,
        mode,
        spec,
        (*command, _PORT),
        browser.version,
        attempt.pids(),
        attempt.profile,
    )
    await _watch_for_crashes(launched)
    return launched


async def _connect(
    playwright: Playwright, attempt: Attempt, guarded: list[str], build: Build, mode: str, timeout_s: float
) -> Browser:
    """Start the guard with the browser under it and connect.

    A connection with `no_defaults` is the only one in which Playwright leaves pages as they are: when it launches a
    browser itself it emulates focus, and then no page is ever hidden.
    """
    said = attempt.folder / _STDERR
    with said.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *guarded,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, **build.environment(), **attempt.environment()},
            start_new_session=True,  # a Ctrl-C in the terminal is the harness's to handle
        )
    try:
        async with asyncio.timeout(timeout_s):
            endpoint = await _endpoint(process, attempt.profile / "DevToolsActivePort")
            return await playwright.chromium.connect_over_cdp(endpoint, no_defaults=True, timeout=timeout_s * 1000)
    except (TimeoutError, PlaywrightError, ChildProcessError) as error:
        reason = _own_words(said.read_text(errors="replace")) or str(error) or f"no answer within {timeout_s:g} s"
        raise BrowserError(f"{build} did not start in mode {mode}: {reason}") from None


async def _endpoint(process: asyncio.subprocess.Process, port_file: Path) -> str:
    while not (endpoint := _read_endpoint(port_file)):
        if process.returncode is not None:
            raise ChildProcessError(f"it ended with status {process.returncode}")
        await asyncio.sleep(0.01)
    return endpoint


def _read_endpoint(port_file: Path) -> str | None:
    """The address that Chrome writes into its profile once it listens; None before."""
    try:
        port, _, path = port_file.read_text().partition("\n")
    except FileNotFoundError:
        return None
    return f"ws://127.0.0.1:{port}{path.strip()}" if path else None


def _display_arguments(spec: BrowserSpec) -> list[str]:
    if not shutil.which("Xvfb"):
        raise CapabilityError(
            "mode 'headed' needs a display: install Xvfb (Debian: apt-get install xvfb) or set DISPLAY"
        )
    width, height = (side + _DISPLAY_MARGIN for side in spec.window)
    return ["--xvfb", f"{width}x{height}"]


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


async def _check_raster(launched: Launched) -> None:
    """Tiles are made on the GPU only where compositing is there too: with `--disable-gpu` Chrome still says
    `rasterization: enabled_force`."""
    if launched.spec.raster == "gpu":
        features = await launched.gpu_features()
        states = {name: features.get(name, "absent") for name in ("rasterization", "gpu_compositing")}
        if not all(state.startswith("enabled") for state in states.values()):
            said = ", ".join(f"{name} is {state}" for name, state in states.items())
            raise CapabilityError(f"no GPU raster in {launched.build} in mode {launched.mode}: {said}")


async def _close(launched: Launched) -> None:
    launched._ending = True
    with contextlib.suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(launched.session.send("Browser.close"), _CLOSE_SECONDS)


async def _end_attempt(attempt: Attempt) -> None:
    if left := await asyncio.shield(attempt.end()):
        raise BrowserError(f"processes {left} of the browser could not be ended")


def _sounds_like_a_crash(task: asyncio.Future[Any]) -> bool:
    return any(word in str(task.exception()) for word in ("crash", "closed", "aborted"))


def _own_words(stderr: str) -> str:
    """What the browser complained of, without the noise about a system bus that every container makes."""
    said = [line.strip() for line in stderr.splitlines() if line.strip() and "dbus" not in line]
    return " | ".join(said[:6])[:900]
