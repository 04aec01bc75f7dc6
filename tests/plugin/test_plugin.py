"""The plugin as users of pytest meet it. Runs are made up, but for the last test, which has a real browser."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import scipy.stats  # noqa: F401  pytester forgets modules that a run inside this process imports, and NumPy loads once

import harness.report
import harness.run.session  # noqa: F401
from harness.cli.new import write_scenario
from harness.events import CaseResult, ClaimVerdict
from harness.run.plan import Job
from harness.run.verdicts import judge_case
from harness.run.views import build_view
from harness.store import read_ledger
from harness.verdict import Outcome, Verdict
from tests.lab import SHELL, build_at
from tests.run.cases import BUILD
from tests.samples import attempt, finding

pytest_plugins = ["pytester"]
Lab = Callable[..., None]


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Lab:
    """`lab(outcome, …)`: what the claims of every scenario get, without any browser."""

    def prepare(*outcomes: Outcome, verdict: Verdict | None = None, expected: Verdict = Verdict.HOLDS) -> None:
        async def run_job(job: Job, *rest: Any, **named: Any) -> CaseResult:
            claims = job.case.claims
            tried = attempt(1, *(finding(claim, one) for claim, one in zip(claims, outcomes, strict=False)))
            verdicts, tallies = judge_case(claims, [tried])
            return CaseResult(
                scenario=job.case.id,
                place=str(job.case.at),
                build=build_view(job.build),
                mode=job.mode,
                claims=list(claims),
                verdicts=dict.fromkeys(claims, verdict) if verdict else verdicts,
                expected=dict.fromkeys(claims, expected),
                tallies=tallies,
                attempts=[tried],
                reason="not here" if verdict else "",
                repeat=f"traceproof run {job.case.file.name}",
            )

        monkeypatch.setattr("harness.run.session.find_builds", lambda wanted, echo: [BUILD])
        monkeypatch.setattr("harness.run.session.run_job", run_job)

    return prepare


@pytest.fixture
def mine(pytester: pytest.Pytester) -> Path:
    write_scenario("mine", pytester.path / "mine")
    return pytester.path / "mine"


MET, UNMET = Outcome.MET, Outcome.UNMET


def test_each_mode_is_an_item_with_its_place(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(MET, MET)
    result = pytester.runpytest_inprocess(mine, "-v", "--traceproof-mode", "headless", "--traceproof-mode", "headed")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*first.scenario.yaml::mine.first?156-headless? PASSED*", "*156-headed? PASSED*"])
    result.stdout.fnmatch_lines(["HOLDS 4", f"evidence {pytester.path}/out/*"])


def test_a_refuted_claim_is_an_explanation_and_no_traceback(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(MET, UNMET)
    result = pytester.runpytest_inprocess(mine)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "REFUTED  mine.one-style-pass-per-change *",
            "*claim      A style change that is followed by a frame*",
            "*expected   count: {of: parsed, is: 3}",
            "*nearest misses",
            "*evidence *main.json.gz",
            "*repeat     traceproof run first.scenario.yaml",
        ]
    )
    text = result.stdout.str()
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text
    assert "REFUTED  mine.parses-html" not in text


def test_a_claim_that_is_refuted_as_expected_passes(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(UNMET, UNMET, expected=Verdict.REFUTED)
    pytester.runpytest_inprocess(mine).assert_outcomes(passed=1)


def test_a_claim_that_holds_against_expectation_fails(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(MET, MET, expected=Verdict.REFUTED)
    pytester.runpytest_inprocess(mine).assert_outcomes(failed=1)


def test_one_of_several_deciders_may_hold_what_another_refutes(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(MET, MET, expected=Verdict.REFUTED)
    first = mine / "first.scenario.yaml"
    (mine / "second.scenario.yaml").write_text(first.read_text().replace("mine.first", "mine.second"))
    pytester.runpytest_inprocess(mine).assert_outcomes(passed=2)


def refuted(folder: Path) -> None:
    """A baseline beside a folder's scenario."""
    entry = f"- {{claim: {folder.name}.parses-html, verdict: REFUTED, reason: It is not so., date: 2026-01-31}}\n"
    (folder / f"{folder.name}.baseline.yaml").write_text(entry)


def ledger_of(pytester: pytest.Pytester) -> dict[str, ClaimVerdict]:
    (ledger,) = pytester.path.glob("out/*/ledger.jsonl")
    return {line.claim: line for line in read_ledger(ledger) if isinstance(line, ClaimVerdict)}


