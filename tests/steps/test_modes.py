"""What depends on the mode: hiding, the size of the window, the back/forward cache."""

from __future__ import annotations

import shutil

import pytest

from harness.browser import launch
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from tests.lab import FULL, build_at, step

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize("mode", ["headless", "headed"])
async def test_the_full_browser(server: FixtureServer, mode: str) -> None:
    if mode == "headed" and not shutil.which("Xvfb"):
        pytest.skip("no Xvfb")
    async with launch(build_at(FULL), mode) as launched:
        ctx = await StepContext.open(launched, await launched.new_page(), server=server, variables=server.variables())
        note = "addEventListener('pageshow', event => { window.restored = event.persisted })"
        steps = [
            step("goto", f"{server.origin}/plain.html"),
            step("evaluate", note),
            step("resize", [640, 480]),
            step("evaluate", "[innerWidth, innerHeight]", as_="size"),
            step("hide_page"),
            step("evaluate", "document.visibilityState", as_="hidden"),
            step("show_page"),
            step("evaluate", "document.visibilityState", as_="shown"),
            step("new_page", "cover"),
            step("use_page", "main"),
            step("evaluate", "document.visibilityState", as_="covered"),
            step("close_page", "cover"),
            step("goto", f"{server.origin}/second.html"),
            step("back"),
            step("evaluate", "window.restored", as_="restored"),
            step("mouse_click", [10, 10]),
            step("call", "sees", args=["mouseup"]),
        ]
        await run_steps(steps, ctx)
    assert ctx.values == {
        "size": [640, 480],
        "hidden": "hidden",
        "shown": "visible",
        "covered": "hidden",
        "restored": True,
    }
