"""Which case a trace is of, and which arm: one answer for every command that is given a trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import Problem, UsageError
from harness.scenario.model import Case
from harness.store import RecordingFiles, context_beside, manifest_beside, stored_traces
from harness.trace.context import RecordingContext


def traces_in(path: Path) -> list[Path]:
    """A trace file itself, or the traces in the folder of a stored attempt; `UsageError` for another folder."""
    if not path.is_dir():
        return [path]
    if not (found := stored_traces(path)):
        raise UsageError(
            Problem(f"{path} is not the folder of an attempt", expected="traces with their .context.json beside them")
        )
    return found


def one_case(cases: Sequence[Case], trace: Path | None = None) -> Case:
    """The only case, or the one that the manifest beside a trace names; `UsageError` where it stays unclear."""
    if len(cases) == 1:
        return cases[0]
    if trace is not None and (manifest := manifest_beside(trace)):
        for case in cases:
            if (case.id, case.cell) == (manifest.scenario, manifest.cell):
                return case
    names = ", ".join(case.name for case in cases)
    raise UsageError(Problem(f"one case at a time, and these match: {names}", remedy="name one, or choose with -k"))


def one_arm(case: Case, name: str) -> str:
    """The arm that is named, or the only one; `UsageError` where there are several, or none of that name."""
    if not name and len(case.arms) == 1:
        return next(iter(case.arms))
    if name not in case.arms:
        said = f"{case.name} has no arm {name!r}" if name else f"{case.name} has several arms"
        raise UsageError(Problem(said, expected=", ".join(case.arms), remedy="say which with --arm"))
    return name


def context_of(trace: Path, case: Case, arm: str = "") -> tuple[RecordingContext, bool]:
    """What is stored beside a trace, and whether anything is; the arm is one of the case.

    `arm`: what the command line says. `UsageError` where that and what is stored disagree, or neither tells.
    """
    context = context_beside(trace)
    if context is None:
        return RecordingContext(arm=one_arm(case, arm)), False
    if arm and context.arm in case.arms and context.arm != arm:
        told = RecordingFiles(trace).context.name
        raise UsageError(Problem(f"{trace.name} is of the arm {context.arm}, as {told} says", found=f"--arm {arm}"))
    context.arm = one_arm(case, arm or context.arm)
    return context, True
