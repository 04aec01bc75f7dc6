"""What makes mutation fast changes none of its answers: the slow way gives the same ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.events import Finding
from harness.expect import Recording, Recordings, engine
from harness.expect.forms import tables as sql
from harness.mutate import examine, views
from harness.mutate.subject import Edits, Key, Subject, pickers
from harness.mutate.tape import Tape
from harness.scenario.model import Case
from harness.trace import from_events
from tests import traces
from tests.expect import notation
from tests.mutate import tables
from tests.mutate.lab import load, mutate

ROWS = [*tables.rows("contradictions"), *tables.rows("fault")]
BESIDE = "R[0..1000] " + " ".join(f"D[{ts}..{ts + 2}]{{k: {ts}}}" for ts in range(400, 900, 5))
OF_ALL_EVENTS = (
    "select a.seq from a where (select min(e.name) from events e where e.parent_seq = a.seq) <> 'B'",
    "select a.seq from a where not exists (select 1 from events e where e.name = 'C' and e.ts > a.ts)",
    "select e.seq from events e join a on e.parent_seq = a.seq where e.dur > 8",
)


def _slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from one mutant to the next, and nothing is left out that no selection looks at. All of a mutant
    is written as a file has it and read again."""

    def changed(self: Subject, edits: Edits) -> tuple[Mapping[Key, Recording], Any]:
        recordings = {**self._recordings, **{key: tape.recording() for key, tape in edits.items()}}
        return recordings, pickers(self.case, recordings)

    def whole(self: views.Views, expectations: object, met: object) -> object:
        return self.whole

    def forgotten(self: sql.Kept, connection: Any) -> None:
        for table, _ in self._tables.values():
            connection.execute(f"DROP TABLE {table}")
        self._tables.clear()
        self.trees.clear()

    def everywhere(self: Subject, edits: Edits) -> Finding:
        self._by_block = False
        return by_block(self, edits)

    def read_again(self: Tape) -> Recording:
        return Recording(from_events(self.written()[0]), self.context)

    by_block = Subject.evaluate
    monkeypatch.setattr(Tape, "recording", read_again)
    monkeypatch.setattr(Subject, "evaluate", everywhere)
    monkeypatch.setattr(Subject, "_changed", changed)
    monkeypatch.setattr(views.Views, "together", whole)
    monkeypatch.setattr(sql.Kept, "make_room", forgotten)


def _told(case: Case, recordings: Recordings) -> list[dict[str, Any]]:
    return [one.as_json() for one in examine(case, recordings).expectations]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_same_answers_are_given_slowly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: tables.Row) -> None:
    fast = mutate(tmp_path, row.events, row.expectation, **row.select).as_json()
    _slow(monkeypatch)
    assert mutate(tmp_path, row.events, row.expectation, **row.select).as_json() == fast


def test_a_form_that_answers_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = "plain: B[10..40] A[12..20] / B[10..40] A[12..22]; tracking: A[1..2] / A[1..2]"
    expectation = "arm: plain, each: {of: a, inside: b}"
    fast = mutate(tmp_path, events, expectation).as_json()
    assert fast["killed"] and not fast["faults"]
    _slow(monkeypatch)
    assert mutate(tmp_path, events, expectation).as_json() == fast


@pytest.mark.parametrize("query", OF_ALL_EVENTS)
def test_a_query_over_all_events_of_a_large_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    events = f"A[10..30] B[12..18] A[40..60] B[42..48] A[70..90] B[72..78] C[300..310] {BESIDE}"
    case = load(tmp_path, f'query: "{query}", rows: none, over: a')
    whole = _told(case, notation.read(events))
    seen: list[int] = []

    def reduced(tape: Tape, *args: Any, **fields: Any) -> Tape:
        seen.append(len((smaller := cut(tape, *args, **fields)).lines))
        return smaller

    cut = views.reduced
    monkeypatch.setattr(views, "SMALL", 0)
    monkeypatch.setattr(views, "reduced", reduced)
    small = _told(case, notation.read(events))
    assert 0 < max(seen) < 20
    assert [(one["killed"], one["total"], one["faults"]) for one in small] == [
        (one["killed"], one["total"], one["faults"]) for one in whole
    ]


def test_what_the_reduced_form_does_not_answer_is_asked_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reduced form of a query over `events` is a guess at what it reads; where it is wrong, nothing is left out."""
    monkeypatch.setattr(views, "SMALL", 0)
    case = load(tmp_path, 'query: "select 1 from events, a having count(*) > 90", rows: one, over: a')
    (found,) = examine(case, notation.read(f"A[10..20] {BESIDE}")).expectations
    assert not found.faults or "drop unrelated events" not in str(found.faults)
    assert max(len(tape.lines) for tape in found.tapes.values()) > 90


def test_an_answer_says_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    case = load(tmp_path, "count: {of: a, is: 2}")
    (found,) = examine(case, notation.read("A[1] A[2]"), go_on=lambda *at: told.append(at)).expectations
    assert told[-1] == (0, found.total + found.neutral.total + found.controls.total)


def test_one_table_is_made_for_all_queries_of_a_selection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = sql.Kept._made

    def counted(self: sql.Kept, *args: Any) -> tuple[str, int]:
        made.append("table")
        return make(self, *args)

    monkeypatch.setattr(sql.Kept, "_made", counted)
    case = load(tmp_path, 'query: "select seq from a where dur > 20", rows: none, over: a')
    recordings = notation.read("A[1..2]{unlike: others} A[2..3]")
    for _ in range(3):
        engine.evaluate(case, recordings)
    assert len(made) == 1


def test_what_a_pattern_takes_stays_behind_ends_that_are_merged(tmp_path: Path) -> None:
    """Lines of a tape and records of a file are not counted alike once an end has become part of its begin."""
    pairs = [record for ts in range(10) for record in (traces.begin("P", ts=ts), traces.end("P", ts=ts + 0.5))]
    taken = [traces.slice(f"Taken{n}", ts=20 + 2 * n, dur=1) for n in range(3)]
    trace = traces.make([*traces.names(), *pairs, *taken])
    case = load(tmp_path, "count: {of: taken, is: 3}", taken="{name_matches: '^Taken'}")
    recording = Recording(trace, notation.read("A[1]")["main"][0].context)
    (found,) = examine(case, {"main": [recording]}).expectations
    assert not found.faults and found.killed
    assert [line.name for line in next(iter(found.tapes.values())).lines if line.name.startswith("Taken")] == [
        one["name"] for one in taken
    ]
