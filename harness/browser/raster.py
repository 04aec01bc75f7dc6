"""Whether tiles are really rastered by the GPU process: what the feature status says, and what a recording shows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Playwright
from playwright.async_api import Error as PlaywrightError

from harness.browser.build import Build
from harness.browser.launch import launch
from harness.browser.sample import sample
from harness.errors import CapabilityError
from harness.scenario.model import BrowserSpec

CATEGORIES = ("gpu",)
_DECODER = "RasterDecoderImpl::"
_PAGE = "data:text/html,<body style='background:linear-gradient(red,blue)'><h1>raster</h1>"
_DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"
_SECONDS = 30.0
_proven: dict[tuple[Path, str], str] = {}
_proving = asyncio.Lock()


def rasters_on_gpu(events: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the raw events of a recording with the category `gpu` hold raster work of the GPU process.

    The start of a decoder is not enough: it may come to nothing.
    """
    return any(str(event.get("name", "")).startswith(f"{_DECODER}DoRaster") for event in events)


async def prove_gpu_raster(build: Build, mode: str, playwright: Playwright | None = None) -> None:
    """Once for each build and mode of this process, in a browser of its own. `CapabilityError` says what is missing."""
    async with _proving:
        key = (build.path, mode)
        if key not in _proven:
            _proven[key] = await _why_not(build, mode, playwright)
    if _proven[key]:
        raise CapabilityError(_proven[key])


async def _why_not(build: Build, mode: str, playwright: Playwright | None) -> str:
    try:
        async with launch(build, mode, BrowserSpec(raster="gpu"), playwright=playwright) as launched:
            page = await launched.new_page()

            async def draw(session: CDPSession) -> None:
                await page.goto(_PAGE)
                await page.evaluate(_DRAWN)

            events = await asyncio.wait_for(sample(launched, CATEGORIES, draw), _SECONDS)
    except CapabilityError as error:
        return str(error)
    except (PlaywrightError, TimeoutError) as error:
        return f"no GPU raster in {build} in mode {mode}: a page was not drawn ({str(error) or 'no answer'})"
    if rasters_on_gpu(events):
        return ""
    return f"no GPU raster in {build} in mode {mode}: the status says enabled, but no {_DECODER}DoRaster… event came"
