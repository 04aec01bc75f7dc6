"""The interval in which the true rate of a yes-or-no outcome lies."""

from __future__ import annotations


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion, both ends in [0, 1].

    Wilson, E. B. (1927), J. Am. Stat. Assoc. 22, 209-212. Chosen over the normal approximation because attempts are
    few and rates are often 0 or 1, where that one has no width. Nothing is known after no trial: (0, 1).
    `ValueError` when `successes` is not in 0..trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials is impossible")
    if trials == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest  # takes a second to import, and most commands never need it

    interval = binomtest(successes, trials).proportion_ci(confidence_level=confidence, method="wilson")
    return float(interval.low), float(interval.high)
