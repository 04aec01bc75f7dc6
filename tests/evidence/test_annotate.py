"""Notes in a recording: what DevTools' own trace engine makes of them, and that nothing else of the file changes."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import cli
from harness.errors import UsageError
from harness.evidence.annotate import write_annotated
from harness.store import Manifest
from harness.trace import load
from harness.trace.context import FrameIdentity, Mark, PageIdentity, RecordingContext
from tests.samples import BUILD
from tests.traces import PAGE, Json, names, slice, write_trace

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
    assert spans["ParseHTML"] == (110_000, 700)  # the near miss
    assert {event.name for event in notes if event.kind == "instant"} == {"start", "loaded", "end"}
    assert not trace.anomalies


def test_devtools_reads_them(stored: Path) -> None:
    told = read_by_devtools(annotated(stored))
    assert told["dpr"] == 2
    assert told["markers"] == [["start", 100_000], ["loaded", 109_000], ["end", 120_000]]
    assert told["tracks"]["traceproof/step marks"][0] == ["start..loaded", 100_000, 9_000]
    assert told["tracks"]["traceproof/expectation 1: unmet"] == [
        ["parsed: ParseHTML", 102_000, 500],
        ["ParseHTML", 110_000, 700],
    ]


def read_by_devtools(trace: Path) -> dict[str, Any]:
    """What the published trace engine says; skips where its package is not in the cache of readers."""
    from harness.paths import cache_root

    installed = sorted((cache_root() / "readers").glob("trace_engine-*/node_modules"))
    if not installed or not shutil.which("node"):
        pytest.skip("the reader trace_engine is not installed: run `traceproof run parse-html.trace-engine` once")
    script = trace.with_name("read_notes.mjs")
    script.write_text(READER.read_text())
    (trace.parent / "node_modules").symlink_to(installed[-1])
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
