"""Events one by one with their ends merged: each is what it is in the whole model, but for its place in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.trace import Event, load
from harness.trace.halves import Disorder
from harness.trace.merged import MergedEvents
from tests.trace.test_sift import RECORDINGS, others
from tests.traces import begin, end, names, write_trace

OF_THE_TREE = ("parent", "depth", "raw_args", "decoded", "open", "end")


def told(events: Iterable[Event]) -> list[Any]:
    fields = [name for name in Event.__struct_fields__ if name not in OF_THE_TREE]
    rows = ([*(getattr(one, name) for name in fields), one.args] for one in events)
    return sorted(rows, key=lambda row: row[0])


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_recordings_of_chrome(path: Path) -> None:
    events, whole = MergedEvents(path), load(path)
    assert told(events) == told(whole.events)
    assert events.metadata == whole.metadata


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(st.lists(others, max_size=25))
def test_any_events(tmp_path: Path, events: list[Any]) -> None:
    ordered = sorted(events, key=lambda one: one["ts"])
    path = write_trace(tmp_path / "t.json", [*names(), *ordered])
    assert told(MergedEvents(path)) == told(load(path).events)
    path = write_trace(tmp_path / "t.json", [*names(), *events])
    try:
        found = told(MergedEvents(path))
    except Disorder:
        return
    assert found == told(load(path).events)


def test_halves_out_of_order_are_refused(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.json", [begin("A", ts=5), end("A", ts=9), begin("A", ts=3), end("A", ts=7)])
    with pytest.raises(Disorder):
        list(MergedEvents(path))
