"""`traceproof mutate` and `traceproof lint --mutants` on stored recordings, with no browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness import cli as cli_module
from harness.events import Attempt, BuildView, CaseResult, Finding, RecordingRef
from harness.store import Ledger
from harness.trace.context import END, START, FrameIdentity, Mark, PageIdentity, RecordingContext
from harness.verdict import Outcome, Verdict
from tests import traces

SCENARIO = """\
scenario: mine.layouts
title: A page that lays out three times
claims: [mine.three-layouts]
record: {categories: [devtools.timeline], markers: none}
steps: [{settle: 50ms}]
select:
  layouts: {name: Layout}
expect:
  - count: {of: layouts, is: EXPECTED}
"""
CLAIMS = """\
event: Layout
slug: mine
claims:
  - id: mine.three-layouts
    says: The page lays out three times.
    refuted_by: A recording with another number of layouts.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


def write(folder: Path, expected: str) -> Path:
    (folder / "claims.yaml").write_text(CLAIMS)
    path = folder / "layouts.scenario.yaml"
    path.write_text(SCENARIO.replace("EXPECTED", expected))
    return path


def store(out: Path, *, valid: bool = True) -> Path:
    """A run folder with one attempt of the scenario."""
    place = out / "recordings" / "mine.layouts" / "156.0.1.2-shell" / "1"
    place.mkdir(parents=True)
    events = [*traces.names(), *(traces.slice("Layout", ts=ts, dur=5) for ts in (10, 30, 50))]
    traces.write_trace(place / "main.json.gz", events)
    context = RecordingContext(
        marks=[Mark(START, 1), Mark(END, 900)],
        page=PageIdentity([FrameIdentity(traces.PAGE, traces.PAGE)]),
        build="156.0.1.2",
        mode="shell",
    )
    (place / "main.context.json").write_bytes(msgspec.json.encode(context))
    reference = RecordingRef(
        arm="main",
        block=0,
        trace=str((place / "main.json.gz").relative_to(out)),
        context=str((place / "main.context.json").relative_to(out)),
        sha256="",
        events=3,
        bytes=1,
        recorder="cdp-browser",
        categories=[],
    )
    finding = Finding(index=0, claims=["mine.three-layouts"], form="count", text="", outcome=Outcome.MET, summary="")
    attempt = Attempt(number=1, valid=valid, findings=[finding], recordings=[reference])
    build = BuildView(product="Chromium", version="156.0.1.2", major=156, path="", source="path")
    result = CaseResult(
        scenario="mine.layouts",
        build=build,
        mode="shell",
        claims=["mine.three-layouts"],
        verdicts={"mine.three-layouts": Verdict.HOLDS},
        attempts=[attempt],
    )
    with Ledger(out / "ledger.jsonl") as ledger:
        ledger.append(result)
    return out


