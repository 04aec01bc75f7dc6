"""What stored recordings tell DevTools in their metadata, and that nothing else of the file changes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from harness.store import Manifest, devtools_metadata, stamp, with_metadata
from harness.store.scrub import scrub
from harness.trace import load, losses
from harness.trace.context import PageIdentity, RecordingContext
from tests.samples import BUILD
from tests.traces import slice, write_trace

EVENTS = [slice("Layout", ts=1, dur=2, args={"text": '}],"metadata":{'}), slice("Layout", ts=3, dur=1)]


def manifest(**fields: Any) -> Manifest:
    usual: dict[str, Any] = {"scenario": "a.b", "arm": "main", "attempt": 1, "trace": "t.json.gz", "sha256": ""}
    usual |= {"bytes": 0, "build": BUILD, "mode": "shell", "recorder": "cdp-browser"}
    return Manifest(**usual | fields)


def test_in_the_words_of_devtools() -> None:
    told = devtools_metadata(
        manifest(recorded="2026-01-31T12:00:00.250+02:00", device_pixel_ratio=2, emulated={"cpu_throttle": 4})
    )
    assert told.pop("traceproof") == {"scenario": "a.b", "arm": "main", "build": BUILD.version, "mode": "shell"}
    assert told == {
        "dataOrigin": "TraceEvents",
        "startTime": "2026-01-31T10:00:00.250Z",
        "hostDPR": 2,
        "cpuThrottling": 4,
    }


def test_the_screen_and_not_what_the_page_was_made_to_believe() -> None:
    emulated = {"device_scale_factor": 3}
    assert "hostDPR" not in devtools_metadata(manifest(device_pixel_ratio=3, emulated=emulated))
    line = ["chromium", "--force-device-scale-factor=2"]
    told = devtools_metadata(manifest(device_pixel_ratio=3, emulated=emulated, command_line=line))
    assert told["hostDPR"] == 2


def test_what_nobody_knows_is_left_out() -> None:
    assert devtools_metadata(manifest()).keys() == {"dataOrigin", "traceproof"}


def test_events_stay_byte_for_byte_and_what_the_browser_said_goes_first(tmp_path: Path) -> None:
    lost = {"traced_buf": [{"chunks_discarded": 3}]}
    trace = write_trace(tmp_path / "t.json.gz", EVENTS, trace_processor_stats=lost, startTime="the browser's")
    before, told = gzip.decompress(trace.read_bytes()), losses(load(trace))
    stamp(trace, {"startTime": "ours", "hostDPR": 2})
    after = gzip.decompress(trace.read_bytes())
    events = before[before.index(b"[") : before.rindex(b"]") + 1]
    assert events.split(b',"metadata"')[0] in after
    assert json.loads(after)["traceEvents"] == EVENTS
    assert json.loads(after)["metadata"] == {
        "startTime": "the browser's",
        "hostDPR": 2,
        "trace_processor_stats": lost,
    }
    assert losses(load(trace)) == told == {"chunks_discarded": 3}


@pytest.mark.parametrize("text", ["[{},\n", '{"metadata":{"a":1},"traceEvents":[ ]}', '{"traceEvents":[]}'])
def test_each_form_of_a_trace(text: str) -> None:
    told = json.loads(gzip.decompress(with_metadata(text.encode(), {"hostDPR": 1})))
    assert told["metadata"]["hostDPR"] == 1 and isinstance(told["traceEvents"], list)


@pytest.mark.parametrize(
    "content", [b'{"traceEvents":[{"na', gzip.compress(b"{}")[:-9], b"", b'{"metadata":3}', b'[{"name":"a"},\n']
)
def test_what_is_not_whole_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    trace = tmp_path / "t.json.gz"
    trace.write_bytes(content)
    stamp(trace, {"hostDPR": 1})
    assert trace.read_bytes() == content


def test_an_old_recording_gets_it_when_it_is_exported(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.json.gz", EVENTS)
    clean = scrub(trace, RecordingContext(page=PageIdentity()), manifest(device_pixel_ratio=2), every_process=True)
    assert json.loads(gzip.decompress(clean.trace))["metadata"]["hostDPR"] == 2
