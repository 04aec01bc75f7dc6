"""One recording: a fresh browser, the steps, the trace on disk, and what is known of its making."""

from __future__ import annotations

import asyncio
import dataclasses
from dataclasses import dataclass
from typing import Any

from harness.browser import Build, Launched, launch
from harness.categories import resolve
from harness.errors import ServerError, StepError
from harness.paths import fixtures_root
from harness.record import Collected, make_recorder
from harness.run.tape import Tape
from harness.run.views import build_view
from harness.run.vocabulary import categories_for
from harness.scenario.model import Arm, Case
from harness.server import FixtureServer
from harness.steps import StepContext, run_steps
from harness.store import Manifest, RecordingFiles, machine_facts, now, sha256_file, without_home
from harness.trace.context import END, START, Mark, RecordingContext


@dataclass(frozen=True, slots=True)
class Slot:
    """Which recording of an attempt is to be made, and where it goes."""

    case: Case
    arm: Arm
    build: Build
    mode: str
    attempt: int
    block: int
    files: RecordingFiles


@dataclass(frozen=True, slots=True)
class Made:
    """A recording that has been made; its three files are on disk."""

    slot: Slot
    collected: Collected
    context: RecordingContext
    sha256: str


async def make_recording(slot: Slot) -> Made:
    """Start a server and a browser, record, and end both.

    Whatever fails is raised: `HarnessError` for the lab, `CapabilityError` for what is not there, `UserError` for
    categories that the build does not know. Nothing of it is left running.
    """
    roots = [root for root in dict.fromkeys([slot.case.fixtures_root, fixtures_root()]) if root.is_dir()]
    try:
        async with asyncio.timeout(slot.case.timeout_s), FixtureServer(roots) as server:
            made = await _in_browser(slot, server)
    except TimeoutError:
        raise StepError(
            f"{slot.case.at}: the recording of arm {slot.arm.name} did not finish within {slot.case.timeout_s:g} s; "
            "raise `timeout` if it needs longer"
        ) from None
    if server.problems:
        told = "; ".join(str(problem) for problem in server.problems)
        raise ServerError(f"the fixture server was asked for what it cannot give: {told}")
    return made


async def _in_browser(slot: Slot, server: FixtureServer) -> Made:
    arm = slot.arm
    names = {**server.variables(arm.fixture), "arm": arm.name, "build.major": slot.build.major}
    recorder = make_recorder(arm.record, resolve(arm.record.categories))
    spec = dataclasses.replace(arm.browser, args=(*arm.browser.args, *recorder.setup()))
    machine = machine_facts()
    async with launch(slot.build, slot.mode, spec, host_rules=server.host_rules) as launched:
        if (categories := await categories_for(arm.record, launched)) != resolve(arm.record.categories):
            # Only the running browser tells its own list, from which patterns are written out.
            recorder = make_recorder(arm.record, categories)
        page = await launched.new_page()
        steps = await StepContext.open(launched, page, server=server, variables=names)
        tape = Tape(recorder, launched, steps)
        steps.start_recording, steps.stop_recording = tape.start, tape.stop
        if not any(step.verb == "start_recording" for step in arm.steps):
            await tape.start()
        await run_steps(arm.steps, steps)
        identity = await tape.finish()
        collected = await recorder.collect(slot.files.trace)
    marks = [Mark(START, collected.start_us), *steps.marks, Mark(END, collected.stop_us)]
    context = RecordingContext(
        arm=arm.name,
        block=slot.block,
        marks=marks,
        values=steps.values,
        log=server.log,
        page=identity,
        variables=names,
        data_loss=collected.data_loss,
        build=launched.version,
        mode=slot.mode,
    )
    digest = await asyncio.to_thread(sha256_file, slot.files.trace)
    slot.files.write_context(context)
    slot.files.write_manifest(_manifest(slot, collected, launched, machine, digest))
    return Made(slot, collected, context, digest)


def _manifest(slot: Slot, collected: Collected, launched: Launched, machine: dict[str, Any], digest: str) -> Manifest:
    arm = slot.arm
    return Manifest(
        scenario=slot.case.id,
        cell=slot.case.cell,
        arm=arm.name,
        block=slot.block,
        attempt=slot.attempt,
        trace=collected.path.name,
        sha256=digest,
        bytes=collected.bytes,
        build=build_view(slot.build),
        mode=slot.mode,
        raster=arm.browser.raster,
        command_line=without_home(launched.command_line),
        recorder=arm.record.recorder,
        categories=list(collected.categories),
        excluded=list(collected.exclude),
        buffer_bytes=arm.record.buffer_bytes,
        buffer_mode=arm.record.buffer_mode,
        buffer_peak=collected.buffer_peak,
        data_loss=collected.data_loss,
        scenario_sha256=sha256_file(slot.case.file),
        fixture=arm.fixture.name if arm.fixture else "",
        fixture_sha256=sha256_file(arm.fixture),
        recorded=now(),
        machine=machine,
    )
