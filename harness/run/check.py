"""Expectations on stored traces, with no browser: those that traceproof recorded, and any other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.events import Attempt, BuildView, CaseResult, Finding, RecordingRef, RunResult
from harness.expect import Recording
from harness.run.applies import applies_elsewhere
from harness.run.catalog import Catalog
from harness.run.gate import invalid_reasons, last_us
from harness.run.judging import conclude, judge
from harness.run.needs import load_for
from harness.run.repeat import repeat_check
from harness.run.verdicts import settle_case
from harness.run.which import context_of, one_case, traces_in
from harness.scenario.model import Case
from harness.store import RecordingFiles, sha256_file
from harness.trace import Trace, resolve_page
from harness.trace.context import RecordingContext
from harness.verdict import Verdict
from harness.versions import parse_version


@dataclass(frozen=True, slots=True)
class _Stored:
    """A trace with what is known of it. `alone`: nothing was stored beside it."""

    path: Path
    trace: Trace
    context: RecordingContext
    alone: bool


def check_trace(path: Path, cases: Sequence[Case], arm: str, catalog: Catalog, command: Sequence[str]) -> RunResult:
    """Test a trace file, or the folder of a stored attempt with all its arms, against one case.

    `arm` says which arm a single file is of, where the case has several and nothing beside the file tells. `UsageError`
    where it stays unclear, or where `cases` are several cells of a matrix and no manifest tells which; `TraceFileError`
    for a file that does not parse.
    """
    began = time.monotonic()
    files = traces_in(path)
    case = one_case(cases, files[0])
    stored = [_open(file, case, arm) for file in files]
    recordings: dict[str, list[Recording]] = {}
    for one in sorted(stored, key=lambda one: one.context.block):
        recordings.setdefault(one.context.arm, []).append(Recording(one.trace, one.context))
    references = [_reference(one, case) for one in stored]
    reasons = [f"{one.trace}: {reason}" for one in references for reason in one.invalid]
    reasons += _incomplete(case, stored)
    findings: list[Finding] = []
    if not reasons:
        findings, reasons = judge(case, recordings)
    attempt = Attempt(
        number=1,
        valid=not reasons,
        reasons=reasons,
        findings=findings,
        recordings=references,
        seconds=time.monotonic() - began,
    )
    context = stored[0].context
    del stored, recordings  # before what is imported for the verdicts takes memory of its own
    result = _result(case, attempt, context, catalog, repeat_check(path, case, arm))
    folder = path if path.is_dir() else path.parent
    return conclude(
        [result], catalog.claims, catalog.baselines, folder=str(folder), command=command, seconds=attempt.seconds
    )


def _incomplete(case: Case, stored: Sequence[_Stored]) -> list[str]:
    """Whether each arm that is here has every block once: those of a run that was cut short are half of an attempt."""
    wanted = list(range(case.paired.blocks if case.paired else 1))
    reasons = []
    for arm in dict.fromkeys(one.context.arm for one in stored):
        blocks = sorted(one.context.block for one in stored if one.context.arm == arm)
        if blocks != wanted:
            found = ", ".join(map(str, blocks))
            reasons.append(f"an attempt has {len(wanted)} recordings of arm {arm}, here are blocks {found}")
    return reasons


def _open(path: Path, case: Case, arm: str) -> _Stored:
    context, stored = context_of(path, case, arm)
    trace = load_for(path, case, context)
    if not stored:
        context.build = _version(trace)
    context.page = resolve_page(trace, context)
    return _Stored(path, trace, context, alone=not stored)


def _version(trace: Trace) -> str:
    """What the trace itself says of the browser: `Chrome/156.0.8078.108`; empty where it says nothing."""
    said = str(trace.metadata.get("product-version") or trace.metadata.get("user-agent") or "")
    try:
        return ".".join(map(str, parse_version(said.partition("Chrome/")[2] or said)))
    except ValueError:
        return ""


def _reference(one: _Stored, case: Case) -> RecordingRef:
    arm = case.arms[one.context.arm]
    return RecordingRef(
        arm=arm.name,
        block=one.context.block,
        trace=one.path.name,
        context="" if one.alone else RecordingFiles(one.path).context.name,
        sha256=sha256_file(one.path),
        events=one.trace.size,
        bytes=one.path.stat().st_size,
        recorder="" if one.alone else arm.record.recorder,
        categories=[],
        invalid=invalid_reasons(case, arm, one.trace, one.context, marked=not one.alone),
        anomalies=one.trace.anomalies,
        last_us=last_us(one.trace),
    )


def _result(case: Case, attempt: Attempt, context: RecordingContext, catalog: Catalog, repeat: str) -> CaseResult:
    version = context.build
    major = parse_version(version)[0] if version else 0
    build = BuildView(product="trace of", version=version or "an unknown version", major=major, path="", source="trace")
    mode = context.mode
    # What nobody knows of a bare trace binds nothing: who tests it says that it fits.
    elsewhere = applies_elsewhere(case, major or None, mode or None)
    known = catalog.claims if major else {}
    verdict = Verdict.NOT_APPLICABLE if elsewhere else None
    verdicts, tallies, own_reasons = settle_case(case.claims, [attempt], major, known, verdict)
    return CaseResult(
        scenario=case.id,
        cell=case.cell,
        place=str(case.at),
        title=case.title,
        build=build,
        mode=mode,
        raster=case.raster,
        claims=list(case.claims),
        verdicts=verdicts,
        expected={claim: catalog.baselines.expected(claim, major, mode, case.raster) for claim in case.claims},
        tallies=tallies,
        reason=elsewhere,
        reasons=own_reasons,
        attempts=[attempt],
        repeat=repeat,
    )
