"""What is cut out of a recording for a verdict: which events, how much, on which tracks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.events import CaseResult, Finding
from harness.evidence import Drawing, draw_attempt, drawings_of
from harness.evidence.gather import telling_attempts
from harness.expect import Recording, evaluate
from harness.run.catalog import load_catalog
from harness.scenario.load import load_file
from harness.scenario.model import Case
from harness.trace.context import FrameIdentity, LogEntry, Mark, PageIdentity, RecordingContext
from harness.verdict import Outcome, Verdict
from tests.samples import attempt, case, finding
from tests.stored import store_run, write_scenarios
from tests.traces import (
    BROWSER,
    COMPOSITOR,
    GPU,
    PAGE,
    Json,
    async_begin,
    async_end,
    flow,
    instant,
    make,
    names,
    slice,
)

HEAD = """
scenario: parse-html.one
title: One
claims: [parse-html.renderer-main-thread]
record: {categories: [devtools.timeline]}
steps: [{settle: 1ms}, {mark: begin}, {mark: done}]
"""


def scenario(tmp_path: Path, rest: str) -> Case:
    path = tmp_path / "one.scenario.yaml"
    path.write_text(HEAD + rest)
    (loaded,) = load_file(path)
    return loaded


def context(**more: object) -> RecordingContext:
    fields = {
        "marks": [Mark("start", 0), Mark("begin", 1_000), Mark("done", 9_000), Mark("end", 20_000)],
        "page": PageIdentity([FrameIdentity(PAGE, PAGE, "F", "http://a.test/x.html")]),
        **more,
    }
    return RecordingContext(**fields)  # type: ignore[arg-type]


def draw(tmp_path: Path, rest: str, events: Sequence[Json], most: int = 1_000, **more: object) -> Drawing:
    one = scenario(tmp_path, rest)
    block = {"main": Recording(make([*names(), *events]), context(**more))}
    findings = evaluate(one, {"main": [block["main"]]})
    (drawing,) = draw_attempt(one, block, findings, {"main": "main.json.gz"}, most=most)
    return drawing


def shown(drawing: Drawing, role: str) -> list[str]:
    return [drawing.names[drawing.name[place]] for one in drawing.highlights if one.role == role for place in one.at]


COUNT = """
select: {parsed: {name: ParseHTML, on: page.main, during: begin..done}}
expect: [{count: {of: parsed, is: 2}}]
"""


def test_what_was_looked_at_and_what_was_missed_is_marked(tmp_path: Path) -> None:
    drawing = draw(tmp_path, COUNT, [slice("ParseHTML", ts=2_000, dur=5), slice("ParseHTML", ts=9_500, dur=5)])
    assert shown(drawing, "selected") == ["ParseHTML"]
    assert shown(drawing, "missed") == ["ParseHTML"]
    (missed,) = (one for one in drawing.highlights if one.role == "missed")
    assert "after the window begin..done closes" in missed.notes[0]


def test_zero_is_where_the_window_begins(tmp_path: Path) -> None:
    drawing = draw(tmp_path, COUNT, [slice("ParseHTML", ts=2_000, dur=5)])
    assert (drawing.origin, drawing.ts) == ("begin", [1_000])
    assert [(one.name, one.begin, one.end) for one in drawing.windows] == [("begin..done", 0, 8_000)]
    assert ("done", 8_000) in drawing.marks


def test_a_control_is_told_from_what_it_controls(tmp_path: Path) -> None:
    rest = """
select: {parsed: {name: ParseHTML, on: page.main}, layouts: {name: Layout, on: page.main}}
expect: [{none: {of: layouts}, control: {count: {of: parsed, is: ">= 1"}}}]
"""
    drawing = draw(tmp_path, rest, [slice("ParseHTML", ts=2_000, dur=5)])
    assert (shown(drawing, "selected"), shown(drawing, "control")) == ([], ["ParseHTML"])


def test_the_tables_of_a_query_are_what_it_looked_at(tmp_path: Path) -> None:
    rest = """
