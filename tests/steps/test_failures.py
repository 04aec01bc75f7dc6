"""A step that cannot finish says which, where and why, in bounded time."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from harness.browser import launch
from harness.errors import StepError
from harness.scenario.model import Template
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from tests.lab import SHELL, build_at, step
from tests.steps.conftest import Do

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_page_that_hangs(server: FixtureServer) -> None:
    async with launch(build_at(SHELL), "shell") as own:
        ctx = await StepContext.open(own, await own.new_page(), server=server, timeout_s=2.0)
        steps = [step("goto", f"{server.origin}/plain.html"), step("call", "hang", line=9)]
        with pytest.raises(StepError, match=r"^some\.scenario\.yaml:9:5: step 1, call did not finish within 2 s$"):
            await run_steps(steps, ctx)


async def test_a_response_that_never_comes(do: Do, server: FixtureServer) -> None:
    with pytest.raises(StepError, match=r"goto did not finish within 0\.3 s"):
        await do("goto", f"{server.origin}/plain.html?hold=for-ever", timeout="300ms")
    await do("release", "for-ever")


@pytest.mark.parametrize("victim", ["renderer", "browser"])
@pytest.mark.parametrize("verb", ["settle", "evaluate", "wait_lifecycle", "wait_request"])
async def test_a_death_ends_the_step_at_once(server: FixtureServer, verb: str, victim: str) -> None:
    argument = {
        "settle": "60s",
        "evaluate": "new Promise(() => {})",
        "wait_lifecycle": "firstImagePaint",
        "wait_request": "never",
    }
    async with launch(build_at(SHELL), "shell") as own:
        ctx = await StepContext.open(own, await own.new_page(), server=server, timeout_s=60.0)
        await run_steps([step("goto", f"{server.origin}/plain.html")], ctx)
        waiting = asyncio.ensure_future(run_steps([step(verb, argument[verb])], ctx))
        await asyncio.sleep(0)  # it has begun
        if victim == "browser":
            os.kill(own.pid, signal.SIGKILL)
        else:
            asyncio.ensure_future(ctx.page.session.send("Page.crash")).add_done_callback(lambda call: call.exception())
        # What waits until the limit says so in other words.
        with pytest.raises(StepError, match=rf"step 1, {verb}: .*(crashed|went away)"):
            await waiting


async def test_a_duration_without_unit(do: Do) -> None:
    with pytest.raises(StepError, match=r"step 1, settle: '300' is not a duration"):
        await do("settle", "300")


async def test_templates(do: Do, ctx: StepContext, server: FixtureServer) -> None:
    await do("goto", Template("${server.origin}/plain.html", ("server.origin",)))
    await do("evaluate", "({list: [1, {n: 2}], word: 'w'})", as_="made")
    assert await do("call", "add", args=[Template("${values.made.list.1.n}", ()), 5], as_="sum") == 7
    assert (
        await do("call", "add", args=[Template("<${values.made.word}>", ()), {"x": 1}], as_="s") == "<w>[object Object]"
    )
    for name, said in {
        "values.absent": "no step before this one has returned 'absent' \\(returned so far: made, s, sum\\)",
        "values.made.list.9": "there is no such value in {'list': \\[1",
        "nonsense": "is not defined; there are .*server.origin",
    }.items():
        with pytest.raises(StepError, match=said):
            await do("evaluate", Template(f"${{{name}}}", (name,)))
