"""Shrinking keeps the outcome and little else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.expect import evaluate
from harness.mutate import shrink
from harness.scenario.load import load_file
from tests.expect import notation
from tests.mutate.lab import load
from tests.mutate.test_command import folder, run, store, write

MANY = " ".join(f"A[{ts}..{ts + 5}]{{n: {ts}}} C[{ts + 6}..{ts + 8}]" for ts in range(100, 400, 10))

__all__ = ["folder"]


@pytest.mark.parametrize(
    ("expectation", "outcome", "left"),
    [
        ('count: {of: a, is: ">= 3"}', "met", 3),
        ("count: {of: b, is: 1}", "unmet", 1),  # without an event of the main thread it would be no evidence
        ('each: {of: a, has: {args.n: {compare: "< 300"}}}', "unmet", 1),
        ("none: {of: b}, control: {count: {of: a, is: '>= 2'}}", "met", 2),
        ("order: {of: [c, a]}", "unmet", 2),
    ],
)
def test_the_fewest_events_that_keep_the_outcome(tmp_path: Path, expectation: str, outcome: str, left: int) -> None:
    case, recordings = load(tmp_path, expectation), notation.read(MANY)
    shrunk = shrink(case, recordings)
    (finding,) = evaluate(case, {"main": [shrunk.tapes["main", 0].recording()]})
    assert (str(finding.outcome), shrunk.after, shrunk.before) == (outcome, left, 60)


def test_a_failure_on_values_is_not_turned_into_a_failure_for_want_of_events(tmp_path: Path) -> None:
    case = load(tmp_path, 'each: {of: a, has: {args.n: {compare: "< 300"}}}')
    shrunk = shrink(case, notation.read(MANY))
    (event,) = [line for line in shrunk.tapes["main", 0].lines if line.ph != "M"]
    assert event.name == "A" and event.arguments()["n"] >= 300


def test_what_makes_it_evidence_stays(tmp_path: Path) -> None:
    """The markers and what a precondition asks for: without them `check` would say INCONCLUSIVE of what is left."""
    path = load(tmp_path, 'count: {of: a, is: ">= 3"}').file
    text = path.read_text().replace("expect:", "  c: {name: C}\nrequire: [{count: {of: c, is: '>= 2'}}]\nexpect:")
    path.write_text(text)
    (case,) = load_file(path, claims={"mutated.case": None}, fixtures_roots=[])  # type: ignore[dict-item]
    recordings = notation.read(f"clock_sync[90] {MANY} clock_sync[500]")
    shrunk = shrink(case, recordings)
    names = [line.name for line in shrunk.tapes["main", 0].lines if line.ph != "M"]
    assert sorted(names) == ["A", "A", "A", "C", "C", "clock_sync", "clock_sync"]
    assert [str(outcome) for outcome in shrunk.outcomes] == ["met"]


def test_the_command_writes_what_check_takes(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, '">= 1"')
    attempt = store(tmp_path / "run") / "recordings/mine.layouts/156.0.1.2-shell/1"
    status, told, _ = run("shrink", attempt, folder, "--out", tmp_path / "small", "--json", capsys=capsys)
    assert status == 0 and json.loads(told)["after"] == 1
    assert run("check", tmp_path / "small", folder, capsys=capsys)[0] == 0


def test_a_bare_trace_of_several_arms_is_asked_for_its_arm(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(folder, '">= 1"')
    text = path.read_text().replace("select:", "arms: {plain: {}, other: {}}\nselect:")
    path.write_text(text.replace("  - count:", "  - arm: plain\n    count:"))
    trace = store(tmp_path / "run") / "recordings/mine.layouts/156.0.1.2-shell/1/main.json.gz"
    trace.with_name("main.context.json").unlink()
    for command in (["shrink", trace, folder], ["check", trace, folder], ["mutate", folder, "--trace", trace]):
        status, _, err = run(*command, capsys=capsys)
        assert status == 2 and "mine.layouts has several arms" in err and "say which with --arm" in err, command
    assert run("shrink", trace, folder, "--arm", "plain", "--out", tmp_path / "small", capsys=capsys)[0] == 0


def test_every_kind_of_stored_trace_is_found(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the recorder `perfetto` are `.pftrace.gz`; a reader goes by what is in a file, not by its name."""
    write(folder, '">= 1"')
    attempt = store(tmp_path / "run") / "recordings/mine.layouts/156.0.1.2-shell/1"
    (attempt / "main.json.gz").rename(attempt / "main.pftrace.gz")
    assert run("shrink", attempt, folder, "--out", tmp_path / "small", capsys=capsys)[0] == 0


@pytest.mark.parametrize("time", range(0, 40, 3))
def test_it_ends_when_it_is_told_to_with_the_smallest_so_far(tmp_path: Path, time: int) -> None:
    """Time is asked for before each try and each query; once over, nothing more is asked of the expectations."""
    expectation = "query: \"select seq from a where cast(args->>'n' as int) > 600\", rows: none, over: a"
    case, recordings = load(tmp_path, expectation), notation.read(MANY)
    told: list[tuple[int, int, int]] = []

    def go_on(left: int, before: int, tries: int) -> bool:
        told.append((left, before, tries))
        return len(told) <= time

    shrunk = shrink(case, recordings, go_on=go_on)
    (finding,) = evaluate(case, {"main": [shrunk.tapes["main", 0].recording()]})
    assert str(finding.outcome) == "met"
    assert all(left >= shrunk.after and before == shrunk.before for left, before, _ in told)
    assert len([1 for _ in told[time:]]) <= 1
    assert shrunk.after < 60 or time < 3


def test_the_command_says_that_time_was_over(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, '">= 1"')
    trace = next((store(tmp_path / "run") / "recordings").rglob("main.json.gz"))
    status, told, _ = run("shrink", trace, path, "--out", tmp_path / "small", "--at-most", "0", capsys=capsys)
    assert status == 0 and "stopped after 0 s: more may go with a larger --at-most" in told
