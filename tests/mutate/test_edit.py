"""Single changes to a recording that the forms' own tests do not reach."""

from __future__ import annotations

import pytest

from harness.mutate.edit import Impossible, put
from harness.mutate.subject import Member
from harness.mutate.tape import read
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
