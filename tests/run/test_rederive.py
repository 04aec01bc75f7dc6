"""Verdicts derived again from stored recordings: the same words, or every difference by name."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.rederive import rederive as command
from harness.errors import UserError
from harness.run.catalog import load_catalog
from harness.run.ledgers import ledgers_in
from harness.run.rederive import rederive
from harness.run.selectors import select
from tests.golden import same_as_golden
from tests.stored import store_run, write_scenarios
from tests.traces import Json, slice

GOLDEN = Path(__file__).with_name("golden")


def parse(ts: float, **end: object) -> Json:
    return slice("ParseHTML", ts=ts, dur=5, args={"endData": end})


GOOD, TWICE = [parse(1, endLine=3)], [parse(1, endLine=3), parse(9)]


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    return write_scenarios(tmp_path / "parsing")


def edit(scenarios: Path, old: str, new: str) -> None:
    file = scenarios / "one.scenario.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_an_untouched_ledger_comes_out_in_the_same_words(tmp_path: Path, scenarios: Path) -> None:
    result = store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD, TWICE, GOOD], majors=(153, 156))
    again = rederive(tmp_path / "run" / "ledger.jsonl")
    assert (again.changes, again.notes, again.recordings) == ([], [], 6)
    assert again.verdicts == result.verdicts
    assert {str(one.verdict) for one in again.verdicts} == {"SOMETIMES"}


def test_scenarios_are_found_from_another_folder_than_the_runs(
    tmp_path: Path, scenarios: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store_run(tmp_path / "run", load_catalog([Path("parsing")]), [GOOD])
    ledger = tmp_path / "run" / "ledger.jsonl"
    header, *rest = ledger.read_text().splitlines()
    ledger.write_text("\n".join([json.dumps({**json.loads(header), "plan": {"directory": str(tmp_path)}}), *rest, ""]))
    monkeypatch.chdir("/")
    assert rederive(ledger).notes == []


def test_a_refused_recording_stays_refused_and_is_not_read(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD, GOOD, GOOD], invalid="the browser reported data loss")
    next(tmp_path.glob("run/recordings/*/*/1/main.json.gz")).unlink()
    again = rederive(tmp_path / "run" / "ledger.jsonl")
    assert (again.changes, again.recordings) == ([], 2)


def test_a_changed_expectation_is_named(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD, GOOD])
    edit(scenarios, "count: {of: parsed, is: 1}", 'count: {of: parsed, is: ">= 2"}')
    said = CliRunner().invoke(command, [str(tmp_path / "run")], standalone_mode=False)
    assert said.return_value == 1
    same_as_golden(GOLDEN / "rederive.txt", said.stdout.replace(str(tmp_path), "TMP"))


def test_an_expectation_that_moved_is_not_a_change(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    edit(scenarios, "select:\n", "# a remark\nselect:\n")
    again = rederive(tmp_path / "run" / "ledger.jsonl")
    assert again.changes == []
    assert again.notes == [f"{scenarios / 'one.scenario.yaml'} has changed since its recordings were made"]


def test_a_new_expectation_is_told_and_does_not_shift_the_others(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    edit(scenarios, "expect:\n", 'expect:\n  - {claim: parsing.once, count: {of: parsed, is: "<= 5"}}\n')
    (change,) = rederive(tmp_path / "run" / "ledger.jsonl").changes
    assert (change.about, change.stored, change.derived[:4]) == ("finding", "none", "met:")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda trace: trace.unlink(), "is not there any more"),
        (lambda trace: trace.write_bytes(b"{}"), "is not the one that the ledger names"),
        (lambda trace: trace.write_bytes(trace.read_bytes()[:100]), "is not the one that the ledger names"),
        (lambda trace: trace.with_name("main.context.json").unlink(), "context beside the recording"),
        (lambda trace: trace.with_name("main.context.json").write_text("{"), "is not the context of a recording"),
    ],
)
def test_a_lost_or_altered_recording_is_told(tmp_path: Path, scenarios: Path, damage, told: str) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    damage(next(tmp_path.glob("run/recordings/*/*/1/main.json.gz")))
    changes = rederive(tmp_path / "run" / "ledger.jsonl").changes
    assert [change.about for change in changes] == ["verdict", "verdict", "attempt"]
    assert told in changes[-1].derived


def test_a_manifest_that_is_lost_is_a_note(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    next(tmp_path.glob("run/recordings/*/*/1/main.manifest.json")).write_text("{")
    again = rederive(tmp_path / "run" / "ledger.jsonl")
    assert again.changes == []
    assert "no manifest tells" in again.notes[0]


def test_an_arm_that_was_renamed_is_told(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    edit(scenarios, "steps: [{settle: 1ms}]", "steps: [{settle: 1ms}]\narms: {plain: {}}")
    edit(scenarios, "each: {of: parsed,", "arm: plain\n    each: {of: parsed,")
    edit(scenarios, "count: {of: parsed,", "arm: plain\n    count: {of: parsed,")
    (*_, change) = rederive(tmp_path / "run" / "ledger.jsonl").changes
    assert "other arms now than were recorded: main, plain" in change.derived


def test_a_run_that_was_asked_for_one_claim_is_derived_for_that_one(tmp_path: Path, scenarios: Path) -> None:
    catalog = load_catalog([scenarios])
    narrow = dataclasses.replace(catalog, cases=tuple(select(catalog.cases, ["parsing.once"])))
    store_run(tmp_path / "run", narrow, [GOOD])
    assert rederive(tmp_path / "run" / "ledger.jsonl").changes == []
    edit(scenarios, "title: A page", "title: The page")  # a claim beside it may be new in a file that has changed
    assert {one.claims for one in rederive(tmp_path / "run" / "ledger.jsonl").changes} == {("parsing.end-line",)}


def test_a_broken_ledger_does_not_hide_the_others(tmp_path: Path, scenarios: Path) -> None:
    for name in ("a", "b", "c"):
        store_run(tmp_path / "out" / name, load_catalog([scenarios]), [GOOD])
    broken = tmp_path / "out" / "b" / "ledger.jsonl"
    broken.write_text("garbage\n" + broken.read_text())
    said = CliRunner().invoke(command, [str(tmp_path / "out"), "--json"], standalone_mode=False)
    answer = json.loads(said.stdout)
    assert said.return_value == 2
    assert [one["same"] for one in answer["ledgers"]] == [True, True]
    assert [one["message"] for one in answer["problems"]] == ["is not a line of a ledger"]


def test_an_altered_ledger_is_caught(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    ledger = tmp_path / "run" / "ledger.jsonl"
    lines = ledger.read_text().splitlines(keepends=True)
    forged = [line.replace('"HOLDS"', '"REFUTED"') if '"type":"verdict"' in line else line for line in lines]
    ledger.write_text("".join(forged))
    changes = rederive(ledger).changes
    assert [(change.about, change.stored[:7], change.derived[:5]) for change in changes] == [
        ("verdict", "REFUTED", "HOLDS")
    ] * 2


def test_moved_scenarios_are_found_where_the_user_says(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    moved = scenarios.rename(tmp_path / "elsewhere")
    ledger = tmp_path / "run" / "ledger.jsonl"
    assert "--scenarios" in rederive(ledger).notes[0]
    assert rederive(ledger, [moved]).changes == []


def test_json_and_a_folder_of_runs(tmp_path: Path, scenarios: Path) -> None:
    for name in ("a", "b"):
        store_run(tmp_path / "out" / name, load_catalog([scenarios]), [GOOD])
    said = CliRunner().invoke(command, [str(tmp_path / "out"), "--json"], standalone_mode=False)
    answer = json.loads(said.stdout)
    assert said.return_value == 0
    assert [(one["same"], len(one["verdicts"])) for one in answer["ledgers"]] == [(True, 2), (True, 2)]


@pytest.mark.parametrize(("name", "told"), [("nowhere", "does not exist"), (".", "there is no ledger in")])
def test_no_ledger_is_a_mistake_of_the_command_line(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        ledgers_in(tmp_path / name)


@pytest.mark.parametrize(("kept", "code"), [(-1, 0), (1, 1)])
def test_a_ledger_that_was_cut_short_says_so(tmp_path: Path, scenarios: Path, kept: int, code: int) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    ledger = tmp_path / "run" / "ledger.jsonl"
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:kept]))
    said = CliRunner().invoke(command, [str(ledger)], standalone_mode=False)
    assert "the ledger has no last line" in said.stdout
    assert ("nothing could be derived" in said.stdout) is (code == 1)
    assert said.return_value == code
