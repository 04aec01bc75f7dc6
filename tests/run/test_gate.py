"""Each rule of the validity gate refuses what it is there for, and says why; a sound recording passes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.run.gate import invalid_reasons
from harness.run.page import page_of
from harness.scenario.model import MAIN, RecordSpec
from harness.trace import Trace, from_events
from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext
from tests.run.cases import PID, TID, case, context, trace


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
