"""Taking the trace of one arm: a browser, the steps, the file. With a client, or with nobody connected."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.browser import Build, Controlled, launch, launch_alone, launch_quiet
from harness.browser.build import SHELL
from harness.categories import resolve
from harness.errors import StepError
from harness.record import Collected, StartupRecorder, make_recorder
from harness.run.phases import phase
from harness.run.tape import Tape
from harness.run.vocabulary import categories_for, check_names
from harness.scenario.model import Arm, BrowserSpec
from harness.scenario.runtime import fill
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from harness.trace.context import PageIdentity
from harness.units import duration_us

# From the start of a process to the last byte of its page: at a load of six for each processor up to 3 s in shells and
# 10 s in the full browser, at rest 1 s and 2 s. The browser is told a length when it starts and waits it out, so the
# length grows with the load. A recording that the steps outlast is refused by the recorder: this is patience and never
# a guess that a verdict rests on.
_STARTUP_S = {SHELL: 4.0}
_STARTUP_FULL_S = 8.0
_FOR_A_WAIT_S = 3.0
_BUSIEST = 4.0


@dataclass(frozen=True, slots=True)
class Taken:
    """A recording on disk, and what its making told. `page` is None where only the trace can tell."""

    collected: Collected
    steps: StepContext
    page: PageIdentity | None
    version: str
    command_line: tuple[str, ...]


def unattended_s(arm: Arm, mode: str) -> float:
    """For how long a browser that nobody can stop has to record, from its start; 0 where a client stops it."""
    if arm.record.recorder != "startup":
        return 0.0
    waits = sum(step.verb == "wait_request" for step in arm.steps)
    settled = sum(duration_us(step.arg) / 1e6 for step in arm.steps if step.verb == "settle")
    busy = min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), _BUSIEST)
    return settled + busy * (_STARTUP_S.get(mode, _STARTUP_FULL_S) + _FOR_A_WAIT_S * waits)


async def take(
    arm: Arm,
    build: Build,
    mode: str,
    server: FixtureServer,
    names: Mapping[str, Any],
    path: Path,
    unattended: float = 0,
) -> Taken:
    """Make the recording of an arm at `path`; nothing is left running. `unattended`: seconds, of `unattended_s`."""
    if arm.record.recorder == "startup":
        return await _alone(arm, build, mode, server, names, path, unattended)
    return await _connected(arm, build, mode, server, names, path)


def _launching(
    arm: Arm, build: Build, mode: str, spec: BrowserSpec, host_rules: str
) -> AbstractAsyncContextManager[Controlled[Any]]:
    if arm.record.recorder == "cdp-quiet":
        return launch_quiet(build, mode, spec, host_rules=host_rules)
    return launch(build, mode, spec, host_rules=host_rules)


async def _connected(
    arm: Arm, build: Build, mode: str, server: FixtureServer, names: Mapping[str, Any], path: Path
) -> Taken:
    recorder = make_recorder(arm.record, resolve(arm.record.categories))
    spec = dataclasses.replace(arm.browser, args=(*arm.browser.args, *recorder.setup()))
    async with contextlib.AsyncExitStack() as stack:
        with phase("launch"):
            launched = await stack.enter_async_context(_launching(arm, build, mode, spec, server.host_rules))
        with phase("page"):
            if (categories := await categories_for(arm.record, launched)) != resolve(arm.record.categories):
                # Only the running browser tells its own list, from which patterns are written out.
                recorder = make_recorder(arm.record, categories)
            page = await launched.new_page()
            steps = await StepContext.open(launched, page, server=server, variables=names)
        tape = Tape(recorder, launched, steps)
        steps.start_recording, steps.stop_recording = tape.start, tape.stop
        if not any(step.verb == "start_recording" for step in arm.steps):
            await tape.start()
        with phase("steps"):
            await run_steps(arm.steps, steps)
        identity = await tape.finish()
        with phase("collect"):
            collected = await recorder.collect(path)
        with phase("close"):
            await stack.aclose()
    return Taken(collected, steps, identity, launched.version, launched.command_line)


async def _alone(
    arm: Arm, build: Build, mode: str, server: FixtureServer, names: Mapping[str, Any], path: Path, seconds: float
) -> Taken:
    check_names(arm.record)
    recorder = StartupRecorder(arm.record, resolve(arm.record.categories), seconds)
    async with contextlib.AsyncExitStack() as stack:
        url = fill(arm.steps[0].arg, _lookup(names))
        launching = launch_alone(build, mode, url, recorder.arguments, arm.browser, host_rules=server.host_rules)
        with phase("launch"):
            alone = await stack.enter_async_context(launching)
        steps = StepContext.alone(alone, server, variables=names)
        with phase("steps"):
            await run_steps(arm.steps, steps)
        with phase("collect"):
            collected = await recorder.collect(alone, path)
        with phase("close"):
            await stack.aclose()
    return Taken(collected, steps, None, alone.version, alone.command_line)


def _lookup(names: Mapping[str, Any]) -> Any:
    def look(name: str) -> Any:
        if name not in names:
            raise StepError(f"${{{name}}} is not known before the browser starts")
        return names[name]

    return look
