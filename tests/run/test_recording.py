"""A recording as a run stores it: DevTools' own trace engine reads its metadata, we the rest."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.browser import shared_driver
from harness.cli import cli
from harness.events import Attempt
from harness.run.attempt import run_attempt
from harness.run.plan import Job
from harness.run.rederive import derive_attempt
from harness.scenario.load import load_file
from harness.scenario.model import Case
from harness.store import RunFolder, manifest_beside, sha256_file
from tests.evidence.test_annotate import read_by_devtools
from tests.lab import SHELL, build_at

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SCENARIO = """
scenario: stored.metadata
title: A page is parsed
claims: [stored.parsed]
record: {{categories: [devtools.timeline, loading, blink.user_timing{more}], recorder: {recorder}}}
browser: {{args: [--force-device-scale-factor=2]}}
fixture: page.html
steps: [{{goto: "${{fixture.url}}"}}, {{settle: 100ms}}]
select: {{parsed: {{name: ParseHTML}}}}
expect: [{{count: {{of: parsed, is: ">= 1"}}}}]
"""
CLAIMS = "{event: X, slug: stored, claims: [{id: stored.parsed, says: a, refuted_by: b}]}"
# With it the browser writes TracingStartedInBrowser, and names the frames in it only for a session of the page's.
OF_DEVTOOLS = "disabled-by-default-devtools.timeline"


@pytest.mark.parametrize(("recorder", "more"), [("cdp-page", f", {OF_DEVTOOLS}"), ("cdp-quiet", ""), ("startup", "")])
async def test_devtools_reads_a_stored_recording(tmp_path: Path, recorder: str, more: str) -> None:
    case, attempt, trace = await recorded(tmp_path, recorder, more)
    manifest = manifest_beside(trace)
    assert manifest is not None
    assert sha256_file(trace) == manifest.sha256 == attempt.recordings[0].sha256
    assert trace.stat().st_size == manifest.bytes == attempt.recordings[0].bytes
    assert derive_attempt(attempt, case, tmp_path / "out") == attempt
    metadata = json.loads(gzip.decompress(trace.read_bytes()))["metadata"]
    assert metadata["dataOrigin"] == "TraceEvents" and metadata["startTime"].endswith("Z")
    assert "trace_processor_stats" in metadata
    told = read_by_devtools(trace)
    assert (told["dpr"], told["corrected"]) == (2, True)


async def test_devtools_opens_the_annotated_copy_of_what_it_refuses(tmp_path: Path) -> None:
    case, _, trace = await recorded(tmp_path, "cdp-browser", f", {OF_DEVTOOLS}")
    with pytest.raises(AssertionError, match="No frames found in trace data"):
        read_by_devtools(trace)
    copy = tmp_path / "copy" / "main.json.gz"
    copy.parent.mkdir()
    told = CliRunner().invoke(cli, ["annotate", str(trace), str(case.file), "-o", str(copy)])
    assert told.exit_code == 0, told.output
    read = read_by_devtools(copy)
    assert (read["dpr"], read["corrected"]) == (2, True)
    assert "traceproof/expectation 1: met" in read["tracks"]


async def recorded(
    folder: Path, recorder: str, more: str, build: str = SHELL, mode: str = "shell"
) -> tuple[Case, Attempt, Path]:
    (folder / "page.html").write_text("<!doctype html><title>A page</title><p>One</p>")
    (folder / "a.scenario.yaml").write_text(SCENARIO.format(recorder=recorder, more=more))
    (folder / "claims.yaml").write_text(CLAIMS)
    (case,) = load_file(folder / "a.scenario.yaml", fixtures_roots=[])
    run = RunFolder(folder / "out")
    async with shared_driver():
        attempt = await run_attempt(Job(case, build_at(build), mode, 1), 1, run)
    assert attempt.valid, (attempt.error, attempt.reasons)
    return case, attempt, run.path / attempt.recordings[0].trace
