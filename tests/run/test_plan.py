"""What is run, what is not and why; which cases a person means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import ScenarioError, UsageError
from harness.run.catalog import split_paths
from harness.run.plan import plan
from harness.run.repeat import repeat_case
from harness.run.selectors import compile_expression, select
from harness.verdict import Verdict
from harness.versions import parse_range
from tests.run.cases import BUILD, case


@pytest.mark.parametrize(
    ("fields", "mode", "verdict", "told"),
    [
        ({}, "headless", None, ""),
        (
            {"versions": parse_range("<=110"), "reason": "gone since"},
            "headless",
            Verdict.NOT_APPLICABLE,
            "156: gone since",
        ),
        ({"modes": ("shell",)}, "headless", Verdict.NOT_APPLICABLE, "is for shell, this is headless"),
        ({}, "shell", Verdict.UNSUPPORTED, "has no mode 'shell'"),
        ({"versions": parse_range("<=110")}, "shell", Verdict.NOT_APPLICABLE, "is for versions <=110"),
    ],
)
def test_a_job_says_why_it_is_not_run(fields: dict[str, Any], mode: str, verdict: Verdict | None, told: str) -> None:
    (job,) = plan([case(**fields)], [BUILD], [mode], None)
    assert job.verdict is verdict
    assert told in job.reason


def test_attempts_are_fixed_beforehand() -> None:
    cases = [case(attempts=None), case(attempts=7)]
    assert [job.attempts for job in plan(cases, [BUILD], ["headless"], None)] == [3, 7]
    assert [job.attempts for job in plan(cases, [BUILD], ["headless"], 2)] == [2, 2]


def test_without_a_mode_each_build_runs_in_its_first() -> None:
    assert [job.mode for job in plan([case()], [BUILD], [], None)] == ["headless"]


def test_an_unknown_need_is_a_mistake_in_the_scenario() -> None:
    with pytest.raises(ScenarioError, match='did you mean "four-cores"'):
        plan([case(needs=("four-core",))], [BUILD], ["headless"], None)


ONE = case("parse-html.one", claims=("parse-html.bursts", "layout.dirty"), tags=("slow",))
TWO = case("parse-html.two", claims=("parse-html.gaps",), cell="n=10")
THREE = case("layout.one", claims=("layout.dirty",))
ALL = [ONE, TWO, THREE]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ([], ALL),
        (["parse-html.one"], [ONE]),
        (["parse-html.two[n=10]"], [TWO]),
        (["parse-html.two"], [TWO]),
        (["parse-html.*"], [ONE, TWO]),
        (["parse-html"], [ONE, TWO]),
        (["layout"], [ONE, THREE]),
        (["layout.dirty"], [ONE, THREE]),
        (["parse-html.gaps", "layout.one"], [TWO, THREE]),
    ],
)
def test_selectors(words: list[str], chosen: list[Any]) -> None:
    assert [case.name for case in select(ALL, words)] == [case.name for case in chosen]


def test_a_case_chosen_for_a_claim_or_an_event_answers_for_that_only() -> None:
    assert [case.claims for case in select(ALL, ["layout"])] == [("layout.dirty",), THREE.claims]
    assert [case.claims for case in select(ALL, ["parse-html.one", "layout"])] == [ONE.claims, THREE.claims]
    only = select(ALL, ["layout.dirty"])[0]
    assert all("layout.dirty" in one.claims for one in only.expect)


def test_every_unknown_word_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        select(ALL, ["parse-htm.one", "nonsense"])
    assert 'did you mean "parse-html.one"' in str(caught.value)
    assert "'nonsense' is no scenario" in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("one", [ONE, THREE]),
        ("one and not layout.one", [ONE]),
        ("gaps or (dirty and slow)", [ONE, TWO]),
        ("not not TWO", [TWO]),
        ("n=10", [TWO]),
    ],
)
def test_expressions(expression: str, names: list[Any]) -> None:
    assert select(ALL, [], expression) == names


@pytest.mark.parametrize("bad", ["", "and", "a and", "(a", "a b", "a)", "not"])
def test_a_broken_expression_is_a_mistake_of_the_user(bad: str) -> None:
    with pytest.raises(UsageError, match="write words with and, or, not"):
        compile_expression(bad)


def test_an_expression_that_fits_nothing_is_told() -> None:
    with pytest.raises(UsageError, match="no scenario matches -k 'nothing'"):
        select(ALL, [], "nothing")


def test_paths_are_told_from_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert split_paths(["parse-html", "mine", "./mine", "."]) == (["parse-html"], [Path("mine"), Path("mine"), Path()])
    with pytest.raises(UsageError, match="does not exist"):
        split_paths(["my.scenario.yaml"])


def test_the_command_to_repeat_names_ours_by_name_and_theirs_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    theirs = repeat_case(case(file=tmp_path / "a b.scenario.yaml", cell="n=10"), "/usr/bin/chromium", "shell", 2)
    assert theirs == (
        "traceproof run 'a b.scenario.yaml' -k n=10 --browser /usr/bin/chromium --mode shell --attempts 2"
    )
    monkeypatch.setattr("harness.run.repeat.scenarios_root", lambda: tmp_path)
    ours = repeat_case(case(file=tmp_path / "x.scenario.yaml", cell="n=10"), "/usr/bin/chromium", "shell", 2)
    assert ours.startswith("traceproof run 'parse-html.one[n=10]' --browser")
