"""`--until-decided`: attempts until the rate at which a claim is met is known well enough, by a rule told beforehand.

The rule has two sides that mirror each other, and what it asks is the same after every attempt, so nobody can stop at a
look that pleases. What it promises is in `docs/verdicts.md`, and `tests/run/test_sampling.py` puts it to the test.
"""

from __future__ import annotations

from harness.events import Sampling
from harness.stats import anytime
from harness.verdict import Verdict

LEAST_ATTEMPTS = 39  # as many take an interval of 95 % above 90 %; a test holds the numbers together
MOST_ATTEMPTS = 2 * LEAST_ATTEMPTS + 2  # more than half must be valid

RULE = (
    "after each attempt, the interval of the rate at which it is met, {confidence:.0%} at whatever moment one stops: "
    "HOLDS where every valid attempt met the claim and the interval is above {rate:g}; REFUTED where none did and it "
    "is below {other:g}; SOMETIMES where one did and one did not; INCONCLUSIVE after {at_most} attempts without either"
)


def sequential(at_most: int = MOST_ATTEMPTS, rate: float = 0.9, confidence: float = 0.95) -> Sampling:
    """The rule in words and numbers, for the first line of the ledger."""
    other = round(1 - rate, 10)
    words = RULE.format(confidence=confidence, rate=rate, other=other, at_most=at_most)
    return Sampling(rule=words, at_most=at_most, rate=rate, confidence=confidence)


def interval(sampling: Sampling, met: int, valid: int) -> tuple[float, float]:
    """Where the rate lies."""
    return anytime(met, valid, sampling.confidence)


def undecided(sampling: Sampling, word: Verdict, met: int, valid: int) -> str:
    """Why what the attempts say so far is no answer yet; empty where it is one. `word`: what a fixed number gives."""
    low, high = interval(sampling, met, valid)
    if word is Verdict.HOLDS and low < sampling.rate:
        return f"met in {met} of {valid}, so the rate is above {low:.3g}; HOLDS takes {sampling.rate:g}"
    if word is Verdict.REFUTED and high > 1 - sampling.rate:
        return f"met in none of {valid}, so the rate is below {high:.3g}; REFUTED takes {1 - sampling.rate:.3g}"
    return ""
