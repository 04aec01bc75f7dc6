"""An idle page driven by every waiting step of ours writes no frame, no hit test and no forced layout of our making."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from harness.browser import launch
from harness.record import identify_page
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from harness.trace import Trace
from harness.trace.context import PageIdentity
from tests.lab import FULL, SHELL, build_at, record, step

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
CATEGORIES = [
    *("blink", "devtools.timeline", "disabled-by-default-devtools.timeline", "input", "blink.user_timing"),
    "disabled-by-default-devtools.timeline.frame",
]
NOISE = (
    *("BeginMainThreadFrame", "HitTest", "PrePaint", "Layout", "UpdateLayoutTree", "Document::UpdateStyleAndLayout"),
    *("Blink.ForcedStyleAndLayout.UpdateTime", "EventDispatch", "FunctionCall"),
)
SCRIPT = ("TimerFire",)  # `block_main_thread` runs a timer, and nothing else does


def noise(trace: Trace, page: PageIdentity, begin: float, end: float) -> Counter[str]:
    return Counter(
        event.name
        for event in trace.events
        if event.pid in page.pids and event.name in NOISE + SCRIPT and begin <= event.ts < end
    )


@pytest.mark.parametrize(("path", "mode"), [(SHELL, "shell"), (FULL, "headless")], ids=["shell", "headless"])
@pytest.mark.parametrize("recorder", ["cdp-browser", "cdp-page"])
async def test_waiting_steps_write_nothing(
    tmp_path: Path, server: FixtureServer, path: str, mode: str, recorder: str
) -> None:
    async with launch(build_at(path), mode, host_rules=server.host_rules) as launched:
        page = await launched.new_page()
        ctx = await StepContext.open(launched, page, server=server)
        before = [step("goto", f"{server.origin}/plain.html"), step("settle", "1500ms")]  # its own frames are over
        quiet = [
            step("mark", "quiet"),
            step("settle", "400ms"),
            step("mark", "between"),
            step("wait_request", "plain.html", state="done"),
            step("wait_lifecycle", "load"),
            step("wait_lifecycle", "networkIdle"),
            step("release", "nobody-holds-this"),
            step("settle", "200ms"),
            step("mark", "blocking"),
            step("block_main_thread", "100ms"),
            step("settle", "300ms"),
            step("mark", "control"),
        ]
        # Reads a geometry after a write, and moves the mouse: a forced layout, frames and a hit test.
        force = "document.body.style.width = '300px', document.body.offsetHeight"
        control = [step("evaluate", force), step("mouse_move", [5, 5]), step("settle", "200ms"), step("mark", "over")]
        await run_steps(before, ctx)

        async def work() -> None:
            await run_steps([*quiet, *control], ctx)

        trace, collected = await record(launched, page, tmp_path, CATEGORIES, work, recorder=recorder)
        identity = await identify_page(launched, page)
    at = {mark.name: mark.ts_us for mark in ctx.marks}
    assert noise(trace, identity, at["quiet"], at["blocking"]) == {}
    assert noise(trace, identity, at["blocking"], at["control"]) == {"TimerFire": 1, "FunctionCall": 1}
    seen = noise(trace, identity, at["control"], at["over"])
    assert seen.keys() >= {"BeginMainThreadFrame", "HitTest", "Layout", "Document::UpdateStyleAndLayout"}
    blocked = trace.by_name("TimerFire")[0]
    assert blocked.dur is not None
    assert blocked.dur >= 99_000
    assert not collected.data_loss


async def test_waiting_for_what_comes_later_is_as_quiet(tmp_path: Path, server: FixtureServer) -> None:
    """The page waits too, for a response that is held: waits that have to wait, and a release, disturb nothing."""
    async with launch(build_at(SHELL), "shell") as launched:
        page = await launched.new_page()
        ctx = await StepContext.open(launched, page, server=server)
        fetch = f"void fetch('{server.origin}/second.html?hold=later')"
        await run_steps([step("goto", f"{server.origin}/plain.html"), step("settle", "1500ms")], ctx)

        async def work() -> None:
            await run_steps([step("evaluate", fetch), step("wait_request", "hold=later", state="received")], ctx)
            ctx.mark("held")
            waiting = asyncio.ensure_future(run_steps([step("wait_request", "hold=later", state="done")], ctx))
            await run_steps([step("settle", "200ms"), step("release", "later")], ctx)
            await waiting
            await run_steps([step("mark", "done")], ctx)

        trace, _ = await record(launched, page, tmp_path, CATEGORIES, work)
        identity = await identify_page(launched, page)
    server.reset_holds()
    at = {mark.name: mark.ts_us for mark in ctx.marks}
    assert noise(trace, identity, at["held"], at["done"]) == {}
    assert [event for event in trace.by_name("ResourceReceiveResponse") if event.pid in identity.pids]
