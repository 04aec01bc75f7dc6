"""One attempt: all recordings of a case, the gate, and what the expectations find."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from harness.errors import HarnessError, StoreError, TraceFileError
from harness.events import PHASES, Attempt, Finding, RecordingRef
from harness.expect import Recording
from harness.record import trace_suffix
from harness.run.gate import invalid_reasons, last_us
from harness.run.judging import judge
from harness.run.page import page_of
from harness.run.phases import phase, timed
from harness.run.plan import Job
from harness.run.readers import read_recording
from harness.run.readings import make_reading
from harness.run.recording import Made, Slot, make_recording
from harness.run.space import refuse_full_disk
from harness.scenario.model import Case
from harness.store import RunFolder
from harness.trace import Trace, load


@dataclass(slots=True)
class _Taken:
    """What an attempt has so far."""

    recordings: dict[str, list[Recording]] = field(default_factory=dict)
    made: dict[tuple[str, int], tuple[Made, Recording]] = field(default_factory=dict)  # by arm and block
    references: list[RecordingRef] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        return [f"{one.trace}: {reason}" for one in self.references for reason in one.invalid]


async def run_attempt(job: Job, number: int, folder: RunFolder, *, judged: bool = True) -> Attempt:
    """Make the recordings of a case and test them; without `judged` only make them.

    A failure of the lab is the attempt's `error`. `CapabilityError` (UNSUPPORTED) and `UserError` (a mistake in the
    scenario) are raised, since every other attempt would meet them too, and so is `StoreError`.
    """
    began, slots = time.monotonic(), list(_slots(job, number, folder))
    _clear(slots)  # of what a run that was killed in this attempt has left
    try:
        with timed() as phases:
            attempt = await _attempt(job, number, folder, slots, judged)
            if attempt.error:
                refuse_full_disk(folder.path)
            with phase("keep"):
                await asyncio.to_thread(folder.take_in, [one.trace for one in attempt.recordings])
    except (StoreError, asyncio.CancelledError):
        _clear(slots)  # nothing of an attempt that no ledger tells of
        raise
    in_order = {name: round(phases[name], 4) for name in PHASES if name in phases}
    return msgspec.structs.replace(attempt, seconds=time.monotonic() - began, phases=in_order)


async def _attempt(job: Job, number: int, folder: RunFolder, slots: Sequence[Slot], judged: bool) -> Attempt:
    load_average = os.getloadavg()[0]
    taken, findings, reasons, error = _Taken(), list[Finding](), list[str](), ""
    try:
        for slot in slots:
            load_then = os.getloadavg()[0]
            made = await _make(slot, taken)
            with phase("read"):
                await asyncio.to_thread(_take, made, folder, taken, load_then)
            if judged and taken.reasons:
                break
            if not taken.references[-1].invalid and not slot.arm.reading:
                with phase("readers"):
                    await _ask_readers(job.case, made)  # what is no evidence is no failure of a reader's either
        reasons = taken.reasons
        if judged and not reasons:
            with phase("judge"):
                findings, reasons = await asyncio.to_thread(judge, job.case, taken.recordings)
    except StoreError:
        raise
    except HarnessError as failure:
        error = str(failure)
    except Exception as failure:
        if not type(failure).__module__.startswith("playwright."):
            raise
        # Any call to a browser that has just gone fails in this way, whatever it was about to do.
        error = f"the browser does not answer: {str(failure).splitlines()[0]}"
    return Attempt(
        number=number,
        valid=not reasons and not error,
        reasons=reasons,
        error=error,
        findings=findings,
        recordings=taken.references,
        load=round(load_average, 2),
        processors=os.cpu_count() or 0,
    )


async def _make(slot: Slot, taken: _Taken) -> Made:
    """A recording by a browser, or by a reader from one that is there."""
    if slot.arm.reading is None:
        return await make_recording(slot)
    base = taken.made.get((slot.arm.reading.of, slot.block))
    if base is None:
        raise HarnessError(f"there is no recording of {slot.arm.reading.of} for {slot.arm.reading.by} to read")
    return await make_reading(slot, *base)


def _slots(job: Job, number: int, folder: RunFolder) -> Iterator[Slot]:
    """Every recording of an attempt; arms of a paired design come as A B, B A, A B, so that drift favours none.

    What readers make of them comes last.
    """
    case, blocks = job.case, job.case.paired.blocks if job.case.paired else 1
    for block in range(blocks):
        recorded = [arm for arm in case.arms.values() if not arm.reading]
        readings = [arm for arm in case.arms.values() if arm.reading]
        for arm in [*(recorded if block % 2 == 0 else reversed(recorded)), *readings]:
            files = folder.recording(
                case.name,
                job.build.version,
                job.mode,
                number,
                arm.name,
                block,
                binary=str(job.build.path),
                blocks=blocks,
                suffix=trace_suffix(arm.record),
            )
            yield Slot(case, arm, job.build, job.mode, number, block, files)


def _clear(slots: Sequence[Slot]) -> None:
    for place in {slot.files.trace.parent for slot in slots}:
        for file in place.iterdir():
            file.unlink()


def _take(made: Made, folder: RunFolder, taken: _Taken, load_average: float) -> None:
    """Read a recording and put it through the gate. `load_average`: when it began."""
    trace: Trace | None = None
    try:
        trace = load(made.slot.files.trace)
    except TraceFileError as error:
        invalid = [f"the file does not parse: {error}"]
    else:
        if (page := page_of(trace, made.context)) != made.context.page:
            made.context.page = page
            made.slot.files.write_context(made.context)
        invalid = invalid_reasons(made.slot.case, made.slot.arm, trace, made.context)
        recording = Recording(trace, made.context)
        taken.recordings.setdefault(made.slot.arm.name, []).append(recording)
        taken.made[made.slot.arm.name, made.slot.block] = made, recording
    reference = _reference(made, folder, trace, invalid)
    order = len(taken.references) + 1
    taken.references.append(msgspec.structs.replace(reference, order=order, load=round(load_average, 2)))


async def _ask_readers(case: Case, made: Made) -> None:
    """What each reader says of a recording, among the values of its context."""
    for reader in case.readers:
        made.context.values[reader] = await read_recording(reader, made.slot.files.trace)
    if case.readers:
        made.slot.files.write_context(made.context)


def _reference(made: Made, folder: RunFolder, trace: Trace | None, invalid: Sequence[str]) -> RecordingRef:
    record = made.slot.arm.record
    return RecordingRef(
        arm=made.slot.arm.name,
        block=made.slot.block,
        trace=folder.relative(made.slot.files.trace),
        context=folder.relative(made.slot.files.context),
        sha256=made.manifest.sha256,
        events=len(trace.events) if trace else 0,
        bytes=made.manifest.bytes,
        recorder=record.recorder,
        categories=list(made.collected.categories),
        invalid=list(invalid),
        anomalies=trace.anomalies if trace else {},
        buffer_peak=made.collected.buffer_peak,
        last_us=last_us(trace) if trace else {},
    )
