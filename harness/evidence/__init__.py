"""What a verdict stands on, cut out of its recordings: drawings for reports and pictures, notes for other tools."""

from harness.evidence.drawing import Drawing, Highlight, Lane
from harness.evidence.gather import Draft, draw_attempt, drawings_of
from harness.evidence.sources import CaseEvidence, ClaimWords, Reported

__all__ = [
    "CaseEvidence",
    "ClaimWords",
    "Draft",
    "Drawing",
    "Highlight",
    "Lane",
    "Reported",
    "draw_attempt",
    "drawings_of",
]
