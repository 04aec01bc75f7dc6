"""Of a trace only some events: each is to the last field what it is in the whole model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.trace import Event, Trace, load, rows, runs
from harness.trace.outline import Bare
from harness.trace.sift import NotKept, Sifted, Wanted, sift
from tests.traces import async_begin, async_end, begin, end, event, instant, mark, names, slice, write_trace

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.gz"))
OF_FLOWS = ("flows without a start", "flows without an end")
OF_ASYNC = ("open spans", "unmatched async ends")


def told(trace: Trace, item: Event) -> tuple[Any, ...]:
    fields = [getattr(item, name) for name in Event.__struct_fields__ if name not in ("parent", "raw_args", "decoded")]
    above = [(one.seq, one.name, one.ts) for one in item.ancestors()]
    return (*fields, item.args, above, trace.self_time(item))


def same(whole: Trace, path: Path, wanted: Wanted, without: tuple[str, ...] = OF_FLOWS) -> None:
    sifted = sift(path, wanted)
    asked = [one for one in whole.events if one.name in wanted or one.kind == "metadata"]
    assert [told(sifted, one) for one in sifted.events] == [told(whole, one) for one in asked]
    for field in ("threads", "processes", "start_ts", "end_ts", "last_ts_by_process", "size", "names", "metadata"):
        assert getattr(sifted, field) == getattr(whole, field), field
    assert set(sifted.writers) == set(whole.writers)
    counts = ({kind: n for kind, n in one.anomalies.items() if kind not in without} for one in (sifted, whole))
    assert next(counts) == next(counts)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_recordings_of_chrome(path: Path) -> None:
    whole = load(path)
    every = sorted(whole.names)
    for wanted in (every[::3], every[1::7], ["Layout", "RunTask"], [], every):
        same(whole, path, Wanted(frozenset(wanted)))
    same(whole, path, Wanted(frozenset(), (re.compile("Layout|Task"),)))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_slices_in_a_file_and_packets_in_runs_of_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = load(path)
    monkeypatch.setattr(runs, "HELD", 10_000)
    monkeypatch.setattr(rows, "_AT_ONCE", 3)
    same(whole, path, Wanted(frozenset(sorted(whole.names)[::3])))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_what_only_holds_others_keeps_its_place(path: Path) -> None:
    whole, wanted = load(path), frozenset(["RunTask", "FunctionCall", "v8.callFunction", "ParseHTML", "Layout"])
    sifted = sift(path, Wanted(wanted, bare=wanted - {"Layout"}))
    asked = [one for one in whole.events if one.name in wanted or one.kind == "metadata"]
    assert len(asked) > 10 and any(isinstance(one, Bare) for one in sifted.events)
    for found, one in zip(sifted.events, asked, strict=True):
        for field in ("seq", "kind", "thread", "pid", "tid", "name", "cat", "ph", "ts", "dur", "end", "open", "depth"):
            assert getattr(found, field) == getattr(one, field), field
        above = [[(one.seq, one.name, one.ts) for one in each.ancestors()] for each in (found, one)]
        assert above[0] == above[1]
        assert sifted.self_time(found) == whole.self_time(one)


places = st.integers(0, 12)
letters = st.sampled_from(["A", "B", "C", ""])
others = st.one_of(
    st.builds(lambda n, t, d, k: slice(n, ts=t, dur=d, tid=k), letters, places, places, st.sampled_from([100, 101])),
    st.builds(lambda n, t: begin(n, ts=t, args={"b": t}), letters, places),
    st.builds(lambda n, t: end(n, ts=t, args={"e": t}), letters, places),
    st.builds(lambda n, t, s: instant(n, ts=t, scope=s), letters, places, st.sampled_from(["t", "p", "g"])),
    st.builds(lambda n, t: mark(n, ts=t), letters, places),
    st.builds(lambda n, t: event(n, "C", t), letters, places),
    st.builds(lambda n, t, i: async_begin(n, ts=t, id=i), letters, places, st.sampled_from([1, 2])),
    st.builds(
        lambda n, t, i: async_end(n, ts=t, id=i), st.sampled_from(["A", "B", "C"]), places, st.sampled_from([1, 2])
    ),
    st.builds(lambda n, t, p: event(n, p, t, id=1), letters, places, st.sampled_from(["s", "f", "N", "P"])),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(st.lists(others, max_size=25), st.sets(letters), st.sampled_from([1, 2, 100]))
def test_any_events(tmp_path: Path, events: list[Any], wanted: set[str], at_once: int) -> None:
    path = write_trace(tmp_path / "t.json", [*names(), *events])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_AT_ONCE", at_once)
        same(load(path), path, Wanted(frozenset(wanted)), (*OF_FLOWS, *OF_ASYNC))


def test_arguments_are_held_as_bytes_alone(tmp_path: Path) -> None:
    trace = sift(
        write_trace(tmp_path / "t.json", [slice("Paint", ts=4, dur=1, args={"a": 1})]), Wanted(frozenset(["Paint"]))
    )
    (paint,) = trace.by_name("Paint")
    assert paint.args == {"a": 1} and paint.args is not paint.args


def test_what_was_not_asked_for_is_no_empty_answer(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.json", [slice("Layout", ts=1, dur=2), slice("Paint", ts=4, dur=1)])
    trace = sift(path, Wanted(frozenset(["Paint", "Absent"])))
    assert [one.name for one in trace.by_name("Paint")] == ["Paint"]
    assert trace.by_name("Absent") == []
    with pytest.raises(NotKept):
        trace.by_name("Layout")
    with pytest.raises(NotKept):
        trace.on_thread((100, 100))
    with pytest.raises(NotKept):
        _ = trace.flows
    with pytest.raises(NotKept):
        trace.every()
    with pytest.raises(NotKept):
        trace.every("Lay")
    assert sift(path, Wanted(frozenset(), (re.compile("Lay"),))).every("Lay")[0].name == "Layout"


def test_arguments_that_are_not_held_cannot_be_looked_at(tmp_path: Path) -> None:
    events = [begin("a", ts=1, args={"x": 1}), slice("b", ts=2, dur=1, args={"y": 2}), end("a", ts=4, args={"z": 3})]
    trace = sift(write_trace(tmp_path / "t.json", events), Wanted(frozenset(["a", "b"]), bare=frozenset(["a"])))
    outer, inner = trace.events
    assert (outer.dur, inner.parent, inner.args) == (3, outer, {"y": 2})
    with pytest.raises(ValueError, match="Expecting value"):
        _ = outer.args


def test_a_file_that_needs_all_of_its_events_is_read_whole(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.json", [async_begin("a", ts=1), async_end("", ts=2), async_begin("b", ts=3)])
    assert not isinstance(sift(path, Wanted(frozenset(["b"]))), Sifted)