select: {parsed: {name: ParseHTML, on: page.main}}
expect: [{query: "select * from parsed where dur > 1", rows: one}]
"""
    drawing = draw(tmp_path, rest, [slice("ParseHTML", ts=2_000, dur=5), slice("Layout", ts=3_000, dur=5)])
    assert shown(drawing, "selected") == ["ParseHTML"]


def test_the_longest_have_room_first_and_evidence_before_all(tmp_path: Path) -> None:
    events = [slice("Layout", ts=2_000 + 10 * one, dur=one % 9 + 1) for one in range(600)]
    events += [slice("ParseHTML", ts=8_500, dur=0.5)]
    drawing = draw(tmp_path, COUNT, events, most=100)
    assert drawing.drawn == 100
    assert (drawing.present, drawing.longest_left_out) == (601, 8)
    assert shown(drawing, "selected") == ["ParseHTML"]
    assert all(dur >= 8 for dur, name in zip(drawing.dur, drawing.name, strict=True) if drawing.names[name] == "Layout")


def test_the_parents_of_evidence_are_drawn_whatever_the_room(tmp_path: Path) -> None:
    events = [
        slice("RunTask", ts=1_900, dur=300),
        slice("Inner", ts=1_950, dur=200),
        slice("ParseHTML", ts=2_000, dur=5),
    ]
    events += [slice("Layout", ts=3_000 + 1_000 * one, dur=900) for one in range(5)]
    drawing = draw(tmp_path, COUNT, events, most=6)
    assert {"RunTask", "Inner", "ParseHTML"} <= {drawing.names[name] for name in drawing.name}


def test_evidence_that_has_no_room_is_counted(tmp_path: Path) -> None:
    events = [slice("ParseHTML", ts=2_000 + 10 * one, dur=5) for one in range(60)]
    drawing = draw(tmp_path, COUNT, events, most=20)
    (selected,) = (one for one in drawing.highlights if one.role == "selected")
    assert len(selected.at) + selected.left_out == 60
    assert selected.left_out > 0


def test_only_processes_of_the_page_and_of_the_evidence(tmp_path: Path) -> None:
    events = [slice("ParseHTML", ts=2_000, dur=5)]
    events += [slice("Draw", ts=2_000, dur=5, pid=GPU, tid=GPU), slice("Idle", ts=2_000, dur=5, pid=BROWSER)]
    drawing = draw(tmp_path, COUNT, events)
    assert {lane.pid for lane in drawing.lanes} == {PAGE}
    rest = COUNT.replace("on: page.main", "on: gpu").replace("ParseHTML", "Draw")
    assert {lane.pid for lane in draw(tmp_path, rest, events).lanes} == {PAGE, GPU}


def test_tracks_stand_as_people_look_for_them(tmp_path: Path) -> None:
    events = [
        slice("Raster", ts=2_000, dur=5, tid=COMPOSITOR),
        async_begin("Load", ts=2_000),
        async_end("Load", ts=4_000),
        async_begin("Load", ts=3_000, id="0x2"),
        async_end("Load", ts=5_000, id="0x2"),
        slice("ParseHTML", ts=2_000, dur=5),
    ]
    drawing = draw(tmp_path, COUNT, events)
    assert [(lane.kind, lane.name, lane.rows) for lane in drawing.lanes] == [
        ("thread", "CrRendererMain", 1),
        ("thread", "Compositor", 1),
        ("async", "Load", 2),
    ]
    assert drawing.lanes[0].label == "Main — http://a.test/x.html"
    assert drawing.lanes[0].process == f"Renderer {PAGE}"


def test_events_of_a_row_come_in_order_of_time(tmp_path: Path) -> None:
    """The drawing searches them by halves."""
    events = [slice("ParseHTML", ts=ts, dur=5) for ts in (3_000, 2_000, 5_000, 4_000)]
    drawing = draw(tmp_path, COUNT, events)
    assert drawing.ts == [1_000, 2_000, 3_000, 4_000]


def test_flows_between_what_is_drawn(tmp_path: Path) -> None:
    events = [
        slice("ParseHTML", ts=2_000, dur=5),
        flow("s", ts=2_001),
        slice("Layout", ts=3_000, dur=5),
        flow("f", ts=3_001),
    ]
    drawing = draw(tmp_path, COUNT, events)
    source, target, name = drawing.flows
    told = [drawing.names[drawing.name[source]], drawing.names[drawing.name[target]], drawing.names[name]]
    assert told == ["ParseHTML", "Layout", "flow"]


def test_gaps_and_requests_have_tracks_of_their_own(tmp_path: Path) -> None:
    rest = """
