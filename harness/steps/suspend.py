"""The verb that stops processes of the browser for a while, as a machine does that has no time for them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from typing import Any

from harness.errors import StepError
from harness.steps.context import StepContext
from harness.steps.registry import verb
from harness.units import duration_us

_TYPES = {"browser": "browser", "renderers": "renderer", "gpu": "GPU"}


@verb("suspend")
async def suspend(ctx: StepContext, which: str, options: Mapping[str, Any]) -> None:
    """SIGSTOP, a sleep, SIGCONT: all threads of these processes stand still, and the others go on."""
    answer = await ctx.browser.session.send("SystemInfo.getProcessInfo")
    pids = [int(process["id"]) for process in answer["processInfo"] if process["type"] == _TYPES[which]]
    if not pids:
        raise StepError(f"the browser has no process of the kind {which!r} of its own")
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(duration_us(options["for"]) / 1e6)
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
