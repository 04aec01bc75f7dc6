"""Verbs that load documents and wait for them, by events that the browser sends anyway."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Error as PlaywrightError

from harness.errors import StepError
from harness.steps.context import StepContext
from harness.steps.driven import COMMIT, DrivenPage
from harness.steps.registry import verb

_UNTIL = {"load": "load", "domcontentloaded": "DOMContentLoaded", "commit": COMMIT}


@verb("goto")
async def goto(ctx: StepContext, url: str, options: Mapping[str, Any]) -> None:
    await navigate(ctx.page, url, options.get("until", "load"))


async def navigate(page: DrivenPage, url: str, until: str = "load") -> None:
    """Navigate the main frame. A script that navigates further before `until` is followed."""
    if until == "none":
        # The answer comes with the response's head; what becomes of it is the scenario's own business.
        _detached(page.session.send("Page.navigate", {"url": url}))
        return
    answer = await page.session.send("Page.navigate", {"url": url})
    if failure := answer.get("errorText"):
        raise StepError(f"{url} did not load: {failure}")
    if answer.get("isDownload"):
        raise StepError(f"{url} was taken as a download")
    if loader := answer.get("loaderId"):  # absent for a navigation within the document
        await page.until(lambda: COMMIT in page.reached[loader] and page.has_reached(_UNTIL[until]))


@verb("reload")
async def reload(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _travel(ctx.page, "Page.reload", {}, options)


@verb("back")
async def back(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _in_history(ctx.page, -1, options)


@verb("forward")
async def forward(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _in_history(ctx.page, 1, options)


async def _in_history(page: DrivenPage, offset: int, options: Mapping[str, Any]) -> None:
    history = await page.session.send("Page.getNavigationHistory")
    index = history["currentIndex"] + offset
    if not 0 <= index < len(history["entries"]):
        raise StepError(f"the history holds no page to go {'back' if offset < 0 else 'forward'} to")
    await _travel(page, "Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]}, options)


async def _travel(page: DrivenPage, method: str, parameters: dict[str, Any], options: Mapping[str, Any]) -> None:
    """A document restored from the back/forward cache has reached its load long ago and is not waited for."""
    before, until = page.navigations, options.get("until", "load")
    await page.session.send(method, parameters)
    if until != "none":
        await page.until(lambda: page.navigations > before and page.has_reached(_UNTIL[until]))


@verb("wait_lifecycle")
async def wait_lifecycle(ctx: StepContext, name: str, options: Mapping[str, Any]) -> None:
    """At once when the present document has reached it already."""
    await ctx.page.until(lambda: ctx.page.has_reached(name))


_running: set[asyncio.Task[None]] = set()


def _detached(work: Any) -> None:
    async def run() -> None:
        try:
            await work
        except PlaywrightError:  # the page or browser was closed first
            return

    task = asyncio.ensure_future(run())
    _running.add(task)
    task.add_done_callback(_running.discard)
