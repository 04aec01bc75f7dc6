"""Each rule of the validity gate refuses what it is there for, and says why; a sound recording passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.run.gate import invalid_reasons
from harness.run.page import page_of
from harness.scenario.model import MAIN, RecordSpec
from harness.trace import Trace, from_events, load
from harness.trace.context import END, START, FrameIdentity, Mark, PageIdentity, RecordingContext
from tests.run.cases import PID, TID, case, context, name_of_main, trace


def reasons(found: Trace, of: RecordingContext, **fields: Any) -> list[str]:
    one = case(**fields)
    return invalid_reasons(one, one.arms[MAIN], found, of)


def test_a_sound_recording_passes() -> None:
    assert reasons(trace(), context()) == []


@pytest.mark.parametrize(
    ("found", "of", "why"),
    [
        (trace(), context(data_loss=True), "data loss"),
        (trace({"name": "Layout", "ph": "X", "pid": PID, "tid": TID}), context(), "1 events without ts"),
        (
            trace({"name": "Layout", "ph": "X", "ts": 9, "dur": -1, "pid": PID, "tid": TID}),
            context(),
            "1 negative durations",
        ),
        (trace(marked=False), context(), "no start and no end marker"),
        (trace(), context(page=None), "was not identified"),
        (trace(), context(page=PageIdentity()), "was not identified"),
        (trace(), context(page=PageIdentity([FrameIdentity(PID, 99)])), "wrote no event"),
        (trace(), context(page=PageIdentity([FrameIdentity(PID, TID)], [77])), "changed its process"),
        (trace(named=False), context(), "no metadata names the page's main thread (process 10, thread 11)"),
    ],
)
def test_each_rule_says_why(found: Trace, of: RecordingContext, why: str) -> None:
    (reason,) = reasons(found, of)
    assert why in reason


def test_a_startup_recording_that_cannot_tell_its_page_says_which_category_would() -> None:
    (why,) = reasons(trace(marked=False), context(page=None), record=RecordSpec(("cc",), recorder="startup"))
    assert "record devtools.timeline (CommitLoad) or blink.user_timing (navigationStart)" in why


def test_a_cut_tail_is_told_from_a_cut_head() -> None:
    start = {"name": "clock_sync", "ph": "c", "ts": 1, "pid": 1, "tid": 1, "args": {"sync_id": "traceproof-start"}}
    (reason,) = reasons(trace(start, marked=False), context())
    assert "no end marker" in reason
    assert "tail is missing" in reason


def clock(edge: str, ts: float) -> dict[str, Any]:
    return {"name": "clock_sync", "ph": "c", "ts": ts, "pid": 1, "tid": 1, "args": {"sync_id": f"traceproof-{edge}"}}


def stored(*counts: dict[str, int], key: str = "trace_processor_stats", buffers: str = "traced_buf") -> Trace:
    events = [name_of_main(), clock("start", 1), clock("end", 100)]
    events += [{"name": "A", "ph": "X", "ts": 9, "dur": 1, "pid": PID, "tid": TID}]
    return from_events(events, {key: {buffers: list(counts)}})


@pytest.mark.parametrize(
    ("count", "lossy"),
    [
        ({"chunks_discarded": 2359, "patches_failed": 2}, True),
        ({"chunks_overwritten": 1}, True),
        ({"trace_writer_packet_loss": 1}, True),
        ({"data_loss_overwrite": 1}, True),
        ({"chunks_discarded": 0, "readaheads_failed": 126, "write_wrap_count": 3}, False),
    ],
)
def test_loss_is_read_from_the_file_where_nobody_told(count: dict[str, int], lossy: bool) -> None:
    """A trace that is tested later has no answer of `Tracing.end` beside it; its own statistics tell."""
    for found in (stored({}, count), stored(count, key="perfetto_trace_stats", buffers="buffer_stats")):
        told = reasons(found, context())
        assert bool(told) == lossy
        assert not lossy or f"{next(iter(count))} " in told[0]
    assert reasons(stored(), context()) == []


def test_the_event_of_64_tells_of_loss() -> None:
    overflow = {"name": "trace_buffer_overflowed", "ph": "M", "cat": "__metadata", "ts": 5, "pid": 1, "tid": 1}
    (reason,) = reasons(trace(overflow), context())
    assert "trace_buffer_overflowed 1" in reason


def test_a_list_that_is_not_closed_is_cut_if_it_is_ours(tmp_path: Path) -> None:
    """A bare array may lack its bracket, but no recorder leaves it out: nobody knows what else is lacking."""
    path = tmp_path / "cut.json"
    slice_of_main = {"name": "A", "ph": "X", "ts": 9, "dur": 1, "pid": PID, "tid": TID}
    lines = [name_of_main(), clock("start", 1), slice_of_main, clock("end", 100)]
    path.write_text("[" + ",\n".join(map(json.dumps, lines)))
    one, found = case(), load(path)
    (reason,) = reasons(found, context())
    assert "cut behind an event" in reason
    assert invalid_reasons(one, one.arms[MAIN], found, context(), marked=False) == []


@pytest.mark.parametrize(
    ("begin", "end", "astray"),
    [(1, 100, ""), (-1500, 100, "start"), (1, 1500, "end"), (1e6, 2e6, "start and end")],
)
def test_markers_lie_in_the_recording(begin: float, end: float, astray: str) -> None:
    """A trace whose times are of another clock, in another unit or of another recording would fit no window."""
    made = context(marks=[Mark(START, 0), Mark(END, 101)])
    told = reasons(trace(clock("start", begin), clock("end", end), marked=False), made)
    assert [f"its {astray} marker was not written" in reason for reason in told] == ([True] if astray else [])


def test_what_a_trace_may_have_is_counted_and_not_repaired() -> None:
    """Slices that overlap, begins and ends that lack each other: evidence all the same, and told with the recording."""
    own = {"pid": PID, "tid": TID, "cat": "blink"}
    found = trace(
        {**own, "name": "A", "ph": "X", "ts": 20, "dur": 10},
        {**own, "name": "B", "ph": "X", "ts": 25, "dur": 10},
        {**own, "name": "C", "ph": "E", "ts": 40},
        {**own, "name": "D", "ph": "B", "ts": 50},
    )
    assert reasons(found, context()) == []
    assert found.anomalies == {"open slices": 1, "overlapping slices": 1, "unmatched ends": 1}
    (a,), (b,), (d,) = found.by_name("A"), found.by_name("B"), found.by_name("D")
    assert (a.end, b.ts, b.parent, d.dur) == (30, 25, None, None)


def test_marks_of_the_page_count_as_markers() -> None:
    marks = [
        {
            "name": f"traceproof-{edge}",
            "ph": "I",
            "cat": "blink.user_timing",
            "ts": ts,
            "pid": PID,
            "tid": TID,
            "args": {},
        }
        for edge, ts in (("start", 1), ("end", 100))
    ]
    record = RecordSpec(("blink",), markers="page")
    assert reasons(trace(*marks, marked=False), context(), record=record) == []


def test_markers_are_not_asked_for_where_none_are_written() -> None:
    assert reasons(trace(marked=False), context(), record=RecordSpec(("blink",), markers="none")) == []


def test_a_change_of_process_that_is_meant_passes() -> None:
    moved = context(page=PageIdentity([FrameIdentity(PID, TID)], [77]))
    assert reasons(trace(), moved, changes_process=True) == []


def test_an_empty_trace_is_refused() -> None:
    assert len(reasons(from_events([]), context())) == 2


def test_the_recording_itself_tells_of_earlier_processes() -> None:
    def commit(pid: int, ts: int, frame: str = "F") -> dict[str, Any]:
        data = {"frame": frame, "url": "http://a.test/", "isMainFrame": True, "isOutermostMainFrame": True}
        event = {
            "name": "CommitLoad",
            "ph": "X",
            "dur": 1,
            "cat": "devtools.timeline",
            "ts": ts,
            "pid": pid,
            "tid": pid + 1,
        }
        return {**event, "args": {"data": data}}

    moved = page_of(trace(commit(77, 5), commit(PID, 9)), context())
    assert moved is not None
    assert moved.earlier_pids == [77]
    stayed = page_of(trace(commit(PID, 5), commit(PID, 9)), context())
    assert stayed == context().page
    elsewhere = page_of(trace(commit(77, 5, frame="G")), context())
    assert elsewhere == context().page
    assert msgspec.json.encode(moved)
