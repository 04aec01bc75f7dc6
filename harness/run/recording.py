"""One recording: a fresh browser, the steps, the trace on disk, and what is known of its making."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from harness.browser import Build, prove_gpu_raster
from harness.errors import RecorderError, ServerError, StepError
from harness.paths import fixtures_root
from harness.record import GZIP_JSON, PATIENCE_S, Collected
from harness.run.phases import phase
from harness.run.taking import Taken, take, unattended_s
from harness.run.views import build_view
from harness.scenario.model import Arm, Case
from harness.server import FixtureServer
from harness.store import (
    Manifest,
    RecordingFiles,
    devtools_metadata,
    machine_facts,
    moment_of,
    sha256_file,
    stamp,
    without_home,
)
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
    manifest: Manifest


async def make_recording(slot: Slot) -> Made:
    """Start a server and a browser, record, and end both.

    Whatever fails is raised: `HarnessError` for the lab, `CapabilityError` for what is not there, `UserError` for
    categories that the build does not know. Nothing of it is left running.
    """
    roots = [root for root in dict.fromkeys([slot.case.fixtures_root, fixtures_root()]) if root.is_dir()]
    # What such a browser waits out of itself is no slowness of the scenario's.
    unattended = unattended_s(slot.arm, slot.mode)
    seconds = slot.case.timeout_s + (unattended + PATIENCE_S if unattended else 0)
    limit = asyncio.timeout(seconds)
    try:
        async with limit, contextlib.AsyncExitStack() as stack:
            with phase("server"):
                server = await stack.enter_async_context(FixtureServer(roots))
            made = await _in_browser(slot, server, unattended)
            with phase("server"):
                await stack.aclose()
    except TimeoutError as late:
        if not limit.expired():
            raise RecorderError(f"the recording of arm {slot.arm.name} waited in vain: {late or 'no answer'}") from late
        why = next(iter(getattr(late.__cause__, "__notes__", ())), "raise `timeout` if it needs longer")
        raise StepError(
            f"{slot.case.at}: the recording of arm {slot.arm.name} did not finish within {seconds:.0f} s; {why}"
        ) from None
    if server.problems:
        told = "; ".join(str(problem) for problem in server.problems)
        raise ServerError(f"the fixture server was asked for what it cannot give: {told}")
    return made


async def _in_browser(slot: Slot, server: FixtureServer, unattended: float) -> Made:
    arm, machine = slot.arm, machine_facts()
    names = {**server.variables(arm.fixture), "arm": arm.name, "build.major": slot.build.major}
    if arm.browser.raster == "gpu":
        await prove_gpu_raster(slot.build, slot.mode)
    taken = await take(arm, slot.build, slot.mode, server, names, slot.files.trace, unattended)
    collected = taken.collected
    context = RecordingContext(
        arm=arm.name,
        block=slot.block,
        marks=[Mark(START, collected.start_us), *taken.steps.marks, Mark(END, collected.stop_us)],
        values=taken.steps.values,
        log=server.log,
        page=taken.page,
        variables=names,
        data_loss=collected.data_loss,
        build=taken.version,
        mode=slot.mode,
    )
    with phase("keep"):
        manifest = await asyncio.to_thread(_finished, _manifest(slot, taken, machine), slot.files.trace)
        slot.files.write_context(context)
        slot.files.write_manifest(manifest)
    return Made(slot, collected, context, manifest)


def _finished(manifest: Manifest, trace: Path) -> Manifest:
    """With the trace as it stays from now on: what its `metadata` has to say is in it before it is hashed."""
    if trace.name.endswith(GZIP_JSON):
        stamp(trace, devtools_metadata(manifest))
    return msgspec.structs.replace(manifest, sha256=sha256_file(trace), bytes=trace.stat().st_size)


def _manifest(slot: Slot, taken: Taken, machine: dict[str, Any]) -> Manifest:
    arm, collected = slot.arm, taken.collected
    emulated = [step.arg for step in arm.steps if step.verb == "emulate"]
    return Manifest(
        scenario=slot.case.id,
        claims=list(slot.case.claims),
        cell=slot.case.cell,
        arm=arm.name,
        block=slot.block,
        attempt=slot.attempt,
        trace=collected.path.name,
        sha256="",
        bytes=0,
        build=build_view(slot.build),
        mode=slot.mode,
        raster=arm.browser.raster,
        device_pixel_ratio=(taken.page.device_pixel_ratio or None) if taken.page else None,
        emulated={key: value for one in emulated for key, value in one.items()},
        command_line=without_home(taken.command_line),
        recorder=arm.record.recorder,
        categories=list(collected.categories),
        excluded=list(collected.exclude),
        buffer_bytes=arm.record.buffer_bytes,
        buffer_mode=arm.record.buffer_mode,
        buffer_peak=collected.buffer_peak,
        data_loss=collected.data_loss,
        notes=list(collected.notes),
        scenario_sha256=sha256_file(slot.case.file),
        fixture=arm.fixture.name if arm.fixture else "",
        fixture_sha256=sha256_file(arm.fixture),
        recorded=moment_of(collected.start_us),
        machine=machine,
    )
