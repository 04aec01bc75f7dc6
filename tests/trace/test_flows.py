"""Flows: records and bind ids, and the slices at their ends."""

from __future__ import annotations

import pytest

from harness.trace import Trace
from tests.traces import COMPOSITOR, async_begin, async_end, event, flow, instant, make, slice

TASKS = [
    slice("post", ts=0, dur=10),
    slice("inner", ts=4, dur=2),
    slice("run", ts=20, dur=10, tid=COMPOSITOR),
    slice("later", ts=40, dur=5, tid=COMPOSITOR),
]


def arrows(trace: Trace) -> list[tuple[str, str]]:
    return [
        (flow.source_slice.name if flow.source_slice else "", flow.target_slice.name if flow.target_slice else "")
        for flow in trace.flows
    ]


def test_a_flow_joins_the_slices_that_enclose_its_records() -> None:
    trace = make([*TASKS, flow("s", ts=5), flow("f", ts=20, tid=COMPOSITOR)])
    (only,) = trace.flows
    assert arrows(trace) == [("inner", "run")]
    assert (only.name, only.id, only.source.ph, only.target.ph) == ("flow", "0x1", "s", "f")
    assert [each.kind for each in trace.events] == ["slice"] * 4 + ["flow"] * 2


def test_steps_make_an_arrow_each() -> None:
    trace = make([*TASKS, flow("s", ts=1), flow("t", ts=25, tid=COMPOSITOR), flow("f", ts=41, tid=COMPOSITOR)])
    assert arrows(trace) == [("post", "run"), ("run", "later")]


def test_an_end_without_bp_points_at_the_next_slice_of_its_thread() -> None:
    trace = make([*TASKS, flow("s", ts=1), flow("f", ts=12, tid=COMPOSITOR, bp="")])
    assert arrows(trace) == [("post", "run")]


def test_flows_outside_slices_have_none() -> None:
    assert arrows(make([*TASKS, flow("s", ts=15), flow("f", ts=16)])) == [("", "")]


@pytest.mark.parametrize("difference", [{"id": 2}, {"name": "other"}, {"cat": "other"}])
def test_flows_are_matched_by_name_category_and_id(difference: dict[str, object]) -> None:
    end = {**flow("f", ts=20, tid=COMPOSITOR), **difference}
    trace = make([*TASKS, flow("s", ts=1), end])
    assert trace.flows == []
    assert trace.anomalies == {"flows without a start": 1, "flows without an end": 1}


def test_an_id_can_be_used_again_when_its_flow_has_ended() -> None:
    again = [flow("s", ts=21, tid=COMPOSITOR), flow("f", ts=41, tid=COMPOSITOR)]
    trace = make([*TASKS, flow("s", ts=1), flow("f", ts=20, tid=COMPOSITOR), *again])
    assert arrows(trace) == [("post", "run"), ("run", "later")]


def test_a_bind_id_of_a_span_binds_as_that_of_a_slice() -> None:
    begun, ended = async_begin("span", ts=1, bind_id="0xA", flow_out=True), async_end("span", ts=5)
    (only,) = make([begun, ended, slice("b", ts=6, dur=2, bind_id="0xA", flow_in=True)]).flows
    assert (only.source.name, only.source_slice, only.target.name) == ("span", None, "b")


def test_bind_ids_join_the_slices_that_carry_them() -> None:
    out = {"bind_id": "0xA", "flow_out": True}
    both = {"bind_id": "0xa", "flow_in": True, "flow_out": True}
    last = {"bind_id": 10, "flow_in": True}
    trace = make(
        [
            slice("send", ts=0, dur=1, **out),
            slice("relay", ts=5, dur=1, pid=7, **both),
            event("point", "I", 9, s="t", **last),
            slice("host", ts=8, dur=3),
            slice("orphan", ts=20, dur=1, bind_id="0xb", flow_in=True),
        ]
    )
    assert arrows(trace) == [("send", "relay"), ("relay", "host")]
    assert [each.target.name for each in trace.flows] == ["relay", "point"]


def test_a_slice_of_no_length_in_a_chain_is_the_instant_that_its_start_is_named_after() -> None:
    trace = make(
        [
            slice("outer", ts=0, dur=10),
            slice("first", ts=1, dur=2),
            instant("second", ts=5),
            slice("third", ts=8, dur=1),
            flow("s", ts=1, name="first"),
            flow("f", ts=5, name="first"),
            flow("s", ts=5, name="second", id="0x2"),
            flow("f", ts=8, name="second", id="0x2"),
        ]
    )
    assert arrows(trace) == [("first", "second"), ("second", "third")]


def test_of_two_slices_that_begin_at_one_moment_the_names_tell() -> None:
    trace = make(
        [
            slice("before", ts=0, dur=1),
            slice("outer", ts=5, dur=10),
            slice("inner", ts=5, dur=3),
            flow("s", ts=0, name="before"),
            flow("f", ts=5, name="before"),
            flow("s", ts=5, name="outer", id="0x2"),
            flow("f", ts=5, name="outer", id="0x2"),
        ]
    )
    assert arrows(trace) == [("before", "outer"), ("outer", "inner")]


def test_an_instant_that_happens_to_lie_at_an_end_is_no_target() -> None:
    trace = make(
        [
            slice("left", ts=0, dur=1),
            slice("outer", ts=3, dur=9),
            instant("by chance", ts=5),
            flow("s", ts=0),
            flow("f", ts=5),
        ]
    )
    assert arrows(trace) == [("left", "outer")]


def test_at_the_end_of_a_chain_the_slice_whose_name_has_arrows_is_reached() -> None:
    trace = make(
        [
            slice("gate", ts=0, dur=1),
            slice("gate", ts=5, dur=10),
            slice("pump", ts=5, dur=9),
            flow("s", ts=0, name="gate"),
            flow("f", ts=5, name="gate"),
        ]
    )
    (only,) = trace.flows
    assert only.target_slice is not None and (only.target_slice.name, only.target_slice.dur) == ("gate", 10)
