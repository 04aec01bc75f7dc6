"""A browser with a client of our own that enables nothing: no Runtime, no Page, no Network domain, no Playwright."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from harness.browser.attempt import create, sweep
from harness.browser.build import Build
from harness.browser.find import for_mode
from harness.browser.frames import Frame, frame_tree
from harness.browser.running import PORT, Controlled, end_attempt, spawn
from harness.cdp import Refused, Socket
from harness.errors import BrowserError
from harness.scenario.model import BrowserSpec

BLANK = "about:blank"


@dataclass(frozen=True, slots=True)
class Target:
    """A page, by the id of its target. Nobody is attached to it."""

    id: str


@dataclass(slots=True, kw_only=True)
class QuietBrowser(Controlled[Target]):
    """`session` has told the browser process to name its targets, which no renderer hears of."""

    endpoint: str
    _handed_out: list[str] = field(default_factory=list)

    async def new_page(self) -> Target:
        blank = [page["targetId"] for page in await self.targets("page") if page["url"] == BLANK]
        if not self._handed_out and blank:
            self._handed_out.append(blank[0])
            return Target(blank[0])
        return await self.open(BLANK)

    async def open(self, url: str) -> Target:
        """A new page that goes to `url` by itself."""
        target = (await self.session.send("Target.createTarget", {"url": url}))["targetId"]
        self._handed_out.append(target)
        return Target(target)

    async def close(self, page: Target) -> None:
        await self.session.send("Target.closeTarget", {"targetId": page.id})

    async def targets(self, kind: str) -> list[dict[str, Any]]:
        """What the browser says of its targets of a kind (`page`, `iframe`, ...)."""
        infos: list[dict[str, Any]] = (await self.session.send("Target.getTargets"))["targetInfos"]
        return [info for info in infos if info["type"] == kind]

    async def new_session(self) -> Socket:
        return await Socket.connect(self.endpoint)

    async def page_session(self, page: Target) -> Socket:
        return await self._attach(page.id)

    async def frames_of(self, page: Target) -> list[Frame]:
        """Frames of other processes are those of any page: nothing tells whose they are."""
        frames = await frame_tree(await self._attach(page.id))
        for info in await self.targets("iframe"):
            frames += await frame_tree(await self._attach(info["targetId"]))
        return frames

    async def _attach(self, target: str) -> Socket:
        base, _, _ = self.endpoint.partition("/devtools/")
        return await Socket.connect(f"{base}/devtools/page/{target}")

    def _may_be_a_crash(self, error: BaseException) -> bool:
        return isinstance(error, BrowserError) and not isinstance(error, Refused)


@contextlib.asynccontextmanager
async def launch_quiet(
    build: Build, mode: str, spec: BrowserSpec | None = None, *, host_rules: str = "", timeout_s: float = 60.0
) -> AsyncIterator[QuietBrowser]:
    """Start a browser and end it, whatever happens inside. Errors as of `launch`; works for every build from 64 on."""
    spec = spec or BrowserSpec()
    build = await asyncio.to_thread(for_mode, build, mode)
    async with contextlib.AsyncExitStack() as stack:
        await asyncio.to_thread(sweep)
        attempt = create()
        stack.push_async_callback(end_attempt, attempt)
        spawned = await spawn(attempt, build, mode, spec, host_rules, [PORT], BLANK)
        try:
            async with asyncio.timeout(timeout_s):
                endpoint = await spawned.endpoint(attempt.profile)
                session = await Socket.connect(endpoint)
                stack.push_async_callback(session.detach)
                said = await session.send("Browser.getVersion")
        except (TimeoutError, ChildProcessError, BrowserError) as error:
            reason = spawned.complaint() or str(error) or f"no answer within {timeout_s:g} s"
            raise BrowserError(f"{build} did not start in mode {mode}: {reason}") from None
        browser = QuietBrowser(
            session=session,
            endpoint=endpoint,
            build=build,
            mode=mode,
            spec=spec,
            command_line=spawned.command,
            version=said["product"].rpartition("/")[2],
            pids=attempt.pids(),
            profile=attempt.profile,
        )
        watching = asyncio.create_task(_watch(browser, session))
        stack.callback(_end, browser, watching)
        session.on("Target.targetCrashed", lambda event: browser._note_crash(_told(event)))
        await session.send("Target.setDiscoverTargets", {"discover": True})
        await browser.check_mode()
        yield browser


async def _watch(browser: QuietBrowser, session: Socket) -> None:
    await session.closed.wait()
    browser._note_crash("the browser process went away")


def _told(event: dict[str, Any]) -> str:
    return f"a renderer crashed ({event.get('status')}, code {event.get('errorCode')})"


def _end(browser: QuietBrowser, watching: asyncio.Task[None]) -> None:
    """From here on it may go; see `launch`."""
    browser._ending = True
    watching.cancel()
