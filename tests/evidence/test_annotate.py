"""Notes in a recording: what DevTools' own trace engine makes of them, and that nothing else of the file changes."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import cli
from harness.errors import CapabilityError, UsageError
from harness.evidence.annotate import write_annotated
from harness.evidence.frames_named import name_frames
from harness.run.readers import installed
from harness.store import Manifest
from harness.trace import load
from harness.trace.context import FrameIdentity, Mark, PageIdentity, RecordingContext
from tests.samples import BUILD
from tests.traces import PAGE, Json, instant, names, slice, write_trace

ARGS = {"beginData": {"frame": "F", "startLine": 0, "url": "http://a.test/"}}
READER = Path(__file__).with_name("read_notes.mjs")
SCENARIO = """
scenario: parse-html.one
title: One
claims: [parse-html.renderer-main-thread]
record: {categories: [devtools.timeline]}
steps: [{settle: 1ms}, {mark: loaded}]
select: {parsed: {name: ParseHTML, on: page.main, during: start..loaded}}
expect: [{count: {of: parsed, is: 2}}]
"""


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A recording with its context and manifest, beside the scenario."""
    (tmp_path / "one.scenario.yaml").write_text(SCENARIO)
    trace = write_trace(tmp_path / "main.json.gz", [*names(), *events()], version=1)
    context = RecordingContext(
        marks=[Mark("start", 100_000), Mark("loaded", 109_000), Mark("end", 120_000)],
        page=PageIdentity([FrameIdentity(PAGE, PAGE)]),
    )
    (tmp_path / "main.context.json").write_bytes(json_of(context))
    manifest = Manifest(
        scenario="parse-html.one",
        arm="main",
        attempt=1,
        trace="main.json.gz",
        sha256="",
        bytes=0,
        build=BUILD,
        mode="shell",
        recorder="cdp-browser",
        recorded="2026-01-31T12:00:00.000+00:00",
        device_pixel_ratio=2,
    )
    (tmp_path / "main.manifest.json").write_bytes(json_of(manifest))
    return trace


def json_of(record: object) -> bytes:
    import msgspec

    return msgspec.json.encode(record)


def events() -> list[Json]:
    started: Json = {
        "name": "TracingStartedInBrowser",
        "ph": "I",
        "s": "t",
        "cat": "disabled-by-default-devtools.timeline",
        "ts": 100_000,
        "pid": 1,
        "tid": 1,
        "args": {"data": {"frames": [{"frame": "F", "processId": PAGE, "url": "http://a.test/", "name": ""}]}},
    }
    return [
        started,
        slice("ParseHTML", ts=102_000, dur=500, args=ARGS),
        slice("ParseHTML", ts=110_000, dur=700, args=ARGS),
    ]


def annotated(stored: Path) -> Path:
    said = CliRunner().invoke(cli, ["annotate", str(stored), str(stored.with_name("one.scenario.yaml"))])
    assert said.exit_code == 0, said.output
    return stored.with_name("main.annotated.json.gz")


def test_its_own_events_stay_as_they_are(stored: Path) -> None:
    target = annotated(stored)
    before, after = (gzip.decompress(file.read_bytes()) for file in (stored, target))
    start, end = before.index(b"["), before.rindex(b"]")
    assert before[start + 1 : end].strip() in after
    metadata = json.loads(after)["metadata"]
    assert (metadata["version"], metadata["hostDPR"], metadata["dataOrigin"]) == (1, 2, "TraceEvents")
    assert metadata["traceproof"]["scenario"] == "parse-html.one"


def test_it_is_a_trace_with_a_track_for_each_expectation(stored: Path) -> None:
    trace = load(annotated(stored))
    notes = [event for event in trace.events if event.cat == "blink.user_timing"]
    spans = {event.name: (event.ts, event.dur) for event in notes if event.kind == "async"}
    assert spans["start..loaded"] == (100_000, 9_000)
    assert spans["parsed: ParseHTML"] == (102_000, 500)
    assert spans["missed: ParseHTML"] == (110_000, 700)
    assert {event.name for event in notes if event.kind == "instant"} == {"mark: start", "mark: loaded", "mark: end"}
    assert not trace.anomalies


def test_devtools_reads_them(stored: Path) -> None:
    told = read_by_devtools(annotated(stored))
    assert told["dpr"] == 2
    assert told["markers"] == [["mark: start", 100_000], ["mark: loaded", 109_000], ["mark: end", 120_000]]
    assert told["tracks"]["traceproof/step marks"][0] == ["start..loaded", 100_000, 9_000]
    assert told["tracks"]["traceproof/expectation 1: unmet"] == [
        ["parsed: ParseHTML", 102_000, 500],
        ["missed: ParseHTML", 110_000, 700],
    ]


