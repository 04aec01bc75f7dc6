"""Verbs that load documents and wait for them, by events that the browser sends anyway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import StepError
from harness.steps.context import StepContext
from harness.steps.driven import REACHED, DrivenPage
from harness.steps.registry import verb


@verb("goto")
async def goto(ctx: StepContext, url: str, options: Mapping[str, Any]) -> None:
    await ctx.page.navigate(url, options.get("until", "load"))


@verb("reload")
async def reload(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _travel(_driven(ctx), "Page.reload", {}, options)


@verb("back")
async def back(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _in_history(_driven(ctx), -1, options)


@verb("forward")
async def forward(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _in_history(_driven(ctx), 1, options)


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
        await page.until(lambda: page.navigations > before and page.has_reached(REACHED[until]))


@verb("wait_lifecycle")
async def wait_lifecycle(ctx: StepContext, name: str, options: Mapping[str, Any]) -> None:
    """At once when the present document has reached it already."""
    page = _driven(ctx)
    await page.until(lambda: page.has_reached(name))


def _driven(ctx: StepContext) -> DrivenPage:
    """Only a page with the Page domain on tells what it has reached; `scenario.recorders` refuses the others early."""
    if not isinstance(ctx.page, DrivenPage):
        raise StepError("the Page domain is off, and nothing else tells when the page is there")
    return ctx.page
