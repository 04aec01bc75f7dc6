"""Every verdict of a ledger derived again from its stored recordings, with no browser.

What the gate said of a recording is taken from the ledger, since only the running browser could tell (data loss, a
crash); what the expectations say is found anew, with the scenario files as they are now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from harness.errors import UserError
from harness.events import Attempt, AttemptDone, CaseResult, ClaimVerdict, RecordingRef, RunFooter, RunHeader
from harness.expect import Recording
from harness.run.catalog import scenarios_of
from harness.run.changes import Change, case_changes, verdict_changes
from harness.run.judging import judge
from harness.run.selectors import with_claims
from harness.run.verdicts import decisions, judge_claims, settle_case
from harness.scenario.model import Case, Claim
from harness.store import Manifest, context_beside, manifest_beside, read_ledger, sha256_file
from harness.trace import load
from harness.verdict import Verdict
from harness.wording import plural


@dataclass(slots=True)
class Rederived:
    """`verdicts` as derived now. `notes`: what has changed since without changing a verdict by itself."""

    ledger: Path
    verdicts: list[ClaimVerdict] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cases: int = 0
    recordings: int = 0


class Lost(Exception):
    """A stored recording that is not there any more, or is another."""


def rederive(
    ledger: Path, scenarios: Sequence[Path] = (), on_case: Callable[[str], None] = lambda name: None
) -> Rederived:
    """Derive all verdicts of one ledger; `on_case` hears the name of each case before it is read.

    Scenario files are looked for in `scenarios`, where the ledger says that they were, and among ours.

    `UserError` for a ledger or a scenario that cannot be read.
    """
    lines = read_ledger(ledger)
    stored = [line for line in lines if isinstance(line, CaseResult)]
    verdicts = [line for line in lines if isinstance(line, ClaimVerdict)]
    started_in = {line.plan.directory for line in lines if isinstance(line, RunHeader) and line.plan}
    catalog, cases = scenarios_of(stored, scenarios, started_in)
    done = Rederived(ledger, cases=len(stored))
    derived: list[CaseResult] = []
    for result in stored:
        on_case(result.name)
        if (case := cases.get((result.scenario, result.cell))) is None:
            done.notes.append(f"there is no scenario {result.name} here; say with --scenarios where it is")
            again = msgspec.structs.replace(result, verdicts={}, tallies={}, attempts=[])
        else:
            again = _case(result, case, catalog.claims, ledger.parent, done)
        derived.append(again)
        done.changes += case_changes(result, again)
    done.verdicts = judge_claims(derived, catalog.claims, catalog.baselines)
    if verdicts:  # a ledger that was cut short has none
        done.changes += verdict_changes(verdicts, done.verdicts, done.changes)
    if not any(isinstance(line, RunFooter) for line in lines):
        made = sum(isinstance(line, AttemptDone) for line in lines)
        told = f"{plural(made, 'attempt')}, {plural(len(stored), 'case')}"
        done.notes.append(f"the ledger has no last line: the run or the file was cut short ({told})")
    done.notes = list(dict.fromkeys(done.notes))
    return done


def _case(result: CaseResult, case: Case, claims: Mapping[str, Claim], folder: Path, done: Rederived) -> CaseResult:
    if not result.attempts:  # nothing was run, or a capability lacked: there is nothing to derive from
        return result
    outside = Verdict.NOT_APPLICABLE if result.reason else None  # asked by bisect all the same
    if set(result.claims) < set(case.claims) and not _edited(result, case, folder):
        case = with_claims(case, result.claims)  # as the run was asked for
    attempts = [_attempt(attempt, case, folder, done) for attempt in result.attempts]
    names, major, rule = list(case.claims), result.build.major, result.sampling
    verdicts, tallies, reasons = settle_case(names, attempts, major, claims, outside, rule)
    return msgspec.structs.replace(
        result,
        claims=names,
        verdicts=verdicts,
        tallies=tallies,
        reasons={} if outside else reasons,
        attempts=attempts,
        decisions=decisions(names, attempts, major, claims, rule) if rule else {},
    )


def _edited(result: CaseResult, case: Case, folder: Path) -> bool:
    """Whether the scenario is another file than it was: claims that it has beside those of the ledger may be new."""
    traces = [folder / one.trace for attempt in result.attempts for one in attempt.recordings]
    hashes = {manifest.scenario_sha256 for trace in traces if (manifest := _manifest(trace))}
    return hashes != {sha256_file(case.file)}


def _manifest(trace: Path) -> Manifest | None:
    try:
        return manifest_beside(trace)
    except UserError:
        return None


def _attempt(attempt: Attempt, case: Case, folder: Path, done: Rederived) -> Attempt:
    """The attempt with findings and reasons as they are found now; a recording that is lost makes it no evidence."""
    try:
        derived = derive_attempt(attempt, case, folder)
    except Lost as lost:
        return msgspec.structs.replace(attempt, valid=False, reasons=[str(lost)], findings=[])
    if attempt.error or any(one.invalid for one in attempt.recordings):
        return derived
    for one in attempt.recordings:
        done.recordings += 1
        _note_changes(folder / one.trace, case, done)
    return derived


def derive_attempt(attempt: Attempt, case: Case, folder: Path) -> Attempt:
    """The attempt with findings and reasons as they are found now. A failure of the lab stays one.

    `folder`: of the run, to which the paths of recordings are relative. `Lost` where a recording cannot be used.
    """
    if attempt.error:
        return attempt
    if refused := [f"{one.trace}: {reason}" for one in attempt.recordings for reason in one.invalid]:
        return msgspec.structs.replace(attempt, valid=False, reasons=refused, findings=[])
    if strange := {one.arm for one in attempt.recordings}.symmetric_difference(case.arms):
        raise Lost(f"the scenario has other arms now than were recorded: {', '.join(sorted(strange))}")
    recordings: dict[str, list[Recording]] = {}
    for one in sorted(attempt.recordings, key=lambda one: one.block):
        recordings.setdefault(one.arm, []).append(_recording(one, folder))
    findings, reasons = judge(case, recordings)
    return msgspec.structs.replace(attempt, valid=not reasons, reasons=reasons, findings=findings)


def _recording(one: RecordingRef, folder: Path) -> Recording:
    path = folder / one.trace
    if not path.is_file():
        raise Lost(f"{one.trace}: the recording is not there any more")
    if sha256_file(path) != one.sha256:
        raise Lost(f"{one.trace}: the recording is not the one that the ledger names (its sha256 differs)")
    try:
        context = context_beside(path)
        if context is None:
            raise Lost(f"{one.trace}: the context beside the recording is not there any more")
        return Recording(load(path), context)
    except UserError as error:
        raise Lost(f"{one.trace}: {error.problems[0].message} ({error.problems[0].file})") from None


def _note_changes(trace: Path, case: Case, done: Rederived) -> None:
    """Say so where the scenario is not the file that the recording was made with."""
    manifest = _manifest(trace)
    if manifest is None:
        done.notes.append(f"{case.name}: no manifest tells which scenario file its recordings were made with")
    elif manifest.scenario_sha256 != sha256_file(case.file):
        done.notes.append(f"{case.at.file} has changed since its recordings were made")