def run(*args: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli_module.main(list(map(str, args)))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_a_stored_attempt_is_mutated(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "3")
    out = store(tmp_path / "run")
    status, told, _ = run("mutate", folder, "--from", out, "--out", tmp_path / "m", "--json", capsys=capsys)
    found: dict[str, Any] = json.loads(told)
    (case,) = found["cases"]
    (expectation,) = case["expectations"]
    assert status == 0
    assert found["totals"]["killed"] == expectation["killed"] > 5
    assert expectation["contradictions"]["count: one more"]["killed"] == 1
    assert case["recordings"].endswith("156.0.1.2-shell/1")


def test_survivors_are_traces_that_can_be_checked(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, '">= 0"')
    out = store(tmp_path / "run")
    status, told, _ = run("mutate", folder, "--from", out, "--out", tmp_path / "m", "--json", capsys=capsys)
    (expectation,) = json.loads(told)["cases"][0]["expectations"]
    assert status == 1
    assert "no mutant kills it" in expectation["faults"][0]
    dropped = next(odd for odd in expectation["odd"] if odd["operator"] == "drop one" and odd["file"])
    status, told, err = run("check", dropped["file"], folder, "--json", capsys=capsys)
    assert status == 0, err
    assert "found 2" in told


def test_what_a_person_reads(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, '">= 0"')
    status, told, _ = run("mutate", folder, "--from", store(tmp_path / "run"), "--out", tmp_path / "m", capsys=capsys)
    assert status == 1
    assert "layouts.scenario.yaml:9:5" in told and "✗ no mutant kills it" in told
    assert "1 of 1 expectations are not to be relied on" in told


def test_a_bare_trace(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "3")
    trace = store(tmp_path / "run") / "recordings/mine.layouts/156.0.1.2-shell/1/main.json.gz"
    assert run("mutate", folder, "--trace", trace, "--out", tmp_path / "m", capsys=capsys)[0] == 0


def test_an_invalid_attempt_is_no_ground(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "3")
    out = store(tmp_path / "run", valid=False)
    status, told, _ = run("mutate", folder, "--from", out, capsys=capsys)
    assert "no valid attempt" in told and "nothing was examined" in told and status == 1


def expect_refuted(folder: Path, versions: str = ">=111") -> None:
    (folder / "my.baseline.yaml").write_text(
        f'- {{claim: mine.three-layouts, verdict: REFUTED, versions: "{versions}", reason: r, date: 2026-01-31}}\n'
    )


def test_what_is_not_met_is_said(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "4")
    out = store(tmp_path / "run")
    status, told, _ = run("mutate", folder, "--from", out, "--out", tmp_path / "m", capsys=capsys)
    assert status == 1 and "not examined, unmet on this recording" in told and "1 that no baseline explains" in told
    status, told, _ = run("lint", folder, "--mutants", out, capsys=capsys)
    assert status == 2 and "layouts.scenario.yaml:9:5: not examined, so it is not known" in told


def test_what_is_refuted_as_expected_is_no_problem(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "4")
    out = store(tmp_path / "run")
    expect_refuted(folder)
    status, told, _ = run("lint", folder, "--mutants", out, capsys=capsys)
    assert status == 0 and "layouts.scenario.yaml:9:5: not examined: refuted as expected" in told
    status, told, _ = run("mutate", folder, "--from", out, "--out", tmp_path / "m", capsys=capsys)
    assert status == 1 and "refuted as expected" in told and "nothing was examined" in told
    expect_refuted(folder, "<=100")
    assert run("lint", folder, "--mutants", out, capsys=capsys)[0] == 2


def test_a_folder_without_a_ledger(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "3")
    status, _, err = run("mutate", folder, "--from", tmp_path, capsys=capsys)
    assert status == 2 and "holds no ledger.jsonl" in err


def test_lint_tells_the_faults_with_their_places(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "3")
    out = store(tmp_path / "run")
    assert run("lint", folder, "--mutants", out, capsys=capsys)[0] == 0
    write(folder, '">= 0"')
    status, told, _ = run("lint", folder, "--mutants", out, capsys=capsys)
    assert status == 2
    assert "layouts.scenario.yaml:9:5: no mutant kills it" in told


def test_lint_misses_a_recording(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "3")
    out = store(tmp_path / "run", valid=False)
    status, told, _ = run("lint", folder, "--mutants", out, capsys=capsys)
    assert status == 2 and "holds no valid attempt of mine.layouts" in told


def test_lint_tells_what_nobody_ever_saw(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An absence of what is misspelt; where another scenario finds the same it is documented."""
    path = write(folder, "3")
    out = store(tmp_path / "run")
    text = path.read_text()
    path.write_text(text + "    control: {none: {of: gone}, }\n".replace(", }", "}"))
    gone = "  gone: {name: OldLayot}\n"
    path.write_text(
        text.replace("expect:\n", gone + "expect:\n")
        + "  - {claim: mine.three-layouts, none: {of: gone}, control: {count: {of: layouts, is: 3}}}\n"
    )
    status, told, _ = run("lint", folder, "--mutants", out, capsys=capsys)
    assert status == 2 and 'blind: name never seen: "OldLayot"' in told and "layouts.scenario.yaml:8:9" in told
    other = text.replace("mine.layouts", "mine.old").replace("{name: Layout}", "{name: OldLayot}")
    (folder / "old.scenario.yaml").write_text(other)
    status, told, _ = run("mutate", folder, "-k", "mine.layouts", "--from", out, "--out", tmp_path / "m", capsys=capsys)
    assert "neutral ones survived" in told and "never seen" not in told
