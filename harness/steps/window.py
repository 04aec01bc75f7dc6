"""Verbs on pages and their window: size, emulation, other pages, in front or hidden."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import CapabilityError, StepError
from harness.steps.context import StepContext
from harness.steps.page import StepPage
from harness.steps.registry import verb
from harness.steps.script import run_script

_VISIBILITY_SECONDS = 3.0


@verb("resize")
async def resize(ctx: StepContext, size: Sequence[int], _: Mapping[str, Any]) -> None:
    """The window is made so large that the page's viewport has this size: no emulation."""
    width, height = size
    window = await _window(ctx.page)
    await ctx.page.session.send("Browser.setContentsSize", {"windowId": window, "width": width, "height": height})


@verb("emulate")
async def emulate(ctx: StepContext, what: Mapping[str, Any], _: Mapping[str, Any]) -> None:
    """Each emulation stays until another step changes it; those that are not named stay as they are."""
    page, session = ctx.page, ctx.page.session
    if (scale := what.get("device_scale_factor")) is not None:
        # A width and height of 0 leave the viewport as it is.
        metrics = {"width": 0, "height": 0, "mobile": False, "deviceScaleFactor": scale}
        await session.send("Emulation.setDeviceMetricsOverride", metrics)
    if (rate := what.get("cpu_throttle")) is not None:
        await session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    if (touch := what.get("touch")) is not None:
        await session.send("Emulation.setTouchEmulationEnabled", {"enabled": touch})
    media = {name: what[name] for name in ("media", "color_scheme", "reduced_motion") if name in what}
    if media:
        page.media |= media
        features = [
            {"name": f"prefers-{name.replace('_', '-')}", "value": value}
            for name, value in page.media.items()
            if name != "media"
        ]
        await session.send("Emulation.setEmulatedMedia", {"media": page.media.get("media", ""), "features": features})


@verb("new_page")
async def new_page(ctx: StepContext, name: str, options: Mapping[str, Any]) -> None:
    if name in ctx.pages:
        raise StepError(f"there is a page {name!r} already")
    ctx.page = ctx.pages[name] = await ctx.open_page(options.get("url", ""))


@verb("use_page")
async def use_page(ctx: StepContext, name: str, _: Mapping[str, Any]) -> None:
    ctx.page = _named(ctx, name)


@verb("close_page")
async def close_page(ctx: StepContext, name: str, _: Mapping[str, Any]) -> None:
    """Steps go on with the page that was opened last, where the closed one was in use."""
    page = _named(ctx, name)
    if len(ctx.pages) == 1:
        raise StepError("the last page cannot be closed")
    del ctx.pages[name]
    await page.close()
    if ctx.page is page:
        ctx.page = list(ctx.pages.values())[-1]


@verb("hide_page")
async def hide_page(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    """Minimise the window; where no window manager does that, put another tab over the page."""
    page = ctx.page
    await _set_window(page, "minimized")
    if await _becomes(page, "hidden"):
        return
    await page.cover_up()
    if not await _becomes(page, "hidden"):
        raise CapabilityError("the page stays visible: its browser was started with focus emulation")


@verb("show_page")
async def show_page(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    page = ctx.page
    await page.uncover()
    await _set_window(page, "normal")
    await page.session.send("Page.bringToFront")
    if not await _becomes(page, "visible"):
        raise StepError(f"the page is still hidden after {_VISIBILITY_SECONDS:g} s")


def _named(ctx: StepContext, name: str) -> StepPage:
    if name not in ctx.pages:
        raise StepError(f"there is no page {name!r}; there are {', '.join(ctx.pages)}")
    return ctx.pages[name]


async def _window(page: StepPage) -> int:
    return int((await page.session.send("Browser.getWindowForTarget"))["windowId"])


async def _set_window(page: StepPage, state: str) -> None:
    bounds = {"windowId": await _window(page), "bounds": {"windowState": state}}
    await page.session.send("Browser.setWindowBounds", bounds)


async def _becomes(page: StepPage, state: str) -> bool:
    """The page's own word, awaited with one listener and no polling."""
    script = f"""new Promise(resolve => document.visibilityState === '{state}' ? resolve()
        : document.addEventListener('visibilitychange', () => resolve(), {{once: true}}))"""
    try:
        async with asyncio.timeout(_VISIBILITY_SECONDS):
            await run_script(page, script, by_value=False)
    except TimeoutError:
        return False
    return True
