from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from harness.browser import Launched, launch
from harness.paths import fixtures_root
from harness.record import identify_page
from harness.trace import Trace
from harness.trace.context import END, START, marker_name
from tests.lab import FULL, SHELL, build_at, record

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
DEVTOOLS = "disabled-by-default-devtools.timeline"
CATEGORIES = [
    "devtools.timeline",
    "blink",
    "blink.user_timing",
    "loading",
    DEVTOOLS,
    "viz",
    "toplevel.flow",
    "navigation",
]
# These happen once or more on each load of the page, whatever else the browser does meanwhile.
STEADY = (
    "ParseHTML",
    "CommitLoad",
    "navigationStart",
    "domContentLoadedEventEnd",
    "firstContentfulPaint",
    "UpdateLayoutTree",
    "Layout",
    "PrePaint",
    "Paint",
    "Layerize",
    "Commit",
    "MarkLoad",
    "RunTask",
    "FunctionCall",
    "Graphics.Pipeline",
    "NavigationRequest::NavigationRequest",
)
EXPORTERS_OWN = {"process_uptime_seconds"}  # JSON only: an event of the export, not of the browser


@pytest.mark.parametrize("recorder", ["perfetto", "perfetto-config"])
async def test_records_protobuf_that_reads_like_any_trace(
    launched: Launched, page: Page, tmp_path: Path, recorder: str
) -> None:
    async def work() -> None:
        await page.goto("data:text/html,<p>hello")

    trace, collected = await record(launched, page, tmp_path, ["devtools.timeline"], work, recorder=recorder)
    assert collected.path.name.endswith(".pftrace.gz")
    assert not collected.data_loss
    assert [event.args["sync_id"] for event in trace.by_name("clock_sync")] == [marker_name(START), marker_name(END)]
    identity = await identify_page(launched, page)
    assert identity.main is not None
    parsed = [event for event in trace.by_name("ParseHTML") if event.thread == (identity.main.pid, identity.main.tid)]
    assert parsed
    assert collected.start_us <= parsed[0].ts <= collected.stop_us  # one clock: the host's and the trace's
    assert parsed[0].tdur is not None
    assert trace.threads[parsed[0].thread].role == "main"


@pytest.mark.parametrize("markers", ["page", "none"])
async def test_markers_other_than_the_clocks(launched: Launched, page: Page, tmp_path: Path, markers: Any) -> None:
    categories = ["blink.user_timing"]
    trace, _ = await record(launched, page, tmp_path, categories, page.title, recorder="perfetto", markers=markers)
    assert bool(trace.by_name(marker_name(END))) is (markers == "page")
    assert not trace.by_name("clock_sync")


@pytest.mark.slow
@pytest.mark.parametrize(("path", "mode"), [(SHELL, "shell"), (FULL, "headless"), ("/work/exp/b153/chromium", "shell")])
async def test_json_and_protobuf_of_one_page_say_the_same(tmp_path: Path, path: str, mode: str) -> None:
    url = (fixtures_root() / "parse-html" / "apis.html").as_uri()
    shown: dict[str, dict[str, Any]] = {}
    async with launch(build_at(path), mode) as browser:
        page = await browser.new_page()

        async def work() -> None:
            for _ in range(3):
                await page.goto(url)
                await page.wait_for_timeout(200)

        for recorder in ("cdp-browser", "perfetto"):
            trace, _ = await record(browser, page, tmp_path, CATEGORIES, work, recorder=recorder)
            shown[recorder] = vocabulary(trace)
    json, proto = shown["cdp-browser"], shown["perfetto"]
    for name in json.keys() & proto.keys() - EXPORTERS_OWN:
        assert json[name]["cat"] & proto[name]["cat"], name
        assert json[name]["kinds"] & proto[name]["kinds"], name
    for name in STEADY:
        if name not in json and name not in proto:
            continue
        assert json[name]["cat"] == proto[name]["cat"], name
        assert json[name]["args"] == proto[name]["args"], name


def vocabulary(trace: Trace) -> dict[str, Any]:
    """By name: categories, kinds, and the paths and types of arguments."""
    told: defaultdict[str, dict[str, set[Any]]] = defaultdict(lambda: {"cat": set(), "kinds": set(), "args": set()})
    for event in trace.events:
        entry = told[event.name]
        entry["cat"].add(event.cat)
        entry["kinds"].add(event.kind)
        entry["args"] |= set(paths(event.args))
    return dict(told)


def paths(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from paths(member, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, f"{path}[]")
    else:
        yield path, "number" if type(value) in (int, float) else type(value).__name__
