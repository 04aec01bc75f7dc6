"""What is put in order on disk is what is put in order in memory, and a disk that has no room is told."""

from __future__ import annotations

import resource
import sys
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import TraceFileError
from harness.trace import load, runs
from harness.trace.reader import TraceStream
from harness.trace.runs import SortedRuns
from tests.trace.packets import PROCESS, THREAD, Writer, annotated
from tests.traces import PAGE

SPAN = 7
RECORDING = Path(__file__).parent / "recordings" / "chromium-156.pftrace.gz"


@given(st.lists(st.integers(0, 5)), st.integers(0, 8), st.integers(1, 4))
def test_rows_of_one_key_come_as_they_were_added(keys: list[int], held: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "HELD", held)
        patch.setattr(runs, "_BLOCK", block)
        rows = SortedRuns[tuple[int, int]](itemgetter(0), tuple, tuple)
        for place, key in enumerate(keys):
            rows.add((key, place), 1)
        found = list(rows)
    assert sorted(found) == found and len(found) == len(keys)
    assert all(one < next_ for one, next_ in pairwise(found))


@pytest.mark.parametrize("held", [0, 3000])
def test_what_is_sorted_on_disk_is_what_is_sorted_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    path = everything().save(tmp_path / "trace.pftrace.gz")
    in_memory = told(path)
    monkeypatch.setattr(runs, "HELD", held)
    monkeypatch.setattr(runs, "_BLOCK", 2)
    assert told(path) == in_memory


def test_no_room_to_sort_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = everything().save(tmp_path / "trace.pftrace.gz")

    def full(**kwargs: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(runs, "HELD", 0)
    monkeypatch.setattr(runs.tempfile, "TemporaryFile", full)
    with pytest.raises(TraceFileError) as refused:
        load(path)
    (problem,) = refused.value.problems
    assert (problem.message, "TMPDIR" in problem.remedy) == ("too large to be held, and it cannot be put on disk", True)


def test_no_folder_for_temporary_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk so full that `tempfile` finds none: it tries each by writing to it."""
    path = everything().save(tmp_path / "trace.pftrace.gz")
    monkeypatch.setattr(runs, "HELD", 0)
    monkeypatch.setattr(runs.tempfile, "tempdir", None)
    monkeypatch.setattr(runs.tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    with pytest.raises(TraceFileError) as refused:
        load(path)
    assert "No usable temporary directory found" in refused.value.problems[0].found


def test_a_disk_that_is_full_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file still holds is written when it is closed; that this fails as well is no news."""
    said, told = list[Any](), ""
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    monkeypatch.setattr(runs, "HELD", 10_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        load(RECORDING)
    except TraceFileError as error:  # `pytest.raises` would keep the file open by the frames of the error
        told = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be put on disk" in told and said == []


def told(path: Path) -> Any:
    """All of a trace: its records as JSON has them, and what is said beside them."""
    stream = TraceStream(path)
    records = [msgspec.json.encode(event) for chunk in stream for event in chunk]
    assert len(records) > 40
    return records, bytes(stream.metadata), stream.anomalies


def everything() -> Writer:
    """Slices, spans, points, counters, flows, marks and samples with arguments, in two rounds and not in order."""
    writer = Writer().track(SPAN, parent_uuid=THREAD, name="pipeline")
    writer.track(8, parent_uuid=PROCESS, name="Memory", counter={"unit_multiplier": 1024})
    for at in (1000, 0):
        writer.clear()
        writer.begin("RunTask", at=at, cpu=5, flow_ids=[9], **annotated(a={"int_value": 1}))
        writer.begin("Frame", at=at + 5, track_uuid=SPAN, **annotated(n={"int_value": 1}))
        writer.begin("Layout", at=at + 10, cpu=6, flow_ids=[9, 10], **annotated(x={"uint_value": 2**64 - 1}))
        writer.event("counter", at=at + 11, track_uuid=8, counter_value=at)
        writer.end(at=at + 12, cpu=8, terminating_flow_ids=[9], **annotated(b={"double_value": 0.5}))
        writer.instant("Mark", at=at + 12, track_uuid=PROCESS, flow_ids=[10])
        writer.event("", "firstPaint", at=at + 12, legacy_event={"phase": ord("R")})
        whole = {"phase": ord("X"), "duration_us": 3, "bind_id": 77, "flow_direction": 2, "tid_override": PAGE + 1}
        writer.event("", "Old", at=at + 12, legacy_event=whole, track_uuid=0)
        span = {"phase": ord("n"), "global_id": 31, "id_scope": "s"}
        writer.event("", "OldSpan", at=at + 12, legacy_event=span)
        writer.end(at=at + 15, track_uuid=SPAN).end(at=at + 20, cpu=20).end(at=at + 21)
        writer.begin("Point", at=at + 22, track_uuid=SPAN).end(at=at + 22, track_uuid=SPAN)
        for n in range(10):
            writer.begin("Task", at=at + 30 + n, flow_ids=[11 + n % 2]).end(at=at + 30 + n + n % 2)
        writer.begin("NeverEnds", at=at + 60)
    return writer