def test_the_ledger_knows_the_baselines_of_every_folder(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(UNMET, UNMET, expected=Verdict.REFUTED)
    refuted(write_scenario("yours", pytester.path / "yours")[0].parent)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)
    verdicts = ledger_of(pytester)
    assert verdicts["yours.parses-html"].expected is Verdict.REFUTED
    assert not verdicts["yours.parses-html"].drift
    assert verdicts["mine.parses-html"].expected is Verdict.HOLDS


def test_the_ledger_agrees_when_the_case_that_refutes_was_left_out(
    pytester: pytest.Pytester, mine: Path, lab: Lab
) -> None:
    lab(MET, MET, expected=Verdict.REFUTED)
    refuted(mine)
    first = mine / "first.scenario.yaml"
    (mine / "second.scenario.yaml").write_text(first.read_text().replace("mine.first", "mine.second"))
    pytester.runpytest_inprocess("-k", "first").assert_outcomes(passed=1, deselected=1)
    verdict = ledger_of(pytester)["mine.parses-html"]
    assert (verdict.expected, verdict.left_out, verdict.drift) == (Verdict.REFUTED, ["mine.second"], False)


@pytest.mark.parametrize("verdict", [Verdict.NOT_APPLICABLE, Verdict.UNSUPPORTED])
def test_what_cannot_be_run_is_skipped_with_the_reason(
    pytester: pytest.Pytester, mine: Path, lab: Lab, verdict: Verdict
) -> None:
    lab(verdict=verdict)
    result = pytester.runpytest_inprocess(mine, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED*{verdict}: not here"])


def test_a_file_with_mistakes_is_a_collection_error_in_our_words(
    pytester: pytest.Pytester, mine: Path, lab: Lab
) -> None:
    lab(MET, MET)
    scenario = mine / "first.scenario.yaml"
    scenario.write_text(scenario.read_text().replace("title:", "titel:"))
    result = pytester.runpytest_inprocess(mine)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*first.scenario.yaml:4:1: unknown key*titel*", '*did you mean "title"?*'])
    assert "Traceback" not in result.stdout.str()


def test_words_choose_and_the_first_failure_stops(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(UNMET, UNMET)
    write_scenario("yours", pytester.path / "yours")
    pytester.runpytest_inprocess("-k", "yours").assert_outcomes(failed=1, deselected=1)
    pytester.runpytest_inprocess("-k", "mine.parses-html").assert_outcomes(failed=1, deselected=1)
    pytester.runpytest_inprocess("-x").assert_outcomes(failed=1)


def test_junit_has_the_verdicts(pytester: pytest.Pytester, mine: Path, lab: Lab) -> None:
    lab(MET, UNMET)
    pytester.runpytest_inprocess(mine, "--junitxml", "j.xml")
    root = ET.parse(pytester.path / "j.xml").getroot()
    properties = {one.get("name"): one.get("value") for one in root.iter("property")}
    assert properties["traceproof mine.one-style-pass-per-change"] == "REFUTED"
    failure = next(root.iter("failure"))
    assert "traceproof run first.scenario.yaml" in (failure.text or "")


def test_a_run_without_scenarios_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_of_ours_is_loaded():
            assert not {"harness.run", "harness.browser", "playwright", "duckdb"} & set(sys.modules)
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert "traceproof" not in result.stdout.str().partition("collected")[2]
    assert not (pytester.path / "out").exists()


@pytest.mark.browser
@pytest.mark.slow
def test_two_workers_with_a_real_browser(pytester: pytest.Pytester, mine: Path) -> None:
    browser = build_at(SHELL).path
    write_scenario("yours", pytester.path / "yours")
    refuted = pytester.path / "yours" / "first.scenario.yaml"
    refuted.write_text(refuted.read_text().replace("is: 1}", "is: 7}"))
    result = pytester.runpytest_subprocess(
        "-n", "2", "--traceproof-browser", str(browser), "--traceproof-attempts", "1", "--traceproof-out", "evidence"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["REFUTED  yours.one-style-pass-per-change *", "HOLDS 3, REFUTED 1"])
    assert len(list(pytester.path.glob("evidence/gw*/ledger.jsonl"))) == 2
    repeat = re.search(r"repeat +traceproof (run .*)", result.stdout.str())
    assert repeat
    assert f"--browser {browser.resolve()}" in repeat[1] or str(browser.parent) in repeat[1]


def test_users_get_no_other_plugin_of_pytest() -> None:
    """One that is installed with ours is loaded into every run of theirs, and has its own warnings to give there."""
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]
    assert [one for one in project["dependencies"] if one.startswith("pytest")] == ["pytest>=8.3"]
