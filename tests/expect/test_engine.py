"""Run-time values, preconditions, the page, and what the engine must not do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.expect import Recording, evaluate, evaluate_require
from harness.expect.recording import Unanswerable
from harness.expect.templates import resolve
from harness.scenario.model import Template
from harness.trace import load
from harness.trace.context import RecordingContext
from harness.verdict import Outcome
from tests import traces
from tests.expect.cases import PAGE, contexts, evaluate_form, expectation

CONTEXT = contexts(
    values={"reads": {"total": 3, "list": [1, 2], "flag": True, "none": None}},
    variables={"fixture.url": "http://a.test:80/x.html"},
    build="156.0.8078.108",
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${values.reads.total}", 3),
        ("${ values.reads.list[1] }", 2),
        ("${values.reads.list}", [1, 2]),
        ("${values.reads.flag}", True),
        ("n=${values.reads.total}", "n=3"),
        ("${values.reads.flag}/${values.reads.none}", "true/null"),
        ("${fixture.url}?x", "http://a.test:80/x.html?x"),
        ("$${arm} is ${arm}", "${arm} is main"),
        ("${build.major}", 156),
    ],
)
def test_run_time_names(text: str, value: object) -> None:
    found = resolve(Template(text, ()), CONTEXT)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "text", ["${values.reads.sum}", "${values.other}", "${values.reads.list[]}", "x${values.reads.list}", "${server.a}"]
)
def test_a_name_that_the_recording_cannot_answer(text: str) -> None:
    with pytest.raises(Unanswerable):
        resolve(Template(text, ()), CONTEXT)


def test_a_trace_that_does_not_tell_the_page_is_no_evidence() -> None:
    two = [traces.metadata("thread_name", "CrRendererMain", pid=pid) for pid in (100, 200)]
    trace = traces.make([*two, traces.slice("A", ts=1, dur=2), traces.slice("B", ts=1, dur=2, pid=200)])
    finding = evaluate_form(expectation("count: {of: a, is: 1}"), trace, RecordingContext())
    assert finding.outcome is Outcome.INVALID
    assert "cannot be told" in finding.summary
    assert evaluate_form(expectation("count: {of: anything, is: 2}"), trace, RecordingContext()).outcome is Outcome.MET


def test_without_recordings_nothing_is_evidence() -> None:
    case = expectation("count: {of: a, is: '>= 0'}")
    for recordings in ({}, {"main": []}):
        (finding,) = evaluate(case, recordings)
        assert finding.outcome is Outcome.INVALID


def test_preconditions_are_findings_of_their_own() -> None:
    case = expectation("count: {of: a, is: 1}")
    case = replace(case, require=(replace(case.expect[0], claims=()),))
    for events, outcome in (([traces.slice("A", ts=1, dur=2)], Outcome.MET), ([], Outcome.UNMET)):
        trace = traces.make([*traces.names(), *events])
        (finding,) = evaluate_require(case, {"main": [Recording(trace, RecordingContext(page=PAGE))]})
        assert (finding.outcome, finding.claims) == (outcome, [])


def test_a_whole_trace_without_marks_lies_between_start_and_end() -> None:
    trace = traces.make([*traces.names(), traces.slice("A", ts=1, dur=2), traces.instant("A", ts=3)])
    case = expectation("count: {of: whole, is: 2}", whole="{name: A, during: start..end}")
    assert evaluate_form(case, trace).outcome is Outcome.MET


def test_arguments_are_decoded_only_where_a_test_looks_at_them() -> None:
    events = [traces.slice(name, ts=10 * n, dur=5, args={"n": n}) for n, name in enumerate("ABABAB", 1)]
    trace = traces.make([*traces.names(), *events])
    evaluate_form(
        expectation("order: {of: [first, last]}", first="{name: A, take: first}", last="{name: B, take: last}"), trace
    )
    finding = evaluate_form(expectation("query: 'select args from a', rows: 3"), trace)
    assert finding.outcome is Outcome.MET
    evaluate_form(expectation("each: {of: a, has: {args.n: {type: integer}}}"), trace)
    assert trace.by_name("B")[1].decoded is None
    assert all(event.decoded is not None for event in trace.by_name("A"))


def test_selections_made_from_each_other_are_refused() -> None:
    trace = traces.make(traces.names())
    with pytest.raises(ScenarioError):
        evaluate_form(expectation("count: {of: x, is: 1}", x="{inside: y}", y="{inside: x}"), trace)


def test_flows_are_a_table() -> None:
    trace = traces.make(
        [
            *traces.names(),
            traces.slice("A", ts=10, dur=10),
            traces.flow("s", ts=12, id=7),
            traces.slice("B", ts=30, dur=10, tid=traces.COMPOSITOR),
            traces.flow("f", ts=31, id=7, tid=traces.COMPOSITOR),
        ]
    )
    sql = "select b.name from a join flows f on f.source_slice_seq = a.seq join b on b.seq = f.target_slice_seq"
    assert evaluate_form(expectation(f"query: '{sql}', rows: [[B]]"), trace).outcome is Outcome.MET


def test_a_query_reads_arguments_that_are_no_utf_8(tmp_path: object) -> None:

    assert isinstance(tmp_path, Path)
    path = traces.write_trace(
        tmp_path / "t.json", [*traces.names(), traces.slice("A", ts=1, dur=2, args={"u": "cut@"})]
    )
    path.write_bytes(path.read_bytes().replace(b"cut@", b"cut\xe2\x82"))
    case = expectation("query: \"select args->>'u' like 'cut%' from a\", rows: [[true]]")
    assert evaluate_form(case, load(path)).outcome is Outcome.MET


def test_a_query_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.expect.forms.query.LONGEST_S", 0.3)
    case = expectation("query: 'select count(*) from range(1000000000) a, range(1000000000) b', rows: one")
    with pytest.raises(ScenarioError, match="took more than"):
        evaluate_form(case, traces.make(traces.names()))
