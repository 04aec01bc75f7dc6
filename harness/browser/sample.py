"""A small recording held in memory: what the harness asks of a browser for itself, never evidence for a claim."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson
from playwright.async_api import CDPSession

from harness.browser.launch import Launched

_READ = 1 << 20


async def sample(
    launched: Launched, categories: Sequence[str], work: Callable[[CDPSession], Awaitable[None]]
) -> list[dict[str, Any]]:
    """The events of these categories while `work` ran; it is given the session that records."""
    session = await launched.new_session()
    complete: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    session.once("Tracing.tracingComplete", lambda event: complete.set_result(event))
    config = {"includedCategories": [*categories, "__metadata"], "excludedCategories": ["*"]}
    await session.send("Tracing.start", {"transferMode": "ReturnAsStream", "traceConfig": config})
    await work(session)
    await session.send("Tracing.end")
    events: list[dict[str, Any]] = orjson.loads(await _read(session, (await complete)["stream"]))["traceEvents"]
    return events


async def _read(session: CDPSession, stream: str) -> str:
    text = ""
    while True:
        piece = await session.send("IO.read", {"handle": stream, "size": _READ})
        text += str(piece["data"])
        if piece["eof"]:
            return text
