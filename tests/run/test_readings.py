"""Arms that a reader makes: the recording that it is handed, edited, and the three files of its answer."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.errors import ScenarioError
from harness.expect import Recording
from harness.run import readings as readings_module
from harness.run.attempt import run_attempt
from harness.run.gate import invalid_reasons
from harness.run.plan import Job
from harness.run.readings import make_reading
from harness.run.recording import Made, Slot
from harness.run.views import build_view
from harness.scenario.load import load_file
from harness.scenario.model import Case
from harness.store import Manifest, RunFolder, context_beside, sha256_file
from harness.trace import load
from harness.trace.context import END, START, FrameIdentity, Mark, PageIdentity, RecordingContext
from tests import traces
from tests.run.cases import BUILD
from tests.traces import Json

SCENARIO = """\
scenario: parse-html.read
title: Reads
claims: [parse-html.renderer-main-thread]
record: {categories: [blink]}
steps: [{settle: 1ms}]
arms:
  model: {read: {by: trace_engine, of: page, edit: [EDITS]}}
  page: {}
select:
  layouts: {name: Layout, on: page.main}
  first: {of: layouts, take: first}
  none: {name: Nothing}
  spans: {name: Frame}
expect:
  - count: {of: layouts@model, is: ">= 1"}
  - count: {of: first@model, is: 1}
  - count: {of: none@page, is: 0}
    control: {count: {of: spans@page, is: ">= 1"}}
