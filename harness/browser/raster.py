"""Whether tiles are really rastered by the GPU process: what the feature status says, and what a recording shows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.browser.build import Build
from harness.browser.quiet import launch_quiet
from harness.browser.sample import sample
from harness.cdp import Refused, Session
from harness.errors import CapabilityError
from harness.scenario.model import BrowserSpec

CATEGORIES = ("gpu",)
_DECODER = "RasterDecoderImpl::"
_PAGE = "data:text/html,<body style='background:linear-gradient(red,blue)'><h1>raster</h1>"
_DRAWN = """location.protocol == "data:" &&
    new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100, true))))"""
_SECONDS, _PAUSE_SECONDS = 30.0, 0.05
_proven: dict[tuple[Path, str], str] = {}


def rasters_on_gpu(events: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the raw events of a recording with the category `gpu` hold raster work of the GPU process.

    The start of a decoder is not enough: it may come to nothing.
    """
    return any(str(event.get("name", "")).startswith(f"{_DECODER}DoRaster") for event in events)


async def prove_gpu_raster(build: Build, mode: str) -> None:
    """Once for each build and mode of this process, in a browser of its own. `CapabilityError` says what is missing."""
    key = (build.path, mode)
    if key not in _proven:
        _proven[key] = await _why_not(build, mode)
    if _proven[key]:
        raise CapabilityError(_proven[key])


async def _why_not(build: Build, mode: str) -> str:
    try:
        async with launch_quiet(build, mode, BrowserSpec(raster="gpu")) as browser:

            async def draw(_: Session) -> None:
                page = await browser.page_session(await browser.open(_PAGE))
                try:
                    while not await _drawn(page):
                        pass
                finally:
                    await page.detach()

            events = await asyncio.wait_for(sample(browser, CATEGORIES, draw), _SECONDS)
    except CapabilityError as error:
        return str(error)
    except TimeoutError:
        return f"no GPU raster in {build} in mode {mode}: a page was not drawn within {_SECONDS:g} s"
    if rasters_on_gpu(events):
        return ""
    return f"no GPU raster in {build} in mode {mode}: the status says enabled, but no {_DECODER}DoRaster… event came"


async def _drawn(page: Session) -> bool:
    """Two frames of the page; False while it is not there yet, which ends what was evaluated before it."""
    try:
        said = await page.send("Runtime.evaluate", {"expression": _DRAWN, "awaitPromise": True, "returnByValue": True})
    except Refused:
        said = {"result": {}}
    if said["result"].get("value") is not True:
        await asyncio.sleep(_PAUSE_SECONDS)
        return False
    return True
