"""The outcomes of one claim over many attempts: how many, how often they flip, and whether they come in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from harness.events import Attempt
from harness.stats import median, wilson
from harness.verdict import Outcome, Verdict

_TESTED = (Outcome.MET, Outcome.UNMET)


@dataclass(frozen=True, slots=True)
class Halves:
    """Met of valid attempts in the first and the second half, and how likely that is if nothing changed (Fisher)."""

    first: tuple[int, int]
    second: tuple[int, int]
    p: float


@dataclass(frozen=True, slots=True)
class Loads:
    """The median load average of attempts that met the claim and of those that did not (Mann and Whitney)."""

    met: float
    unmet: float
    p: float


@dataclass(frozen=True, slots=True)
class Flips:
    """flips: how often an answer differs from the one before it. longest: the longest row of failures.

    low, high: Wilson's 95 % of the rate, which is right since the number of attempts was fixed.
    halves, loads: None where there was one kind of answer only, or where nobody knows.
    """

    claim: str
    verdict: Verdict
    outcomes: tuple[Outcome, ...]
    met: int
    valid: int
    low: float
    high: float
    flips: int
    longest: int
    halves: Halves | None
    loads: Loads | None

    @property
    def flaky(self) -> bool:
        return 0 < self.met < self.valid


def flips_of(claim: str, verdict: Verdict, attempts: Sequence[Attempt]) -> Flips:
    """The attempts in the order in which they were made."""
    outcomes = [attempt.says(claim) for attempt in attempts]
    tested = [one for one in outcomes if one in _TESTED]
    met, valid = tested.count(Outcome.MET), len(tested)
    low, high = wilson(met, valid)
    mixed = 0 < met < valid
    return Flips(
        claim=claim,
        verdict=verdict,
        outcomes=tuple(outcomes),
        met=met,
        valid=valid,
        low=low,
        high=high,
        flips=sum(a is not b for a, b in pairwise(tested)),
        longest=max((len(list(row)) for one, row in groupby(tested) if one is Outcome.UNMET), default=0),
        halves=_halves(tested) if mixed else None,
        loads=_loads(outcomes, attempts) if mixed else None,
    )


def _halves(tested: Sequence[Outcome]) -> Halves:
    from scipy.stats import fisher_exact

    middle = len(tested) // 2
    first, second = tested[:middle], tested[middle:]
    a, b = first.count(Outcome.MET), second.count(Outcome.MET)
    table = [[a, len(first) - a], [b, len(second) - b]]
    return Halves((a, len(first)), (b, len(second)), float(fisher_exact(table).pvalue))


def _loads(outcomes: Sequence[Outcome], attempts: Sequence[Attempt]) -> Loads | None:
    from scipy.stats import mannwhitneyu

    pairs = list(zip(outcomes, attempts, strict=True))
    met, unmet = ([attempt.load for one, attempt in pairs if one is wanted] for wanted in _TESTED)
    if len({*met, *unmet}) < 2:
        return None
    return Loads(median(met), median(unmet), float(mannwhitneyu(met, unmet).pvalue))
