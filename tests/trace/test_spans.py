"""Async spans: pairing by category and id, ids that repeat across processes, the phases of old."""

from __future__ import annotations

from tests.traces import async_begin, async_end, event, instant, make


def spans(*events: dict[str, object]) -> list[tuple[str, float, float | None]]:
    return [(each.name, each.ts, each.dur) for each in make(events).events]


def test_a_begin_and_its_end_are_one_event_with_the_arguments_of_the_begin() -> None:
    trace = make([async_begin("load", ts=2, args={"url": "u"}), async_end("load", ts=9, tid=7)])
    (span,) = trace.events
    assert (span.kind, span.ph, span.dur, span.end, span.open, span.id) == ("async", "b", 7, 9, False, "0x1")
    assert span.args == {"url": "u"}
    assert (span.tid, span.parent) == (100, None)


def test_tracks_are_kept_apart_by_category_id_and_scope() -> None:
    assert spans(
        async_begin("a", ts=0, cat="x"),
        async_begin("a", ts=1, cat="y"),
        async_begin("a", ts=2, cat="x", id="0x2"),
        async_begin("a", ts=3, cat="x", scope="s"),
        async_end("a", ts=10, cat="y"),
        async_end("a", ts=20, cat="x"),
        async_end("a", ts=30, cat="x", scope="s"),
        async_end("a", ts=40, cat="x", id=2),
    ) == [("a", 0, 20), ("a", 1, 9), ("a", 2, 38), ("a", 3, 27)]


def test_spans_of_one_track_nest() -> None:
    assert spans(
        async_begin("frame", ts=0),
        async_begin("render", ts=1),
        async_end("render", ts=2),
        async_begin("render", ts=3),
        async_end("", ts=5),
        async_end("frame", ts=6),
    ) == [("frame", 0, 6), ("render", 1, 1), ("render", 3, 2)]


def test_local_ids_of_two_processes_are_two_tracks_and_global_ones_are_one() -> None:
    local = [
        event("a", "b", 0, pid=1, id2={"local": "0x5"}),
        event("a", "b", 1, pid=2, id2={"local": "0x5"}),
        event("a", "e", 5, pid=1, id2={"local": "0x5"}),
    ]
    trace = make(local)
    assert [(each.id, each.dur, each.open) for each in trace.events] == [("0x5@1", 5, False), ("0x5@2", None, True)]
    assert spans(
        event("a", "b", 0, pid=1, id2={"global": "0x5"}), event("a", "e", 3, pid=2, id2={"global": "0x5"})
    ) == [("a", 0, 3)]


def test_an_unscoped_id_that_repeats_across_processes_ends_in_its_own() -> None:
    trace = make(
        [
            async_begin("a", ts=0, pid=1),
            async_begin("a", ts=1, pid=2),
            async_end("a", ts=4, pid=1),
            async_end("a", ts=9, pid=2),
        ]
    )
    assert [(each.pid, each.dur) for each in trace.events] == [(1, 4), (2, 8)]


def test_spans_that_never_end_and_ends_that_nothing_began() -> None:
    trace = make([async_begin("a", ts=1), async_end("b", ts=2), async_end("a", ts=3, id="0x9"), instant("last", ts=8)])
    (span, _) = trace.events
    assert (span.open, span.dur, span.end) == (True, None, 8)
    assert trace.anomalies == {"open spans": 1, "unmatched async ends": 2}


def test_points_on_a_track_are_events_of_their_own() -> None:
    trace = make([async_begin("a", ts=0), event("p", "n", 1, id="0x1"), async_end("a", ts=2)])
    assert [(each.name, each.kind, each.dur, each.end) for each in trace.events] == [
        ("a", "async", 2, 2),
        ("p", "async", None, 1),
    ]


def test_the_async_phases_of_old_go_by_name_too() -> None:
    trace = make(
        [
            event("a", "S", 0, id="0x1"),
            event("b", "S", 1, id="0x1"),
            event("a", "T", 2, id="0x1", args={"step": "x"}),
            event("a", "p", 3, id="0x1"),
            event("a", "F", 4, id="0x1"),
            event("b", "F", 9, id="0x1"),
        ]
    )
    assert [(each.name, each.ph, each.dur) for each in trace.events] == [
        ("a", "S", 4),
        ("b", "S", 8),
        ("a", "T", None),
        ("a", "p", None),
    ]


def test_phases_that_are_neither_slices_nor_spans() -> None:
    phases = {"C": "counter", "M": "metadata", "N": "object", "O": "object", "D": "object", "P": "sample"}
    phases |= {"c": "metadata", "R": "instant", "i": "instant", "v": "object"}
    trace = make(event(ph, ph, 1, id="0x1") for ph in phases)
    assert {each.name: each.kind for each in trace.events} == phases
