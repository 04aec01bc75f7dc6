"""The order of an attempt, and what its failures become, with recordings that no browser made."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from harness.errors import CapabilityError, RecorderError, StepError
from harness.events import Attempt, AttemptDone, CaseResult
from harness.run import attempt as attempt_module
from harness.run import job as job_module
from harness.run import judging as judging_module
from harness.run import recording as recording_module
from harness.run.attempt import run_attempt
from harness.run.baselines import Baselines
from harness.run.job import run_job
from harness.run.options import RunOptions
from harness.run.plan import Job
from harness.run.recording import Made, Slot, make_recording
from harness.scenario.model import Case
from harness.store import RunFolder
from harness.trace.context import END, START, FrameIdentity, Mark, PageIdentity, RecordingContext
from harness.verdict import Verdict
from tests import traces
from tests.run.cases import BUILD
from tests.run.cases import case as bare_case


def made_up(slot: Slot, *, data_loss: bool = False) -> Made:
    """A recording with one layout, its files on disk."""
    slot.files.trace.parent.mkdir(parents=True, exist_ok=True)
    edges = [
        {"name": "clock_sync", "ph": "c", "ts": ts, "pid": 1, "tid": 1, "args": {"sync_id": f"traceproof-{edge}"}}
        for edge, ts in (("start", 1), ("end", 900))
    ]
    traces.write_trace(slot.files.trace, [*traces.names(), *edges, traces.slice("Layout", ts=10, dur=5)])
    page = PageIdentity([FrameIdentity(traces.PAGE, traces.PAGE)])
    context = RecordingContext(
        arm=slot.arm.name, marks=[Mark(START, 1), Mark(END, 900)], page=page, data_loss=data_loss
    )
    collected: Any = SimpleNamespace(categories=["blink"], buffer_peak=0.1)
    manifest: Any = SimpleNamespace(sha256="0" * 64, bytes=1)
    return Made(slot, collected, context, manifest)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is called in turn."""
    order: list[str] = []

    def heard(module: ModuleType, name: str) -> None:
        known = getattr(module, name)

        def call(*args: Any, **fields: Any) -> Any:
            order.append(name)
            return known(*args, **fields)

        monkeypatch.setattr(module, name, call)

    heard(attempt_module, "invalid_reasons")
    heard(judging_module, "evaluate_require")
    heard(judging_module, "evaluate")

    async def read(reader: str, trace: Path) -> str:
        order.append(reader)
        return "read"

    monkeypatch.setattr(attempt_module, "read_recording", read)
    return order


def attempted(monkeypatch: pytest.MonkeyPatch, folder: Path, make: Callable[[Slot], Made], **rest: Any) -> Attempt:
    async def make_up(slot: Slot) -> Made:
        return make(slot)

    monkeypatch.setattr(attempt_module, "make_recording", make_up)
    job = Job(bare_case(readers=("trace-engine",)), BUILD, "shell", 1)
    return asyncio.run(run_attempt(job, 1, RunFolder(folder / "out"), **rest))


def test_the_gate_comes_before_readers_and_those_before_the_judging(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: list[str]
) -> None:
    found = attempted(monkeypatch, tmp_path, made_up)
    assert said == ["invalid_reasons", "trace-engine", "evaluate_require", "evaluate"]
    assert found.valid and not found.error and len(found.recordings) == 1


def test_what_is_no_evidence_is_neither_read_nor_judged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: list[str]
) -> None:
    found = attempted(monkeypatch, tmp_path, lambda slot: made_up(slot, data_loss=True))
    assert said == ["invalid_reasons"]
    assert not found.valid and not found.error and "data loss" in found.reasons[0]


def test_a_failure_of_the_lab_is_an_error_and_what_lacks_is_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: list[str]
) -> None:
    def fail(error: Exception) -> Callable[[Slot], Made]:
        def make(slot: Slot) -> Made:
            raise error

        return make

    found = attempted(monkeypatch, tmp_path, fail(RecorderError("it did not stop")))
    assert (found.error, found.valid, said) == ("it did not stop", False, [])
    with pytest.raises(CapabilityError, match="no GPU"):
        attempted(monkeypatch, tmp_path, fail(CapabilityError("no GPU")))


def answered(monkeypatch: pytest.MonkeyPatch, folder: Path, lacking_in: int) -> CaseResult:
    """A job of three attempts, in one of which the machine lacks something."""

    async def attempt(job: Job, number: int, folder: RunFolder) -> Attempt:
        if number == lacking_in:
            raise CapabilityError("no GPU")
        return Attempt(number=number, valid=True)

    monkeypatch.setattr(job_module, "run_attempt", attempt)
    monkeypatch.setattr(job_module, "shared_driver", contextlib.nullcontext)
    options, kept = RunOptions(RunFolder(folder / "out"), {}, Baselines()), list[AttemptDone]()
    return asyncio.run(run_job(Job(bare_case(), BUILD, "shell", 3), options, lambda event: None, keep=kept.append))


def test_what_lacks_at_first_is_unsupported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = answered(monkeypatch, tmp_path, 1)
    assert set(found.verdicts.values()) == {Verdict.UNSUPPORTED}
    assert (found.reason, found.attempts) == ("no GPU", [])


def test_what_lacks_later_is_an_error_and_undoes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = answered(monkeypatch, tmp_path, 2)
    assert set(found.verdicts.values()) == {Verdict.ERROR}
    assert [one.error for one in found.attempts] == ["", "possible in attempt 1 and no longer: no GPU", ""]


@pytest.mark.parametrize(("limit", "error", "says"), [(60.0, RecorderError, "no pong"), (0.01, StepError, "raise")])
def test_a_wait_that_fails_is_not_the_scenarios_timeout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: float, error: type[Exception], says: str
) -> None:
    async def wait(slot: Slot, server: object, unattended: float) -> Made:
        if limit > 1:
            raise TimeoutError("no pong")
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(recording_module, "_in_browser", wait)
    one: Case = bare_case(timeout_s=limit)
    files = RunFolder(tmp_path / "out").recording("a", "156", "shell", 1, "main", 0, binary="/b/156")
    slot = Slot(one, next(iter(one.arms.values())), BUILD, "shell", 1, 0, files)
    with pytest.raises(error, match=says):
        asyncio.run(make_recording(slot))
