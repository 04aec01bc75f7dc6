"""What expectations are tested on: traces with what is known of their making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.trace import Trace
from harness.trace.context import RecordingContext


@dataclass(frozen=True, slots=True)
class Recording:
    """The trace of one arm in one block, and its context."""

    trace: Trace
    context: RecordingContext


Recordings = Mapping[str, Sequence[Recording]]  # arm: one recording for each block, in order


class Unanswerable(Exception):
    """The recording cannot say: a mark never passed, a value never returned, no page found. The finding is INVALID."""


class NotShown(Exception):
    """The events are not of the shape that the test needs, so it is not met. The finding is UNMET."""
