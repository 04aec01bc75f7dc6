"""Verbs that run script in the page, and the value that comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from harness.browser.frames import detach_all, frames_of
from harness.cdp import Session
from harness.errors import StepError
from harness.steps.context import StepContext
from harness.steps.driven import DrivenPage
from harness.steps.page import StepPage
from harness.steps.registry import verb
from harness.units import duration_ms


@verb("call")
async def call(ctx: StepContext, function: str, options: Mapping[str, Any]) -> None:
    arguments = ", ".join(json.dumps(argument) for argument in options.get("args", ()))
    await _run(ctx, f"{function}({arguments})", options)


@verb("evaluate")
async def evaluate(ctx: StepContext, expression: str, options: Mapping[str, Any]) -> None:
    await _run(ctx, expression, options)


@verb("block_main_thread")
async def block_main_thread(ctx: StepContext, duration: str, _: Mapping[str, Any]) -> None:
    """Returns when the block is about to begin: the steps that follow happen while it lasts."""
    busy = f"{{ const end = performance.now() + {duration_ms(duration)}; while (performance.now() < end); }}"
    await run_script(ctx.page, f"void setTimeout(() => {busy}, 0)")


async def _run(ctx: StepContext, expression: str, options: Mapping[str, Any]) -> None:
    name = options.get("as")
    value = await run_script(
        ctx.page,
        expression,
        by_value=name is not None,
        await_promise=options.get("await", True),
        frame=options.get("frame"),
    )
    if name is not None:
        ctx.values[name] = value


async def run_script(
    page: StepPage, expression: str, *, by_value: bool = True, await_promise: bool = True, frame: str | None = None
) -> Any:
    """The value of a JavaScript expression in the page's own world, as JSON types.

    `frame` picks the first child frame whose URL contains it. `StepError` with the page's words and stack when the
    script throws, and when the value has no JSON form.
    """
    parameters = {"expression": expression, "returnByValue": by_value, "awaitPromise": await_promise}
    if frame is None:
        return _value(await page.session.send("Runtime.evaluate", parameters))
    if not isinstance(page, DrivenPage):
        raise StepError("the script of a child frame is reached through the Runtime domain, which is off")
    frames = await frames_of(page.page)
    try:
        chosen = next((one for one in frames[1:] if frame in one.url), None)
        if chosen is None:
            urls = ", ".join(one.url for one in frames[1:]) or "none"
            raise StepError(f"no child frame has a URL that contains {frame!r}; the page's frames: {urls}")
        parameters["contextId"] = await _main_world(chosen.session, chosen.id)
        return _value(await chosen.session.send("Runtime.evaluate", parameters))
    finally:
        await detach_all(frames)


async def _main_world(session: Session, frame_id: str) -> int:
    """The id of the frame's own script context. Only the Runtime domain tells it, and it tells all when enabled."""
    worlds: dict[str, int] = {}

    def note(event: dict[str, Any]) -> None:
        context = event["context"]
        if context["auxData"].get("isDefault"):
            worlds[context["auxData"]["frameId"]] = context["id"]

    session.on("Runtime.executionContextCreated", note)
    await session.send("Runtime.enable")
    if frame_id not in worlds:
        raise StepError("the frame has no script context")
    return worlds[frame_id]


def _value(answer: dict[str, Any]) -> Any:
    if details := answer.get("exceptionDetails"):
        raise StepError(f"the page threw {_thrown(details)}")
    result = answer["result"]
    if odd := result.get("unserializableValue"):
        if odd == "-0":
            return 0
        if odd.endswith("n"):
            return int(odd[:-1])
        raise StepError(f"the page returned {odd}, which JSON cannot hold")
    return result.get("value")


def _thrown(details: dict[str, Any]) -> str:
    exception = details.get("exception", {})
    if description := exception.get("description"):
        return str(description)
    return json.dumps(exception["value"]) if "value" in exception else str(details["text"])
