"""Slices: pairs, nesting, points at the edges, overlaps, open ends, self time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.trace import Event, Trace
from tests.traces import Json, begin, end, instant, make, slice


def one(trace: Trace, name: str) -> Event:
    (event,) = trace.by_name(name)
    return event


def parents(trace: Trace) -> dict[str, str]:
    return {event.name: event.parent.name if event.parent else "" for event in trace.events}


def test_slices_nest_by_time_whatever_their_order_in_the_file() -> None:
    trace = make([slice("c", ts=4, dur=2), slice("a", ts=0, dur=10), slice("b", ts=3, dur=4), slice("d", ts=8, dur=1)])
    assert parents(trace) == {"a": "", "b": "a", "c": "b", "d": "a"}
    assert [one(trace, name).depth for name in "abcd"] == [0, 1, 2, 1]
    assert [holder.name for holder in one(trace, "c").ancestors()] == ["b", "a"]
    assert [event.name for event in trace.events] == ["c", "a", "b", "d"]  # file order


def test_threads_do_not_hold_each_other() -> None:
    trace = make([slice("a", ts=0, dur=10), slice("b", ts=2, dur=2, tid=7)])
    assert one(trace, "b").parent is None


def test_of_two_slices_with_the_same_edges_the_first_in_the_file_holds_the_other() -> None:
    trace = make([slice("outer", ts=5, dur=5), slice("inner", ts=5, dur=5)])
    assert parents(trace) == {"outer": "", "inner": "outer"}


def test_a_slice_that_starts_where_another_ends_is_its_sibling() -> None:
    trace = make([slice("a", ts=0, dur=5), slice("b", ts=5, dur=5)])
    assert parents(trace) == {"a": "", "b": ""}
    assert not trace.anomalies


def test_a_point_on_the_edge_belongs_to_the_slice_before_it_in_the_file() -> None:
    trace = make([slice("a", ts=0, dur=5), instant("x", ts=5), slice("b", ts=5, dur=5), instant("y", ts=5)])
    assert parents(trace) == {"a": "", "x": "a", "b": "", "y": "b"}


def test_a_point_behind_the_end_record_is_outside_even_at_the_same_microsecond() -> None:
    trace = make([begin("a", ts=0), instant("in", ts=5), end("a", ts=5), instant("out", ts=5)])
    assert parents(trace) == {"a": "", "in": "a", "out": ""}


def test_begin_and_end_become_one_slice_with_the_arguments_of_both() -> None:
    events = [
        begin("ParseHTML", ts=1, tts=10, args={"beginData": {"startLine": 0}}),
        end("ParseHTML", ts=9, tts=15, args={"endData": {"endLine": 7}}),
    ]
    trace = make(events)
    (event,) = trace.events
    assert (event.kind, event.ph, event.dur, event.end, event.tdur, event.open) == ("slice", "B", 8, 9, 5, False)
    assert event.args == {"beginData": {"startLine": 0}, "endData": {"endLine": 7}}


def test_an_end_takes_the_innermost_begin_of_its_name() -> None:
    trace = make([begin("a", ts=0), begin("a", ts=1), end("a", ts=2), end("a", ts=5)])
    assert [(event.ts, event.dur) for event in trace.events] == [(0, 5), (1, 1)]
    assert trace.events[1].parent is trace.events[0]


def test_an_end_without_a_name_ends_the_innermost_slice() -> None:
    trace = make([begin("a", ts=0), begin("b", ts=1), end("", ts=2), end("a", ts=5)])
    assert one(trace, "b").dur == 1


def test_pairs_that_interleave_are_counted_and_keep_their_own_times() -> None:
    # RunMicrotasks and V8.RunMicrotasks of Chrome 74 do this.
    trace = make([slice("t", ts=0, dur=20), begin("a", ts=1), begin("b", ts=3), end("a", ts=8), end("b", ts=9)])
    assert (one(trace, "a").dur, one(trace, "b").dur) == (7, 6)
    assert parents(trace) == {"t": "", "a": "t", "b": "t"}
    assert trace.anomalies == {"overlapping slices": 1}


@pytest.mark.parametrize(
    ("inner", "parent"),
    [
        (slice("b", ts=6, dur=5), "a"),  # 6.0 to 11.9 of 1.9 to 11.9 in truth
        (slice("b", ts=6, dur=6), ""),
        (slice("b", ts=10, dur=1), ""),  # begins as the other ends
        (slice("b", ts=9.5, dur=1.5), ""),  # not cut
    ],
)
def test_a_microsecond_may_be_cut_off_the_end_of_the_slice_around(inner: Json, parent: str) -> None:
    trace = make([slice("a", ts=1, dur=9), inner])
    assert parents(trace) == {"a": "", "b": parent}
    assert trace.self_time(one(trace, "a")) == (5 if parent else 9)


def test_no_more_than_a_microsecond_is_cut_off_however_deep() -> None:
    """Each ends 1 us after the one before: two of them may, more overlap in truth."""
    trace = make([slice("a", ts=1, dur=9), slice("b", ts=5, dur=6), slice("c", ts=6, dur=6), slice("d", ts=6, dur=5)])
    assert parents(trace) == {"a": "", "b": "a", "c": "", "d": "c"}
    assert trace.anomalies == {"overlapping slices": 1}


def test_a_slice_that_is_cut_may_hold_another_as_late() -> None:
    trace = make([slice("z", ts=0, dur=20), slice("a", ts=1, dur=9), slice("b", ts=5, dur=6), slice("c", ts=6, dur=5)])
    assert parents(trace) == {"z": "", "a": "z", "b": "a", "c": "b"}


def test_begins_and_ends_are_cut_alike_and_lose_nothing() -> None:
    trace = make([begin("a", ts=1), begin("b", ts=6), end("a", ts=10), end("b", ts=11)])
    assert parents(trace) == {"a": "", "b": ""}
    assert trace.anomalies == {"overlapping slices": 1}


def test_ends_that_nothing_began_are_counted_and_are_no_events() -> None:
    trace = make([slice("a", ts=0, dur=5), end("b", ts=3)])
    assert [event.name for event in trace.events] == ["a"]
    assert trace.anomalies == {"unmatched ends": 1}


def test_a_lone_begin_runs_to_the_end_of_the_trace_with_no_duration() -> None:
    trace = make(
        [begin("task", ts=1), begin("inner", ts=2), slice("done", ts=3, dur=4), slice("far", ts=9, dur=1, tid=7)]
    )
    task = one(trace, "task")
    assert (task.open, task.dur, task.end) == (True, None, 10)
    assert parents(trace) == {"task": "", "inner": "task", "done": "inner", "far": ""}
    assert trace.anomalies == {"open slices": 2}


def test_a_complete_slice_without_a_duration_is_open_too() -> None:
    unfinished = {key: value for key, value in slice("RunTask", ts=2, dur=0).items() if key != "dur"}
    trace = make([unfinished, instant("last", ts=6)])  # as 74 wrote the tasks that were running at the end
    assert (one(trace, "RunTask").open, one(trace, "RunTask").end) == (True, 6)


def test_zero_length_slices_written_as_instants_stay_instants_with_a_parent() -> None:
    trace = make([slice("Layout", ts=0, dur=4), instant("UpdateLayer", ts=2)])
    event = one(trace, "UpdateLayer")
    assert (event.kind, event.dur, event.end, event.parent) == ("instant", None, 2, one(trace, "Layout"))


def test_instants_of_a_process_or_the_whole_trace_have_no_parent() -> None:
    trace = make([slice("a", ts=0, dur=9), instant("p", ts=2, scope="p"), instant("g", ts=3, scope="g")])
    assert parents(trace) == {"a": "", "p": "", "g": ""}


def test_a_chain_of_begins_that_lost_their_ends_is_cut_before_it_could_crash_the_interpreter() -> None:
    trace = make([*(begin("a", ts=ts) for ts in range(60_000)), instant("last", ts=60_000)])
    last = one(trace, "last")
    assert last.depth == 5000
    assert trace.anomalies == {"open slices": 60_000, "slices nested too deep": 55_000}
    del trace, last


def test_self_time_counts_children_once_even_where_they_overlap() -> None:
    events = [slice("a", ts=0, dur=20), slice("b", ts=2, dur=6), slice("c", ts=5, dur=5), slice("d", ts=3, dur=1)]
    trace = make(events)
    assert trace.self_time(one(trace, "a")) == 12
    assert trace.self_time(one(trace, "b")) == 5
    assert trace.self_time(one(trace, "d")) == 1


tracks = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.sampled_from("XI")), max_size=25)


@given(tracks)
def test_a_parent_always_holds_its_children_and_stands_before_them(track: list[tuple[int, int, str]]) -> None:
    trace = make(slice("x", ts=ts, dur=dur) if ph == "X" else instant("x", ts=ts) for ts, dur, ph in track)
    overlaps = 0
    for event in trace.events:
        if (parent := event.parent) is not None:
            late = event.end - parent.end
            assert parent.kind == "slice" and parent.ts <= event.ts
            assert late <= 0 or (late == 1 and event.ts < parent.end and event.kind == "slice")
            assert all(event.end - above.end <= 1 for above in event.ancestors())
            assert (parent.ts, parent.seq) < (event.ts, event.seq)
            assert event.depth == parent.depth + 1
        for other in trace.events if event.kind == "slice" else ():
            overlaps += other.kind == "slice" and other.ts < event.ts < other.end < event.end - 1
    assert overlaps == 0 or trace.anomalies.get("overlapping slices")


@given(tracks)
def test_equal_times_keep_the_order_of_the_file(track: list[tuple[int, int, str]]) -> None:
    trace = make(slice("x", ts=ts, dur=dur) if ph == "X" else instant("x", ts=ts) for ts, dur, ph in track)
    ordered = trace.on_thread((100, 100))
    assert [event.seq for event in trace.events] == sorted(event.seq for event in trace.events)
    assert [(event.ts, event.seq) for event in ordered] == sorted((event.ts, event.seq) for event in trace.events)


@given(st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=4), max_leaves=20))
def test_pairs_written_in_order_nest_as_they_were_written(tree: list[object]) -> None:
    """Even when every event falls on the same microsecond: B and E tell what time cannot."""
    events, expected = [], []

    def walk(node: list[object], above: list[int]) -> None:
        number = len(expected)
        expected.append(list(above))
        events.append(begin(f"n{number}", ts=5))
        for child in node:
            walk(child, [number, *above])  # type: ignore[arg-type]
        events.append(end(f"n{number}", ts=5))

    walk(tree, [])
    trace = make(events)
    assert [[int(holder.name[1:]) for holder in event.ancestors()] for event in trace.events] == expected
