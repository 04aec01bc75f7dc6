"""A run as it lies on disk, made without a browser: synthetic traces judged and written as a run does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.events import Attempt, BuildView, CaseResult, RecordingRef, RunResult
from harness.expect import Recording
from harness.run.catalog import Catalog
from harness.run.engine import close_ledger, open_ledger
from harness.run.judging import conclude, judge
from harness.run.options import RunOptions
from harness.run.verdicts import settle_case
from harness.scenario.model import Case
from harness.store import Manifest, RecordingFiles, RunFolder, sha256_file
from harness.trace import load
from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext
from tests.traces import PAGE, Json, names, write_trace

SCENARIO = """
scenario: parsing.one
title: A page is parsed once
claims: [parsing.end-line, parsing.once]
record: {categories: [devtools.timeline]}
steps: [{settle: 1ms}]
select:
  parsed: {name: ParseHTML}
expect:
  - claim: parsing.end-line
    each: {of: parsed, has: {args.endData.endLine: {type: integer}}}
  - claim: parsing.once
    count: {of: parsed, is: 1}
"""
CLAIMS = """
event: ParseHTML
slug: parsing
claims:
  - {id: parsing.end-line, says: It has an end line., refuted_by: One without.}
  - {id: parsing.once, says: It is written once., refuted_by: Two of them.}
"""


def build(major: int) -> BuildView:
    version = f"{major}.0.1.2"
    return BuildView(product="Chromium", version=version, major=major, path=f"/b/{major}", source="path")


def write_scenarios(folder: Path) -> Path:
    """The scenario and its claims in a folder that is made."""
    folder.mkdir(parents=True)
    (folder / "one.scenario.yaml").write_text(SCENARIO)
    (folder / "claims.yaml").write_text(CLAIMS)
    return folder


def store_run(
    folder: Path,
    catalog: Catalog,
    attempts: Sequence[Sequence[Json]],
    *,
    majors: Sequence[int] = (156,),
    mode: str = "shell",
    invalid: str = "",
    store: Path | None = None,
) -> RunResult:
    """One attempt for each list of events, the same on each build. `invalid`: the gate's reason against the first."""
    run = RunFolder(folder, store=store)
    options = RunOptions(run, catalog.claims, catalog.baselines, command=("traceproof", "run"))
    ledger, header = open_ledger(options)
    results = []
    with ledger:
        for major in majors:
            for case in catalog.cases:
                result = _case(run, case, catalog, attempts, build(major), mode, invalid)
                ledger.append(result)
                results.append(result)
        concluded = conclude(
            results,
            catalog.claims,
            catalog.baselines,
            folder=str(folder),
            command=options.command,
            seconds=1.0,
            header=header,
            ledger=str(ledger.path),
        )
        close_ledger(ledger, concluded)
    return concluded


def _case(
    run: RunFolder,
    case: Case,
    catalog: Catalog,
    attempts: Sequence[Sequence[Json]],
    build: BuildView,
    mode: str,
    invalid: str,
) -> CaseResult:
    done = [
        _attempt(run, case, events, build, mode, number, invalid if number == 1 else "")
        for number, events in enumerate(attempts, 1)
    ]
    verdicts, tallies, reasons = settle_case(case.claims, done, build.major, catalog.claims)
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
        expected={claim: catalog.baselines.expected(claim, build.major, mode, case.raster) for claim in case.claims},
        tallies=tallies,
        reasons=reasons,
        attempts=done,
        repeat=f"traceproof run {case.name} --browser {build.path}",
    )


def _attempt(
    run: RunFolder, case: Case, events: Sequence[Json], build: BuildView, mode: str, number: int, invalid: str
) -> Attempt:
    (arm,) = case.arms.values()
    files = run.recording(case.name, build.version, mode, number, arm.name, 0, binary=build.path)
    write_trace(files.trace, [*names(), *events])
    page = PageIdentity(frames=[FrameIdentity(pid=PAGE, tid=PAGE)])
    context = RecordingContext(arm=arm.name, page=page, build=build.version, mode=mode)
    files.write_context(context)
    files.write_manifest(_manifest(case, files, arm.name, build, mode, number))
    trace = load(files.trace)
    findings, reasons = judge(case, {arm.name: [Recording(trace, context)]})
    reference = RecordingRef(
        arm=arm.name,
        block=0,
        trace=run.relative(files.trace),
        context=run.relative(files.context),
        sha256=sha256_file(files.trace),
        events=len(trace.events),
        bytes=files.trace.stat().st_size,
        recorder="cdp-browser",
        categories=["devtools.timeline"],
        invalid=[invalid] if invalid else [],
    )
    run.take_in([reference.trace])
    if invalid:
        findings, reasons = [], [f"{reference.trace}: {invalid}"]
    return Attempt(number=number, valid=not reasons, reasons=reasons, findings=findings, recordings=[reference])


def _manifest(case: Case, files: RecordingFiles, arm: str, build: BuildView, mode: str, number: int) -> Manifest:
    return Manifest(
        scenario=case.id,
        claims=list(case.claims),
        cell=case.cell,
        arm=arm,
        attempt=number,
        trace=files.trace.name,
        sha256=sha256_file(files.trace),
        bytes=files.trace.stat().st_size,
        build=build,
        mode=mode,
        recorder="cdp-browser",
        scenario_sha256=sha256_file(case.file),
    )
