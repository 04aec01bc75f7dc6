"""What a mutant is, and what its expectation must answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.mutate.subject import Edits


class Must(StrEnum):
    """What is asked of the expectation on a mutant."""

    KILL = "must kill"  # the mutant contradicts what the expectation says
    SURVIVE = "must survive"  # it changes nothing that the expectation speaks of
    REFUSE = "must refuse"  # its control is broken: anything but met
    EITHER = "may kill"  # a near miss that may or may not contradict it


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to one arm of an attempt.

    operator: the way of changing. kind: which part of the claim a contradiction contradicts (`count: one fewer`).
    absent: the contradiction is that nothing is there any more, so an emptied selection is what it is about.
    """

    operator: str
    must: Must
    what: str
    edits: Edits
    kind: str = ""
    absent: bool = False
