"""Every form: strong expectations are killed by what contradicts them, weak ones are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.expect import engine
from harness.expect.forms.result import Result
from harness.mutate.examine import _Judge
from harness.verdict import Outcome
from tests.mutate import tables
from tests.mutate.lab import mutate

THREE = "A[10..20]{n: 1} A[30..40]{n: 2} A[50..60]{n: 3} C[70..80]"
STRONG = tables.rows("contradictions")
WEAK = tables.rows("fault")


@pytest.mark.parametrize("row", STRONG, ids=str)
def test_a_strong_expectation_is_killed_by_what_contradicts_it(tmp_path: Path, row: tables.Row) -> None:
    found = mutate(tmp_path, row.events, row.expectation, **row.select)
    assert not found.unusable
    assert not found.faults, found.as_json()
    assert set(row.told) <= set(found.kinds)
    assert all(tally.killed for tally in found.kinds.values()), found.kinds
    assert found.killed and found.neutral.killed == 0 and found.neutral.total


@pytest.mark.parametrize("row", WEAK, ids=str)
def test_a_weak_expectation_is_reported(tmp_path: Path, row: tables.Row) -> None:
    found = mutate(tmp_path, row.events, row.expectation, **row.select)
    assert not found.unusable, found.unusable
    assert any(row.told[0] in fault for fault in found.faults), (found.faults, found.as_json())


@pytest.mark.parametrize("row", STRONG, ids=str)
def test_an_evaluator_that_always_says_met_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: tables.Row
) -> None:
    """What contradicts an expectation is not told by the code that evaluates it: it does not believe that code."""
    met = Result(True, "met, whatever there is")
    monkeypatch.setattr(engine, "_FORMS", dict.fromkeys(engine._FORMS, lambda form, scope: met))
    monkeypatch.setattr(engine, "decide", lambda form, blocks: met)
    found = mutate(tmp_path, row.events, row.expectation, **row.select)
    assert row.told or any("no mutant kills it" in fault for fault in found.faults)
    for kind in row.told:
        assert any(f"`{kind}`" in fault for fault in found.faults), (kind, found.faults)


def test_what_is_not_met_is_not_mutated(tmp_path: Path) -> None:
    found = mutate(tmp_path, THREE, "count: {of: a, is: 4}")
    assert found.unusable.startswith("unmet on this recording") and not found.total


def test_a_control_that_shows_nothing_must_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expectation = "none: {of: b}, control: {count: {of: a, is: 3}}"
    assert mutate(tmp_path, THREE, expectation).controls.killed == 1
    monkeypatch.setattr(engine, "_judge", lambda test, controlled, arm, block: _always(test, arm))
    found = mutate(tmp_path, THREE, expectation)
    assert "it is met although its control shows nothing" in found.faults


def _always(test: object, arm: str) -> object:
    return engine._Answer(Outcome.MET, Result(True, "met"), arm)


def test_emptying_a_selection_is_no_kill(tmp_path: Path) -> None:
    found = mutate(tmp_path, THREE, "each: {of: a, has: {args.n: {present: true}}}")
    dropped = found.operators["drop a class"]
    assert (dropped.total, dropped.killed, dropped.emptied) == (1, 0, 1)


def test_a_kind_that_only_empties_is_no_proof(tmp_path: Path) -> None:
    """Told by the tally alone: neither a mutant with nothing left nor one without an answer refutes anything."""
    found = mutate(tmp_path, "A[10..20]{n: 1}", "count: {of: a, is: 1}")
    judge = _Judge(None, found)  # type: ignore[arg-type]
    judge.kinds = {"count: one fewer": ["emptied", "invalid"]}
    judge.finish()
    assert any("`count: one fewer` (2) is a real one: 1 leave nothing" in fault for fault in found.faults)


def test_existence_is_contradicted_by_events_that_just_miss(tmp_path: Path) -> None:
    """Dropping all is no kill, so each criterion of the selection is broken in all events at once."""
    found = mutate(
        tmp_path, THREE, 'count: {of: numbered, is: ">= 1"}', numbered="{of: a, where: {args.n: {type: integer}}}"
    )
    kind = found.kinds["count: 3 fewer"]
    assert kind.emptied == 1 and kind.killed == kind.total - 1 >= 3
    assert {"rename", "move to a process", "retype an argument"} <= {n for n, t in found.operators.items() if t.killed}
