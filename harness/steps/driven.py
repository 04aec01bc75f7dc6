"""A page under Playwright: a protocol session of our own, what it has loaded, and where its mouse is.

Navigation, evaluation and the mouse go through this session and not through Playwright, which would compile its helper
scripts in every new document, listen for drags in the page when a button is down, and wait for a load after a restore
from the back/forward cache.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Page

from harness.errors import StepError
from harness.steps.page import StepPage, detached

COMMIT = "commit"
REACHED = {"load": "load", "domcontentloaded": "DOMContentLoaded", "commit": COMMIT}


@dataclass(eq=False, kw_only=True)  # no slots: Playwright keeps a note on the object whose method listens to a session
class DrivenPage(StepPage):
    """`loader` is the id of the main frame's present document; `reached` the lifecycle events of each document."""

    page: Page
    frame_id: str
    loader: str
    reached: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    navigations: int = 0  # of the main frame that committed, those within the document included
    _cover: Page | None = None  # a page opened to hide this one
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    @classmethod
    async def open(cls, page: Page) -> DrivenPage:
        session = await page.context.new_cdp_session(page)
        frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]
        driven = cls(page=page, session=session, frame_id=frame["id"], loader=frame["loaderId"])
        session.on("Page.lifecycleEvent", driven._on_lifecycle)
        session.on("Page.frameNavigated", driven._on_navigated)
        session.on("Page.navigatedWithinDocument", driven._on_navigated_within)
        await session.send("Page.enable")
        await session.send("Page.setLifecycleEventsEnabled", {"enabled": True})  # tells those of the past too
        return driven

    async def navigate(self, url: str, until: str = "load") -> None:
        if until == "none":
            # The answer comes with the response's head; what becomes of it is the scenario's own business.
            detached(self.session.send("Page.navigate", {"url": url}))
            return
        answer = await self.session.send("Page.navigate", {"url": url})
        if failure := answer.get("errorText"):
            raise StepError(f"{url} did not load: {failure}")
        if answer.get("isDownload"):
            raise StepError(f"{url} was taken as a download")
        if loader := answer.get("loaderId"):  # absent for a navigation within the document
            await self.until(lambda: COMMIT in self.reached[loader] and self.has_reached(REACHED[until]))

    async def close(self) -> None:
        await self.page.close()

    async def cover_up(self) -> None:
        self._cover = await self.page.context.new_page()
        await self._cover.bring_to_front()

    async def uncover(self) -> None:
        if self._cover:
            await self._cover.close()
            self._cover = None

    async def press(self, key: str) -> None:
        await self.page.keyboard.press(key)

    async def type(self, text: str) -> None:
        await self.page.keyboard.type(text)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until `holds()`, asked again at each navigation and lifecycle event: the page is not asked anything."""
        while not holds():
            change = asyncio.get_running_loop().create_future()
            self._waiting.append(change)
            await change

    def has_reached(self, name: str) -> bool:
        return name in self.reached[self.loader]

    def _on_lifecycle(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self.frame_id:
            self.reached[event["loaderId"]].add(event["name"])
            self._wake()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" not in frame:
            self.frame_id, self.loader = frame["id"], frame["loaderId"]
            self.reached[self.loader].add(COMMIT)
            self.navigations += 1
            self._wake()

    def _on_navigated_within(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self.frame_id:
            self.navigations += 1
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)
