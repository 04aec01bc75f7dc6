"""Verbs that leave the page alone: time, marks, the recording, the server, and the protocol itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from harness.errors import StepError
from harness.server import FixtureServer
from harness.steps.context import Hook, StepContext
from harness.steps.registry import verb
from harness.units import duration_us


@verb("settle")
async def settle(ctx: StepContext, duration: str, _: Mapping[str, Any]) -> None:
    await asyncio.sleep(duration_us(duration) / 1e6)


@verb("mark")
async def mark(ctx: StepContext, name: str, _: Mapping[str, Any]) -> None:
    ctx.mark(name)


@verb("start_recording")
async def start_recording(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _call_hook(ctx.start_recording)


@verb("stop_recording")
async def stop_recording(ctx: StepContext, _: None, options: Mapping[str, Any]) -> None:
    await _call_hook(ctx.stop_recording)


@verb("wait_request")
async def wait_request(ctx: StepContext, part: str, options: Mapping[str, Any]) -> None:
    """Only requests since these steps began count; one that has come already ends the wait at once."""
    limit = duration_us(options["timeout"]) / 1e6 if "timeout" in options else ctx.timeout_s
    await _server(ctx).wait_for(part, options.get("state", "done"), limit, since_us=ctx.opened_us)


@verb("release")
async def release(ctx: StepContext, name: str, _: Mapping[str, Any]) -> None:
    _server(ctx).release(name)


@verb("cdp")
async def cdp(ctx: StepContext, method: str, options: Mapping[str, Any]) -> None:
    session = ctx.browser.session if options.get("target") == "browser" else ctx.page.session
    answer = await session.send(method, options.get("params", {}))
    if name := options.get("as"):
        ctx.values[name] = answer


async def _call_hook(hook: Hook | None) -> None:
    if hook is None:
        raise StepError("there is no recorder to control here")
    await hook()


def _server(ctx: StepContext) -> FixtureServer:
    if ctx.server is None:
        raise StepError("there is no fixture server here")
    return ctx.server
