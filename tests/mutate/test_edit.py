"""Single changes to a recording that the forms' own tests do not reach."""

from __future__ import annotations

import pytest

from harness.mutate.edit import Impossible, put, put_in_each
from harness.mutate.subject import Member
from harness.mutate.tape import read
from harness.mutate.values import MISSING
from harness.trace import Trace, from_events
from harness.trace.context import RecordingContext
from tests import traces


def changed(trace: Trace, scope: str) -> Trace:
    event = trace.events[0]
    tape = put(read(trace, RecordingContext()), Member(("event", 0), "event", 0, event), "scope", scope)
    return tape.recording().trace


def test_the_scope_of_an_instant_can_be_changed() -> None:
    assert changed(from_events([traces.instant("A", ts=10)]), "p").events[0].scope == "p"


def test_a_slice_has_no_scope_to_change() -> None:
    with pytest.raises(Impossible):
        changed(from_events([traces.slice("A", ts=10, dur=5)]), "p")


def test_many_are_changed_as_one_by_one() -> None:
    trace = from_events([traces.slice("A", ts=ts, dur=5) for ts in (10, 20, 30)])
    tape = read(trace, RecordingContext())
    members = [Member(("main", 0), "event", index, event) for index, event in enumerate(trace.events)]
    for path, values in (("dur", [7.0, 8.0, 9.0]), ("args.n", [1, 2, 3]), ("parent", [None] * 3)):
        one_by_one = tape
        for member, value in zip(members, values, strict=True):
            one_by_one = put(one_by_one, member, path, value, trace)
        assert put_in_each(tape, members, path, values, trace) == one_by_one


def test_a_category_is_not_retyped() -> None:
    trace = from_events([traces.slice("A", ts=10, dur=5)])
    with pytest.raises(Impossible):
        put(read(trace, RecordingContext()), Member(("main", 0), "event", 0, trace.events[0]), "cat", ["rail"], trace)


@pytest.mark.parametrize("value", ["{}", MISSING])
def test_no_arguments_are_neither_retyped_nor_taken_away(value: object) -> None:
    trace = from_events([traces.slice("A", ts=10, dur=5)])
    with pytest.raises(Impossible):
        put(read(trace, RecordingContext()), Member(("main", 0), "event", 0, trace.events[0]), "args", value, trace)
