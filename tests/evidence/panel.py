"""DevTools' own Performance panel, as a Chromium bundles it: what it shows of a trace file that is loaded into it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error, Page, async_playwright

from tests.lab import FULL, build_at

APP = "devtools://devtools/bundled/devtools_app.html"
# Tracks are drawn on a canvas, so the panel is asked for what it draws: a track goes on to the next of its level.
READ = """async () => {
  const { TimelinePanel } = await import("./panels/timeline/timeline.js");
  const panel = TimelinePanel.TimelinePanel.instance();
  if (panel.state === "RecordingFailed") return { failed: true, tracks: [] };
  const provider = panel.flameChart.mainDataProvider;
  const { groups = [], entryLevels = [], entryStartTimes, entryTotalTimes } = provider?.timelineData() ?? {};
  if (panel.state !== "Idle" || !groups.length) return null;
  const tracks = groups.map(({ name, startLevel }) => [name, startLevel, []]);
  entryLevels.forEach((level, entry) => {
    const [, , entries] = tracks.findLast(([, start]) => start <= level);
    entries.push([provider.entryTitle(entry), entryStartTimes[entry] * 1000, entryTotalTimes[entry] * 1000]);
  });
  return { failed: false, tracks: tracks.map(([name, , entries]) => [name, entries]) };
}"""


@dataclass
class Shown:
    """`tracks`: the entries of each, as title, start and duration in microseconds. `said`: errors of the panel."""

    failed: bool
    tracks: dict[str, list[tuple[str, float, float]]]
    said: list[str] = field(default_factory=list)


@asynccontextmanager
async def devtools() -> AsyncIterator[Page]:
    """A page for `load`. Skips where no Chromium with a front-end is installed."""
    build = build_at(FULL)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(build.path), headless=False, args=["--headless=new", "--no-sandbox"]
        )
        try:
            page = await browser.new_page(viewport={"width": 1400, "height": 900})
            try:
                await page.goto(APP)
            except Error as error:
                pytest.skip(f"{build} does not bundle DevTools: {error.message.splitlines()[0]}")
            yield page
        finally:
            await browser.close()


async def load(page: Page, trace: Path) -> Shown:
    """What the panel shows of a file that was given to its `Load profile`."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(error.message))
    await page.goto(APP)
    await page.get_by_role("tab", name="Performance").click()
    await page.locator("input[type=file]").set_input_files(trace)
    while (told := await page.evaluate(READ)) is None and not said:
        await page.wait_for_timeout(50)
    shown: dict[str, Any] = told or {"failed": True, "tracks": []}
    return Shown(shown["failed"], {name: [tuple(one) for one in found] for name, found in shown["tracks"]}, said)