select:
  parsed: {name: ParseHTML, on: page.main}
  gaps: {gaps_of: parsed}
  requests: {source: server}
expect: [{count: {of: gaps, is: 1}}, {count: {of: requests, is: 1}}]
"""
    log = [LogEntry(method="GET", host="a.test", path="/x.html", request_us=1_500, end_us=1_900)]
    events = [slice("ParseHTML", ts=2_000, dur=5), slice("ParseHTML", ts=3_000, dur=5)]
    drawing = draw(tmp_path, rest, events, log=log)
    assert [lane.kind for lane in drawing.lanes] == ["thread", "gaps", "server"]
    assert drawing.kind == "ssgr"
    assert '"previous"' in drawing.texts[drawing.args[2]]


def test_frames_are_those_of_the_page(tmp_path: Path) -> None:
    events = [slice("ParseHTML", ts=2_000, dur=5), instant("BeginFrame", ts=2_500)]
    events += [instant("BeginFrame", ts=2_600, pid=GPU, tid=GPU)]
    drawing = draw(tmp_path, COUNT, events)
    assert (drawing.frames_of, drawing.frames) == ("BeginFrame", [1_500])


def test_arguments_of_evidence_are_whole_and_of_others_cut(tmp_path: Path) -> None:
    long = {"url": "x" * 190}
    events = [slice("ParseHTML", ts=2_000, dur=5, args=long), slice("Layout", ts=3_000, dur=5, args=long)]
    drawing = draw(tmp_path, COUNT, events)
    evidence, other = (drawing.texts[place] for place in drawing.args)
    assert (len(evidence), len(other), other[-1]) == (200, 161, "…")


@pytest.mark.parametrize("gone", ["trace", "scenario"])
def test_what_is_gone_is_said_or_done_without(tmp_path: Path, gone: str) -> None:
    catalog = load_catalog([write_scenarios(tmp_path / "parsing")])
    parse = [slice("ParseHTML", ts=1_000, dur=5), slice("ParseHTML", ts=2_000, dur=5)]
    result = store_run(tmp_path / "run", catalog, [parse])
    (one,) = result.cases
    if gone == "trace":
        (tmp_path / "run" / one.attempts[0].recordings[0].trace).unlink()
        draft = drawings_of(one, catalog.cases[0], tmp_path / "run")
        assert not draft.drawings
        assert "main.json.gz" in draft.notes[0]
    else:
        (drawing,) = drawings_of(one, None, tmp_path / "run").drawings
        assert set(shown(drawing, "selected") + shown(drawing, "missed")) == {"ParseHTML"}


def told(*outcomes: Outcome) -> CaseResult:
    findings: list[Finding] = [finding("a.b", outcome) for outcome in outcomes]
    return case({"a.b": Verdict.SOMETIMES}, [attempt(i, one) for i, one in enumerate(findings, 1)])


@pytest.mark.parametrize(
    ("outcomes", "numbers"),
    [
        ([Outcome.MET, Outcome.MET], [1]),
        ([Outcome.UNMET, Outcome.UNMET], [1]),
        ([Outcome.MET, Outcome.MET, Outcome.UNMET, Outcome.UNMET], [1, 3]),
    ],
)
def test_attempts_that_tell(outcomes: list[Outcome], numbers: list[int]) -> None:
    assert [one.number for one in telling_attempts(told(*outcomes))] == numbers