"""
COLLECTED: Any = SimpleNamespace(categories=["blink"], buffer_peak=0.1)
MANIFEST = Manifest(
    scenario="parse-html.read",
    arm="page",
    attempt=1,
    trace="page.json.gz",
    sha256="0" * 64,
    bytes=1,
    build=build_view(BUILD),
    mode="shell",
    recorder="cdp-browser",
)
EVENTS = [
    *traces.names(),
    traces.slice("Layout", ts=10, dur=5, args={"n": 1, "deep": {"list": [7, 8]}}),
    traces.begin("Layout", ts=20),
    traces.end("Layout", ts=28),
    traces.async_begin("Frame", ts=30),
    traces.async_end("Frame", ts=40),
]


def case(tmp_path: Path, edits: str) -> Case:
    path = tmp_path / "read.scenario.yaml"
    path.write_text(SCENARIO.replace(", edit: [EDITS]", f", edit: [{edits}]" if edits else ""))
    return load_file(path)[0]


def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: str) -> tuple[list[Json], Made]:
    """The events that the reader is handed, and what comes of it."""
    handed: list[Json] = []

    def unpack(trace: Path) -> list[Json]:
        raw = trace.read_bytes()
        events: list[Json] = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)["traceEvents"]
        return events

    async def answer(name: str, trace: Path, reading: Path) -> Any:
        handed.extend(unpack(trace))
        traces.write_trace(reading, handed)
        return {"version": "1"}

    monkeypatch.setattr(readings_module, "read_recording", answer)
    folder, one = RunFolder(tmp_path / "out"), case(tmp_path, edits)
    slots = {
        name: Slot(one, arm, BUILD, "shell", 1, 0, folder.recording(one.name, "1", "shell", 1, name, 0, binary="b"))
        for name, arm in one.arms.items()
    }
    page = slots["page"]
    traces.write_trace(page.files.trace, EVENTS)
    context = RecordingContext(arm="page", values={"step": 2}, page=PageIdentity([FrameIdentity(100, 100)]))
    base = Made(page, COLLECTED, context, MANIFEST)
    made = asyncio.run(make_reading(slots["model"], base, Recording(load(page.files.trace), context)))
    return [event for event in handed if event["ph"] != "M"], made


def brief(events: list[Json]) -> list[str]:
    return [f"{event['ph']}{event['ts']}" for event in events]


@pytest.mark.parametrize(
    ("edits", "handed"),
    [
        ("", ["X10", "B20", "E28", "b30", "e40"]),
        ("{drop: first}", ["B20", "E28", "b30", "e40"]),
        ("{drop: layouts}", ["b30", "e40"]),
        ("{change: first, set: {ts: 11}}", ["X11", "B20", "E28", "b30", "e40"]),
        ("{change: layouts, add: {ts: 1}}", ["X11", "B21", "E28", "b30", "e40"]),
        ("{change: first, set: {ph: I}}, {change: first, add: {ts: 2}}", ["I12", "B20", "E28", "b30", "e40"]),
        ("{copy: first, set: {ph: e}, add: {ts: 3}}", ["X10", "B20", "E28", "b30", "e40", "e13"]),
    ],
)
def test_the_reader_is_handed_the_edited_recording(
    edits: str, handed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, made = read(tmp_path, monkeypatch, edits)
    assert brief(events) == handed
    assert made.context.doubts == []


def test_arguments_are_changed_at_any_depth_and_made_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, _ = read(
        tmp_path,
        monkeypatch,
        "{change: first, set: {'args.deep.list[1]': 9, args.new.id: x}, add: {args.n: 0.5}}",
    )
    assert events[0]["args"] == {"n": 1.5, "deep": {"list": [7, 9]}, "new": {"id": "x"}}


def test_an_edit_that_finds_nothing_makes_it_no_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, made = read(tmp_path, monkeypatch, "{drop: none}")
    assert "`drop: none` has no event to edit" in made.context.doubts[0]
    stored = context_beside(made.slot.files.trace)
    assert stored is not None
    reasons = invalid_reasons(made.slot.case, made.slot.arm, load(made.slot.files.trace), stored)
    assert made.context.doubts[0] in reasons, "nor is it when it is tested again"


def test_what_it_said_stands_beside_what_the_steps_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, made = read(tmp_path, monkeypatch, "")
    assert made.context.arm == "model"
    assert made.context.values == {"step": 2, "trace_engine": {"version": "1"}}
    assert made.slot.files.trace.is_file() and made.slot.files.context.is_file()
    assert made.manifest.sha256 == sha256_file(made.slot.files.trace)
    assert "made by trace_engine" in made.manifest.notes[0]


def test_recordings_are_made_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def made(slot: Slot) -> Made:
        order.append(slot.arm.name)
        edges = [
            {"name": "clock_sync", "ph": "c", "ts": ts, "pid": 1, "tid": 1, "args": {"sync_id": f"traceproof-{edge}"}}
            for edge, ts in (("start", 1), ("end", 900))
        ]
        traces.write_trace(slot.files.trace, [*EVENTS, *edges])
        context = RecordingContext(
            arm=slot.arm.name, marks=[Mark(START, 1), Mark(END, 900)], page=PageIdentity([FrameIdentity(100, 100)])
        )
        return Made(slot, COLLECTED, context, MANIFEST)

    async def record(slot: Slot) -> Made:
        return made(slot)

    async def make(slot: Slot, base: Made, recording: Recording) -> Made:
        assert (base.slot.arm.name, len(recording.trace.by_name("Layout"))) == ("page", 2)
        return made(slot)

    monkeypatch.setattr("harness.run.attempt.make_recording", record)
    monkeypatch.setattr("harness.run.attempt.make_reading", make)
    job = Job(case(tmp_path, ""), BUILD, "shell", 1)
    attempt = asyncio.run(run_attempt(job, 1, RunFolder(tmp_path / "out")))
    assert order == ["page", "model"]
    assert attempt.valid, attempt


@pytest.mark.parametrize("path", ["args.deep.list[9]", "args.n.more", "args.deep.list.key"])
def test_an_edit_that_finds_no_place_says_where_it_stands(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ScenarioError, match=r"read.scenario.yaml:7:\d+: the edit `change: first` finds no place for"):
        read(tmp_path, monkeypatch, f"{{change: first, set: {{'{path}': 1}}}}")


def test_nothing_is_added_where_there_is_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events, made = read(tmp_path, monkeypatch, "{change: layouts, add: {dur: 1, args.absent: 1}}")
    assert [event.get("dur") for event in events[:2]] == [6, None] and "dur" not in events[1]
    assert "absent" not in events[0]["args"]
    (doubt,) = made.context.doubts
    assert doubt.startswith("the edit `change: layouts` adds to no number at args.absent (")
