"""What a form answers, and where it looks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from harness.events import EventView, Measure
from harness.expect.select import Picker, Population, same_recording
from harness.scenario.model import Place, Ref


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a form's references are looked up: unqualified ones in `picker`'s arm, others in its siblings."""

    picker: Picker
    at: Place  # of the expectation
    arms: Collection[str]  # of the scenario, recorded or not

    def population(self, ref: Ref) -> Population:
        return self.picker.refer(ref)

    def same_recording(self, ref: Ref, as_of: Population) -> Population:
        """A population that is compared with another one by place in the tree or by time."""
        found = self.population(ref)
        same_recording(found, as_of.picker, ref.at)
        return found


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of one form in one arm and block.

    absences: selections that were empty and whose emptiness is all that the test rests on. Such a result is evidence
    only beside a control that was met.
    measures: the number that is tested, then what it is made of. too_close: its interval has both what passes and what
    does not, so neither answer can be relied on.
    """

    met: bool
    summary: str
    details: list[str] = field(default_factory=list)
    population: int = 0
    matched: list[EventView] = field(default_factory=list)
    misses: list[EventView] = field(default_factory=list)
    absences: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    too_close: bool = False
