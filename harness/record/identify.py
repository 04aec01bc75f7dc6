"""On which process and main thread each frame of a page lives, told by the page itself after the recording.

A second, tiny recording of `blink.user_timing` alone is taken while every frame makes one `performance.mark` with a
nonce of its own: the event's pid and tid are the frame's. The recording under test is over by then.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import secrets
from typing import Any, TypeVar

import msgspec
from playwright.async_api import Error as PlaywrightError

from harness.browser import Controlled
from harness.browser.frames import Frame, detach_all
from harness.cdp import Refused
from harness.errors import RecorderError
from harness.record.bounded import bounded
from harness.record.cdp import Tracing
from harness.record.stream import gzipped, read_stream
from harness.trace.context import FrameIdentity, PageIdentity

P = TypeVar("P")
_SECONDS = 10.0
_TRIES = 3  # on a busy machine a renderer can join the recording only after its mark
_CATEGORY = "blink.user_timing"


class _Event(msgspec.Struct):
    name: str
    cat: str = ""
    pid: int = 0
    tid: int = 0


class _File(msgspec.Struct):
    traceEvents: list[_Event]


async def identify_page(launched: Controlled[P], page: P) -> PageIdentity:
    """The page's frames, the main one first, then in the order of the frame tree, those of other processes last.

    Takes about 0.1 s. No other recording may be going on. A child frame that cannot run script (one that is blocked) is
    left out. `RecorderError` when the main frame gives no mark, `BrowserError` when it is gone.
    """
    for _ in range(_TRIES):
        if identity := await _look(launched, page):
            return identity
    raise RecorderError("the page's main frame wrote no mark, so its process is not known")


async def _look(launched: Controlled[P], page: P) -> PageIdentity | None:
    """None when the main frame's mark is not in the recording."""
    session = await bounded(launched, launched.new_session(), _SECONDS, "open a session")
    frames = await bounded(launched, launched.frames_of(page), _SECONDS, "list the page's frames")
    tracing = Tracing(launched, session)
    config = {"includedCategories": [_CATEGORY], "excludedCategories": ["*"], "traceBufferSizeInKb": 4096}
    await tracing.start({"traceConfig": config})
    try:
        nonces, ratios = {}, {}
        for frame in frames:
            nonce = f"traceproof-{secrets.token_hex(8)}"
            ratio = await bounded(launched, _mark(frame, nonce), _SECONDS, f"run a mark in the frame {frame.url}")
            if ratio is not None:
                nonces[nonce], ratios[frame.id] = frame, ratio
    finally:
        ended = await tracing.end()
    raw = b"".join([chunk async for chunk in gzipped(read_stream(launched, session, ended["stream"]))])
    marks = {event.name: event for event in msgspec.json.decode(gzip.decompress(raw), type=_File).traceEvents}
    await bounded(launched, asyncio.gather(session.detach(), detach_all(frames)), _SECONDS, "close its sessions")
    found = [
        FrameIdentity(marks[nonce].pid, marks[nonce].tid, frame.id, frame.url)
        for nonce, frame in nonces.items()
        if nonce in marks
    ]
    if not found or found[0].frame_id != frames[0].id:
        return None
    return PageIdentity(frames=found, device_pixel_ratio=ratios[frames[0].id])


async def process_types(launched: Controlled[Any]) -> dict[int, str]:
    """The browser's own list of its processes: pid to type (`browser`, `renderer`, `GPU`, ...), or {}."""
    info = await bounded(launched, _process_info(launched), _SECONDS, "list its processes")
    return {int(process["id"]): str(process["type"]) for process in info}


async def _process_info(launched: Controlled[Any]) -> list[dict[str, Any]]:
    try:
        answer = await launched.session.send("SystemInfo.getProcessInfo")
    except Refused:  # 64 does not know the question
        return []
    found: list[dict[str, Any]] = answer["processInfo"]
    return found


async def _mark(frame: Frame, nonce: str) -> float | None:
    """Make the mark in a world of our own, where the page's script cannot have replaced `performance`.

    Answers the frame's device pixel ratio; None where no mark was made.
    """
    try:
        world = await frame.session.send("Page.createIsolatedWorld", {"frameId": frame.id, "worldName": "traceproof"})
        script = f"performance.mark({json.dumps(nonce)}), devicePixelRatio"
        context = world["executionContextId"]
        answer = await frame.session.send("Runtime.evaluate", {"expression": script, "contextId": context})
    except (PlaywrightError, Refused):  # the frame went away, or its document allows no script
        return None
    return None if "exceptionDetails" in answer else float(answer["result"].get("value", 0))
