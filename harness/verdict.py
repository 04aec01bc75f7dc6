"""The seven words, and how attempts become one of them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Verdict(StrEnum):
    """What the lab answers for one claim on one build and mode; the meanings are in `docs/verdicts.md`."""

    HOLDS = "HOLDS"
    SOMETIMES = "SOMETIMES"
    REFUTED = "REFUTED"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    UNSUPPORTED = "UNSUPPORTED"
    ERROR = "ERROR"

    @property
    def says_of_chrome(self) -> bool:
        """Whether it is an answer about the browser, and not about the lab, the machine or the bounds of a claim."""
        return self in (Verdict.HOLDS, Verdict.SOMETIMES, Verdict.REFUTED)


class Outcome(StrEnum):
    """What one attempt says of one claim: `INVALID` is no evidence, `ERROR` is a failure of the lab."""

    MET = "met"
    UNMET = "unmet"
    INVALID = "invalid"
    ERROR = "error"


def decide(outcomes: Sequence[Outcome], needed: int) -> Verdict:
    """The verdict from all attempts of one case; `needed` is how many valid attempts an answer takes.

    A failure of the lab in any attempt is reported as such rather than voted down by the others.
    """
    if Outcome.ERROR in outcomes:
        return Verdict.ERROR
    met, unmet = outcomes.count(Outcome.MET), outcomes.count(Outcome.UNMET)
    if met + unmet < max(needed, 1):
        return Verdict.INCONCLUSIVE
    if unmet == 0:
        return Verdict.HOLDS
    return Verdict.REFUTED if met == 0 else Verdict.SOMETIMES


# From the one that settles the matter to the one that says nothing: a claim that several scenarios test holds
# only where all of them say so, and one contradiction is enough.
_WEIGHT = (
    Verdict.REFUTED,
    Verdict.SOMETIMES,
    Verdict.ERROR,
    Verdict.INCONCLUSIVE,
    Verdict.UNSUPPORTED,
    Verdict.HOLDS,
    Verdict.NOT_APPLICABLE,
)


def combine(verdicts: Sequence[Verdict]) -> Verdict:
    """One claim's verdict from the cases (scenarios, matrix cells) that test it; `ValueError` when there are none."""
    return min(verdicts, key=_WEIGHT.index)
