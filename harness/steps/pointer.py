"""Verbs of raw input: what a device would send, with no look at the page first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.steps.context import StepContext
from harness.steps.page import StepPage
from harness.steps.registry import verb

_MASKS = {"none": 0, "left": 1, "right": 2, "middle": 4}


@verb("mouse_move")
async def mouse_move(ctx: StepContext, point: Sequence[float], options: Mapping[str, Any]) -> None:
    steps = int(options.get("steps", 1))
    (from_x, from_y), (to_x, to_y) = (ctx.page.mouse.x, ctx.page.mouse.y), point
    for step in range(1, steps + 1):
        await _move(ctx.page, from_x + (to_x - from_x) * step / steps, from_y + (to_y - from_y) * step / steps)


@verb("mouse_down")
async def mouse_down(ctx: StepContext, button: str, _: Mapping[str, Any]) -> None:
    ctx.page.mouse.button = button
    await _mouse(ctx.page, "mousePressed", button, clickCount=1)


@verb("mouse_up")
async def mouse_up(ctx: StepContext, button: str, _: Mapping[str, Any]) -> None:
    ctx.page.mouse.button = "none"
    await _mouse(ctx.page, "mouseReleased", button, clickCount=1)


@verb("mouse_click")
async def mouse_click(ctx: StepContext, point: Sequence[float], options: Mapping[str, Any]) -> None:
    await _move(ctx.page, *point)
    await mouse_down(ctx, "left", options)
    await mouse_up(ctx, "left", options)


@verb("wheel")
async def wheel(ctx: StepContext, delta: Sequence[float], options: Mapping[str, Any]) -> None:
    """The wheel turns where the mouse is, or at `at`, which does not move the mouse."""
    x, y = options.get("at", (ctx.page.mouse.x, ctx.page.mouse.y))
    await _dispatch(ctx.page, "mouseWheel", x=x, y=y, deltaX=delta[0], deltaY=delta[1])


@verb("tap")
async def tap(ctx: StepContext, point: Sequence[float], _: Mapping[str, Any]) -> None:
    finger = {"x": point[0], "y": point[1]}
    await ctx.page.session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
    await ctx.page.session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@verb("key")
async def key(ctx: StepContext, name: str, _: Mapping[str, Any]) -> None:
    await ctx.page.press(name)


@verb("type")
async def type_text(ctx: StepContext, text: str, _: Mapping[str, Any]) -> None:
    await ctx.page.type(text)


async def _move(page: StepPage, x: float, y: float) -> None:
    page.mouse.x, page.mouse.y = x, y
    await _mouse(page, "mouseMoved", page.mouse.button)


async def _mouse(page: StepPage, kind: str, button: str, **more: Any) -> None:
    held = _MASKS[page.mouse.button]
    await _dispatch(page, kind, x=page.mouse.x, y=page.mouse.y, button=button, buttons=held, **more)


async def _dispatch(page: StepPage, kind: str, **parameters: Any) -> None:
    await page.session.send("Input.dispatchMouseEvent", {"type": kind, **parameters})
