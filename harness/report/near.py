"""What stands for a verdict when there is room for one line: the first finding that says the same, its nearest miss."""

from __future__ import annotations

from collections.abc import Iterable

from harness.events import Attempt, CaseResult, ClaimVerdict, EventView, Finding
from harness.verdict import Outcome, Verdict

_LONGEST = 160  # characters of the nearest miss


def telling(verdict: ClaimVerdict, cases: Iterable[CaseResult]) -> tuple[Attempt, Finding] | None:
    """The first finding of the first attempt that says what the verdict says. `cases`: those that decide the claim."""
    wanted = (Outcome.MET,) if verdict.verdict is Verdict.HOLDS else (Outcome.UNMET, Outcome.INVALID)
    for case in cases:
        for attempt in case.attempts:
            for finding in attempt.findings:
                if verdict.claim in finding.claims and finding.outcome in wanted:
                    return attempt, finding
    return None


def nearest_miss(finding: Finding) -> EventView | None:
    """The first event that was missed and is told why."""
    return next((event for event in finding.misses if event.note), None)


def shortened(text: str) -> str:
    """On one line, and of one line's length."""
    told = " ".join(text.split())
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"
