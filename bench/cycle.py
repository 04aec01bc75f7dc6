"""One scenario cycle of traceproof against a bare Playwright script that records the same and does the same steps.

    python -m bench.cycle [PAIRS] [BROWSER] [MODE]

Both launch a browser, record the same categories, do the same steps, write the trace and close; traceproof also finds
the page's process, hashes and stores the recording, reads it, puts it through the gate and tests what is expected. They
take turns in one process (A B, B A, ...) with one driver of Playwright, which was started before.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Playwright

from harness.browser import shared_driver
from harness.browser.driver import driver
from harness.categories import resolve as resolve_categories
from harness.cli.new import write_scenario
from harness.paths import fixtures_root
from harness.run.attempt import run_attempt
from harness.run.builds import find_builds
from harness.run.catalog import load_catalog
from harness.run.plan import Job, plan_one
from harness.server import FixtureServer
from harness.store import RunFolder


async def _bare(playwright: Playwright, job: Job, url: str, folder: Path) -> dict[str, float]:
    """What anyone would write. Returns its seconds by phase."""
    times = [("", time.monotonic())]

    def lap(name: str) -> None:
        times.append((name, time.monotonic()))

    categories = resolve_categories(next(iter(job.case.arms.values())).record.categories)
    browser = await playwright.chromium.launch(executable_path=job.build.path, args=["--no-sandbox"])
    lap("launch")
    page = await browser.new_page()
    lap("page")
    session = await browser.new_browser_cdp_session()
    done: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    session.on("Tracing.tracingComplete", lambda event: done.set_result(event))
    what = {"includedCategories": categories, "excludedCategories": ["*"]}
    how = {"transferMode": "ReturnAsStream", "streamCompression": "gzip", "traceConfig": what}
    await session.send("Tracing.start", how)
    lap("start")
    await page.goto(url)
    await asyncio.sleep(0.3)
    await page.evaluate("turnRed()")
    await asyncio.sleep(0.2)
    lap("steps")
    await session.send("Tracing.end")
    handle, at_end = (await done)["stream"], False
    lap("stop")
    with (folder / "bare.json.gz").open("wb") as file:
        while not at_end:
            reply = await session.send("IO.read", {"handle": handle, "size": 1 << 20})
            file.write(base64.b64decode(reply["data"]))
            at_end = reply["eof"]
    lap("collect")
    await browser.close()
    lap("close")
    return {name: at - before for (_, before), (name, at) in pairwise(times)}


async def _ours(job: Job, number: int, folder: RunFolder) -> dict[str, float]:
    began = time.monotonic()
    attempt = await run_attempt(job, number, folder)
    if not attempt.valid:
        raise SystemExit(f"the attempt is no evidence: {attempt.error or attempt.reasons}")
    rest = time.monotonic() - began - sum(attempt.phases.values())
    return {**attempt.phases, "rest": rest}


async def _pairs(job: Job, pairs: int, folder: Path) -> dict[str, Any]:
    run = RunFolder(folder / "run")
    bare: list[dict[str, float]] = []
    ours: list[dict[str, float]] = []
    roots = [job.case.fixtures_root, fixtures_root()]
    async with shared_driver(), driver() as playwright, FixtureServer(roots) as server:
        url = server.url_for(next(iter(job.case.arms.values())).fixture or "")
        for number in range(-1, pairs):  # the first pair only warms the disk's cache
            for mine in (True, False) if number % 2 else (False, True):
                if mine:
                    ours.append(await _ours(job, number + 2, run))
                else:
                    bare.append(await _bare(playwright, job, url, folder))
    ours, bare = ours[1:], bare[1:]
    whole = [(sum(mine.values()), sum(other.values())) for mine, other in zip(ours, bare, strict=True)]
    return {
        "ratio": median(mine / other for mine, other in whole),
        "ours_s": median(mine for mine, _ in whole),
        "bare_s": median(other for _, other in whole),
        "pairs": pairs,
        "build": job.build.version,
        "mode": job.mode,
        "load": os.getloadavg()[0],
        "phases_s": {name: (_middle(ours, name), _middle(bare, name)) for name in ours[0]},
    }


def _middle(cycles: list[dict[str, float]], name: str) -> float:
    return round(median(one.get(name, 0.0) for one in cycles), 3)


def measure(pairs: int = 10, browser: str = "", mode: str = "") -> dict[str, Any]:
    """`ratio`: the median over the pairs of our seconds by the bare script's. `phases_s`: medians of ours, and its."""
    with tempfile.TemporaryDirectory(prefix="traceproof-bench-") as folder:
        write_scenario("bench-cycle", Path(folder) / "scenario")
        case = load_catalog([Path(folder) / "scenario"]).cases
        build = find_builds([browser] if browser else [], print)[0]
        job = plan_one(next(one for one in case if one.id == "bench-cycle.first"), build, mode or build.modes[0], 1)
        if job.verdict:
            raise SystemExit(job.reason)
        return asyncio.run(_pairs(job, pairs, Path(folder)))


if __name__ == "__main__":
    words = sys.argv[1:]
    print(json.dumps(measure(int(words[0]) if words else 10, *words[1:]), indent=1))
