"""Traces that this project did not make: Lighthouse's fixtures of Chrome 74 to 90, and older ones edited by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from harness.errors import TraceFileError
from harness.trace import Trace, load, resolve_page, threads_in_role
from harness.trace.context import PageIdentity

FOLDERS = [parent / "shared" / "traces" for parent in Path(__file__).resolve().parents]
HERE = next((folder for folder in FOLDERS if folder.is_dir()), None)
pytestmark = pytest.mark.skipif(HERE is None, reason="the shared traces are not on this machine")

NAMES = (
    "backgrounded-tab-missing-paints",
    "cutoff-load-m83.trace",
    "frame-metrics-m90",
    "lcp-m78",
    "no-tracingstarted-m74",
    "pid-change",
    "threeframes-blank_content_more",
)


def path(name: str) -> Path:
    assert HERE is not None
    return HERE / f"{name}.json.gz"


@cache
def trace(name: str) -> Trace:
    return load(path(name))


@cache
def page(name: str) -> PageIdentity:
    return resolve_page(trace(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_record_is_accounted_for(name: str) -> None:
    records = json.loads(gzip.decompress(path(name).read_bytes()))["traceEvents"]
    phases = Counter(record["ph"] for record in records)
    kept = Counter(event.ph for event in trace(name).events)
    ends = phases.pop("E", 0) + phases.pop("e", 0)
    assert kept == phases
    closed = sum(event.dur is not None for event in trace(name).events if event.ph in ("B", "b"))
    unmatched = trace(name).anomalies.get("unmatched ends", 0) + trace(name).anomalies.get("unmatched async ends", 0)
    assert ends == closed + unmatched
    for event in trace(name).events[:200]:
        if event.ph not in ("B", "b"):
            assert event.args == records[event.seq]["args"]


@pytest.mark.parametrize("name", NAMES)
def test_parents_hold_their_children(name: str) -> None:
    for event in trace(name).events:
        if event.parent is not None:
            assert event.parent.ts <= event.ts and event.end <= event.parent.end
            assert event.parent.thread == event.thread


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_found_and_has_a_main_thread(name: str) -> None:
    main = page(name).main
    assert main is not None
    assert trace(name).threads[main.pid, main.tid].name == "CrRendererMain"
    assert (main.pid, main.tid) in threads_in_role("page.main", trace(name), page(name))


def test_the_page_that_changed_process() -> None:
    identity = page("pid-change")
    assert (identity.main and identity.main.pid, identity.earlier_pids) == (25925, [25901])


def test_a_process_that_tracing_started_names_and_nothing_else_does() -> None:
    identity = page("no-tracingstarted-m74")
    assert (identity.main and identity.main.pid, identity.earlier_pids) == (69407, [])
    assert "TracingStartedInBrowser" not in identity.how


def test_frames_of_a_page() -> None:
    assert len(page("frame-metrics-m90").frames) == 2


def test_what_74_wrote_askew() -> None:
    old = trace("no-tracingstarted-m74")
    assert old.anomalies["overlapping slices"] == 3  # RunMicrotasks and V8.RunMicrotasks
    assert [event.name for event in old.events if event.open] == ["RunTask"] * 3
    assert old.by_name("ParseHTML")[0].args.keys() == {"beginData", "endData"}


def test_a_slice_that_ran_when_the_recording_ended() -> None:
    cut = trace("cutoff-load-m83.trace")
    (task,) = [event for event in cut.events if event.open]
    assert (task.name, task.dur, task.end) == ("RasterTask", None, cut.end_ts)
    assert len(cut.flows) == 16  # bind_id, from the background parser to the main thread


def test_flows_of_mojo_and_loading_end_in_slices() -> None:
    flows = trace("pid-change").flows
    assert len(flows) == 436
    assert all(flow.source_slice and flow.target_slice for flow in flows)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_real_trace_cut_in_half_is_refused(tmp_path: Path, share: float) -> None:
    data = gzip.decompress(path("lcp-m78").read_bytes())
    for whole in (data, gzip.compress(data)):
        (tmp_path / "cut").write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(TraceFileError, match="cut short"):
            load(tmp_path / "cut")
