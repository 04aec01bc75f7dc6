"""From a case of a ledger to the drawings of its evidence: which attempts tell, and their recordings off the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import TraceproofError
from harness.events import Attempt, CaseResult, Finding, RecordingRef
from harness.evidence.columns import Columns, common_origin
from harness.evidence.cut import cut
from harness.evidence.drawing import Drawing
from harness.evidence.selected import looked_at
from harness.expect import Recording
from harness.scenario.model import Case
from harness.store import context_beside
from harness.trace import load, resolve_page
from harness.trace.context import RecordingContext
from harness.verdict import Outcome

MOST_EVENTS = 1_500  # of one recording in a report
MOST_ARMS = 6


@dataclass(slots=True)
class Draft:
    """Drawings of a case, and what could not be drawn with the reason."""

    drawings: list[Drawing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def drawings_of(result: CaseResult, case: Case | None, folder: Path, most: int = MOST_EVENTS) -> Draft:
    """The evidence of the attempts that tell most: one that contradicts a claim, and one that does not.

    `case`: the scenario as it is now, if it is still there. `most`: events of one recording. Recordings that are gone
    or broken are said in the notes.
    """
    draft = Draft()
    for attempt in telling_attempts(result):
        block = next((one.block for one in attempt.findings if one.outcome is Outcome.UNMET), 0)
        refs = [one for one in attempt.recordings if one.block == block]
        named = [ref for ref in refs if _is_named(ref, attempt.findings)] or refs
        if len(named) > MOST_ARMS:
            draft.notes.append(f"{len(named) - MOST_ARMS} of {len(named)} arms are not drawn")
        recordings: dict[str, Recording] = {}
        traces: dict[str, str] = {}
        for ref in refs:
            path = folder / ref.trace
            try:
                recordings[ref.arm] = open_recording(path, ref.arm)
            except TraceproofError as error:
                draft.notes.append(f"{ref.trace}: {error}")
            traces[ref.arm] = ref.trace
        shown = [ref.arm for ref in named[:MOST_ARMS] if ref.arm in recordings]
        findings = [one for one in attempt.findings if one.block == block]
        draft.drawings += draw_attempt(case, recordings, findings, traces, attempt.number, most, shown)
    return draft


def telling_attempts(result: CaseResult) -> list[Attempt]:
    """The first attempt with a finding that is not met, and the first valid one without; at most two."""
    valid = [attempt for attempt in result.attempts if attempt.findings and attempt.recordings]
    against = [one for one in valid if any(finding.outcome is Outcome.UNMET for finding in one.findings)]
    agreeing = [one for one in valid if one not in against]
    return sorted([*against[:1], *agreeing[:1]], key=lambda one: one.number) if against else agreeing[:1]


def draw_attempt(
    case: Case | None,
    recordings: Mapping[str, Recording],
    findings: Sequence[Finding],
    traces: Mapping[str, str],
    attempt: int = 1,
    most: int = MOST_EVENTS,
    shown: Sequence[str] | None = None,
) -> list[Drawing]:
    """One drawing for each arm of one block that is `shown` (all). traces: where each arm's recording lies."""
    looked = looked_at(case, recordings, findings)
    chosen = {arm: one for arm, one in recordings.items() if shown is None or arm in shown}
    origin = common_origin(chosen.values(), (looked[arm] for arm in chosen))
    drawings = []
    for arm, recording in chosen.items():
        columns = Columns(recording, cut(recording, looked[arm], most), looked[arm], origin)
        drawings.append(columns.drawing(attempt=attempt, trace=traces.get(arm, "")))
    return drawings


def open_recording(path: Path, arm: str) -> Recording:
    """A stored trace with its context; `TraceproofError` where it is gone or broken."""
    trace = load(path)
    context = context_beside(path) or RecordingContext(arm=arm)
    context.arm = arm
    context.page = resolve_page(trace, context)
    return Recording(trace, context)


def _is_named(ref: RecordingRef, findings: Sequence[Finding]) -> bool:
    """Whether a finding is about this arm; `arm` lists all that met it."""
    return any(not one.arm or ref.arm in one.arm.split(", ") for one in findings)
