"""What a report shows beside the records of the ledgers: whoever makes these has read the files."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.events import CaseResult, RunResult
from harness.evidence.drawing import Drawing


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """What the claims file says of a claim, where a ledger does not."""

    says: str = ""
    kind: str = ""
    event: str = ""
    refuted_by: str = ""


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """Of one case: its drawings, the scenario file as it is now, and what is to be said about either."""

    drawings: list[Drawing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    yaml: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """One run, with evidence by the identity of its cases (`id(case)`): a ledger can hold one case twice."""

    result: RunResult
    evidence: dict[int, CaseEvidence] = field(default_factory=dict)

    def of(self, case: CaseResult) -> CaseEvidence:
        return self.evidence.get(id(case)) or CaseEvidence()
