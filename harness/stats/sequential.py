"""What is known of a rate when one may stop looking at any moment.

The Wilson interval is right for a number of attempts that was fixed beforehand. Looked at after every attempt, and
stopped at when it pleases, it is wrong far more often than it says. These intervals may be looked at as often as one
likes: the probability that any of them, ever, leaves out the true rate is at most 1 - confidence.
"""

from __future__ import annotations

import math
from functools import cache

_SURE = 1e-12  # rates nearer to 0 or 1 than this are 0 and 1


def log_evidence(successes: int, trials: int, rate: float) -> float:
    """How much more likely the outcomes are if the rate is another one than if it is `rate`, as a logarithm.

    The other one is 0, is 1, or is anything between, each with a third of the weight: the mixture of Robbins (1970),
    Ann. Math. Statist. 41, 1397-1409, with a point at either end, where most claims lie. Under `rate` its exponential
    is a martingale that starts at 1, so it ever reaches 1/a with a probability of at most a (Ville).
    """
    from scipy.special import betaln, xlog1py, xlogy  # a second to import; most commands never need it

    failures = trials - successes
    between = betaln(successes + 1, failures + 1)  # the logarithm of this very sequence's probability
    ends = (not failures) + (not successes)
    others = math.log(math.exp(between) + ends) if ends else between
    return float(others - math.log(3) - xlogy(successes, rate) - xlog1py(failures, -rate))


@cache
def anytime(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a rate, valid however it was decided when to stop.

    It holds the rates against which the evidence is below 1 / (1 - confidence).
    (0, 1) after no trial; `ValueError` when `successes` is not in 0..trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials is impossible")
    if trials == 0:
        return 0.0, 1.0
    from scipy.optimize import brentq

    def excess(rate: float) -> float:
        return log_evidence(successes, trials, rate) + math.log(1 - confidence)

    seen = min(max(successes / trials, _SURE), 1 - _SURE)
    low = brentq(excess, _SURE, seen) if successes else 0.0
    high = brentq(excess, seen, 1 - _SURE) if successes < trials else 1.0
    return float(low), float(high)