def read_by_devtools(trace: Path) -> dict[str, Any]:
    """What the published trace engine says; it is installed where it was not. Skips where node or npm lack."""
    try:
        with ThreadPoolExecutor(1) as apart:  # a test with a loop of its own may ask
            engine = apart.submit(asyncio.run, installed("trace_engine")).result()
    except CapabilityError as lacking:
        pytest.skip(str(lacking))
    script = trace.with_name("read_notes.mjs")
    script.write_text(READER.read_text())
    (trace.parent / "node_modules").symlink_to(engine / "node_modules")
    done = subprocess.run(["node", str(script), str(trace)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_bare_array_without_its_bracket(tmp_path: Path) -> None:
    source = tmp_path / "t.json"
    source.write_text(json.dumps([slice("Layout", ts=1, dur=1)])[:-1] + ",\n")
    told = json.loads(gzip.decompress(write_annotated(source, [{"name": "note"}], {})))
    assert [event["name"] for event in told["traceEvents"]] == ["Layout", "note"]


def test_an_empty_trace_and_no_notes(tmp_path: Path) -> None:
    source = tmp_path / "t.json"
    source.write_text('{"traceEvents": [ ]}')
    assert json.loads(gzip.decompress(write_annotated(source, [], {})))["traceEvents"] == []
    assert len(json.loads(gzip.decompress(write_annotated(source, [{"name": "a"}], {})))["traceEvents"]) == 1


def test_protobuf_is_refused_with_a_remedy(tmp_path: Path) -> None:
    source = tmp_path / "t.pftrace"
    source.write_bytes(b"\x0a\x02\x08\x01")
    with pytest.raises(UsageError, match="written into JSON"):
        write_annotated(source, [], {})


def test_only_a_start_without_frames_is_made_whole(stored: Path) -> None:
    page = PageIdentity(
        [FrameIdentity(PAGE, PAGE, "F", "http://a.test/"), FrameIdentity(PAGE, PAGE, "C", "about:blank")]
    )
    whole = gzip.decompress(stored.read_bytes())
    assert name_frames(whole, page) == whole
    bare = whole.replace(whole[whole.index(b'"args": {"data": {"frames"') : whole.index(b"}]}}") + 4], b'"args": {}')
    named = json.loads(name_frames(bare, page))["traceEvents"]
    (start,) = [event for event in named if event["name"] == "TracingStartedInBrowser"]
    main, child = start["args"]["data"]["frames"]
    assert (main["frame"], main["processId"], main["url"]) == ("F", PAGE, "http://a.test/") and "parent" not in main
    assert (child["frame"], child["parent"]) == ("C", "F")
    assert [one for one in named if one != start] == [
        one for one in json.loads(bare)["traceEvents"] if one["name"] != "TracingStartedInBrowser"
    ]
    assert name_frames(bare, PageIdentity()) == bare


def test_a_start_is_written_where_there_is_none() -> None:
    page = PageIdentity([FrameIdentity(PAGE, PAGE, "F", "http://a.test/")], earlier_pids=[77])
    browser = {"name": "thread_name", "ph": "M", "ts": 0, "pid": 5, "tid": 6, "args": {"name": "CrBrowserMain"}}
    own: list[Json] = [browser, slice("Layout", ts=90, dur=1), slice("ParseHTML", ts=70, dur=1)]
    named = json.loads(name_frames(json.dumps({"traceEvents": own}).encode(), page))["traceEvents"]
    assert named[:-1] == own
    start = named[-1]
    assert [start[key] for key in ("name", "ph", "ts", "pid", "tid")] == ["TracingStartedInBrowser", "I", 70, 5, 6]
    (frame,) = start["args"]["data"]["frames"]
    assert (frame["frame"], frame["processId"]) == ("F", 77)
    alone = json.loads(name_frames(b'{"traceEvents":[]}', page))["traceEvents"]
    assert [(one["pid"], one["tid"], one["ts"]) for one in alone] == [(PAGE, PAGE, 0)]


@pytest.mark.parametrize(
    "event",
    [
        b'{"name":"A","ph":"X","ts":5,"dur":1,"pid":1,"tid":"a word"}',
        b'{"name":"A\xff","ph":"X","ts":5,"dur":1,"pid":1,"tid":1,"args":{"url":"\xc3"}}',
        b'{"name":"A","ph":"X","ts":5,"dur":1,"pid":1,"tid":1,"args":{"n":' + b"9" * 5000 + b"}}",
    ],
)
def test_a_start_is_written_beside_whatever_the_reader_takes(event: bytes) -> None:
    page = PageIdentity([FrameIdentity(PAGE, PAGE, "F", "http://a.test/")])
    named = name_frames(b'{"traceEvents":[' + event + b"]}", page)
    assert named.startswith(b'{"traceEvents":[' + event) and b'"ts":5.0,"pid":100' in named


def test_a_start_whose_arguments_were_stripped_is_made_whole() -> None:
    page = PageIdentity([FrameIdentity(PAGE, PAGE, "F", "http://a.test/")])
    bare = [instant("TracingStartedInBrowser", ts=5, args="__stripped__")]
    (start,) = json.loads(name_frames(json.dumps({"traceEvents": bare}).encode(), page))["traceEvents"]
    assert start["args"]["data"]["frames"][0]["frame"] == "F"


def test_a_byte_order_mark_is_no_protobuf(tmp_path: Path) -> None:
    trace = tmp_path / "t.json"
    trace.write_bytes(b"\xef\xbb\xbf" + json.dumps({"traceEvents": [slice("Layout", ts=1, dur=2)]}).encode())
    assert b"Layout" in gzip.decompress(write_annotated(trace, [], {}))
