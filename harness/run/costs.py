"""What is said of a claim about time beside its verdict: its numbers, and whether the machine let them be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from harness.events import Attempt, CaseResult, Finding, Measure
from harness.expect.measures import measured
from harness.stats import median

BUSY = 2.0  # a load average of more than this for each processor: others take their turns while a slice is timed


def costs(claim: str, cases: Sequence[CaseResult]) -> list[Measure]:
    """For each expectation about time the number that it tests, over the blocks of all valid attempts.

    Its name is what was asked for. Warm-up and order are the medians of those of the attempts.
    """
    found: dict[tuple[str, str], list[tuple[Finding, Measure]]] = {}
    for case in cases:
        for _, finding in _timed(claim, case):
            found.setdefault((finding.place, finding.text), []).append((finding, finding.measures[0]))
    return [_pooled([measure for _, measure in same], same[0][0]) for same in found.values()]


def _pooled(measures: Sequence[Measure], finding: Finding) -> Measure:
    first, asked = measures[0], finding.summary.partition(",")[0]
    pooled = measured(asked, [value for one in measures for value in one.values], first.unit, first.arm, cost=True)
    warm_ups = [one.warm_up for one in measures if one.warm_up is not None]
    orders = [one.order for one in measures if one.order is not None]
    return msgspec.structs.replace(
        pooled, warm_up=median(warm_ups) if warm_ups else None, order=median(orders) if orders else None
    )


def doubt(claim: str, cases: Sequence[CaseResult]) -> str:
    """Why the times that a verdict rests on may be those of a busy machine; empty where nothing says so."""
    timed = [one for case in cases for one in {attempt.number: attempt for attempt, _ in _timed(claim, case)}.values()]
    busy = [attempt for attempt in timed if highest_load(attempt) > BUSY * attempt.processors > 0]
    if not busy:
        return ""
    load, processors = max(map(highest_load, busy)), busy[0].processors
    return (
        f"the load was up to {load:.1f} on {processors} processors in {len(busy)} of {len(timed)} attempts, "
        "too high to believe a cost"
    )


def highest_load(attempt: Attempt) -> float:
    """Of the load averages at the beginning of each of its recordings."""
    return max([attempt.load, *(one.load for one in attempt.recordings)])


def _timed(claim: str, case: CaseResult) -> Iterator[tuple[Attempt, Finding]]:
    for attempt in case.attempts:
        for finding in attempt.findings:
            if claim in finding.claims and any(one.cost for one in finding.measures[:1]):
                yield attempt, finding
