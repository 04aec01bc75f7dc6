"""What mutation testing found: counts for each expectation, and the mutants that did not do what they must."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.mutate.mutant import Must
from harness.mutate.subject import Edits
from harness.verdict import Outcome


@dataclass
class Tally:
    """`emptied`: unmet only because nothing was left to look at, which is no kill. `invalid`: no answer.

    `left`: of contradictions, met because the event is no longer selected.
    """

    killed: int = 0
    total: int = 0
    emptied: int = 0
    invalid: int = 0
    left: int = 0

    @property
    def survived(self) -> int:
        return self.total - self.killed - self.emptied - self.invalid - self.left

    def as_json(self) -> dict[str, int]:
        return {
            "killed": self.killed,
            "total": self.total,
            "survived": self.survived,
            "emptied": self.emptied,
            "invalid": self.invalid,
            "left": self.left,
        }


@dataclass
class Odd:
    """A mutant that survived, or a neutral one that did not. `file`: where it was written to be looked at."""

    operator: str
    must: Must
    what: str
    edits: Edits
    kind: str = ""
    file: str = ""


@dataclass
class Mutations:
    """One expectation. `faults`: why it is not to be relied on.

    outcome: on the recordings as they are. unusable: why it could not be mutated. refuted: it is not met, as
    the baseline expects (told by who knows the baseline).
    """

    index: int
    form: str
    claims: list[str]
    place: str
    text: str
    outcome: Outcome = Outcome.MET
    unusable: str = ""
    refuted: bool = False
    operators: dict[str, Tally] = field(default_factory=dict)
    kinds: dict[str, Tally] = field(default_factory=dict)  # of contradictions
    neutral: Tally = field(default_factory=Tally)
    controls: Tally = field(default_factory=Tally)
    blind: Tally = field(default_factory=Tally)  # of a query: nothing left of what it reads
    unseen: list[str] = field(default_factory=list)  # names and paths that it speaks of and nothing has, with places
    odd: list[Odd] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    tapes: Edits = field(default_factory=dict)  # the recordings that were mutated, reduced to what it looks at

    @property
    def killed(self) -> int:
        return sum(tally.killed for tally in self.operators.values())

    @property
    def total(self) -> int:
        return sum(tally.total for tally in self.operators.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "form": self.form,
            "claims": self.claims,
            "place": self.place,
            "text": self.text,
            "outcome": str(self.outcome),
            "unusable": self.unusable,
            "refuted_as_expected": self.refuted,
            "killed": self.killed,
            "total": self.total,
            "operators": {name: tally.as_json() for name, tally in self.operators.items()},
            "contradictions": {name: tally.as_json() for name, tally in self.kinds.items()},
            "neutral": {"survived": self.neutral.total - self.neutral.killed, "total": self.neutral.total},
            "blind": {"refused": self.blind.killed, "total": self.blind.total},
            "unseen": self.unseen,
            "faults": self.faults,
            "odd": [
                {"operator": odd.operator, "must": odd.must, "what": odd.what, "kind": odd.kind, "file": odd.file}
                for odd in self.odd
            ],
        }


@dataclass
class CaseMutations:
    """One case on the recordings of one attempt."""

    scenario: str
    cell: str
    place: str
    expectations: list[Mutations]
    source: str = ""  # the folder of the attempt

    @property
    def name(self) -> str:
        return f"{self.scenario}[{self.cell}]" if self.cell else self.scenario

    @property
    def examined(self) -> list[Mutations]:
        return [one for one in self.expectations if not one.unusable]

    @property
    def unexplained(self) -> list[Mutations]:
        """Not examined, and no baseline says why."""
        return [one for one in self.expectations if one.unusable and not one.refuted]

    @property
    def faulty(self) -> list[Mutations]:
        return [one for one in self.expectations if one.faults]

    def as_json(self) -> dict[str, Any]:
        return {
            "scenario": self.scenario,
            "cell": self.cell,
            "recordings": self.source,
            "killed": sum(one.killed for one in self.expectations),
            "total": sum(one.total for one in self.expectations),
            "faults": sum(len(one.faults) for one in self.expectations),
            "expectations": [one.as_json() for one in self.expectations],
        }
