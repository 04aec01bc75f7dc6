"""A small recording held in memory: what the harness asks of a browser for itself, never evidence for a claim."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson

from harness.browser.running import Controlled
from harness.cdp import Session

_READ = 1 << 20


async def sample(
    browser: Controlled[Any], categories: Sequence[str], work: Callable[[Session], Awaitable[None]]
) -> list[dict[str, Any]]:
    """The events of these categories while `work` ran; it is given the session that records."""
    session = await browser.new_session()
    complete: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    session.on("Tracing.tracingComplete", lambda event: complete.set_result(event))  # Playwright marks its handlers
    config = {"includedCategories": [*categories, "__metadata"], "excludedCategories": ["*"]}
    await session.send("Tracing.start", {"transferMode": "ReturnAsStream", "traceConfig": config})
    await work(session)
    await session.send("Tracing.end")
    events: list[dict[str, Any]] = orjson.loads(await _read(session, (await complete)["stream"]))["traceEvents"]
    await session.detach()
    return events


async def _read(session: Session, stream: str) -> str:
    text = ""
    while True:
        piece = await session.send("IO.read", {"handle": stream, "size": _READ})
        text += str(piece["data"])
        if piece["eof"]:
            return text
