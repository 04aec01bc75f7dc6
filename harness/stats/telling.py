"""How many attempts it takes to tell two builds apart, and whether some attempts do."""

from __future__ import annotations

from functools import cache

SURE = 0.05  # the chance at which a difference between two builds is taken for one
FEWEST, MOST = 3, 60  # attempts of one build


def chance(met_a: int, valid_a: int, met_b: int, valid_b: int) -> float:
    """The chance that attempts of one and the same rate come out as far apart as these, or farther, in this direction.

    Fisher's exact test, one-sided: `scipy.stats.fisher_exact`. 1 where either has no valid attempt, and where the rates
    are the same, which has no direction.
    """
    if not valid_a or not valid_b or met_a * valid_b == met_b * valid_a:
        return 1.0
    from scipy.stats import fisher_exact  # takes a second to import, and most commands never need it

    higher = met_a * valid_b > met_b * valid_a
    table = [[met_a, valid_a - met_a], [met_b, valid_b - met_b]]
    return float(fisher_exact(table, alternative="greater" if higher else "less").pvalue)


def apart(met_a: int, valid_a: int, met_b: int, valid_b: int) -> bool:
    """Whether the attempts tell the two apart: `chance` is at most 5 %, which 3 of 3 against 0 of 3 just is."""
    return chance(met_a, valid_a, met_b, valid_b) <= SURE + 1e-9


@cache
def attempts_to_tell(flake_rate: float) -> int:
    """How many attempts of each build tell one where a claim holds from one where it does not.

    `flake_rate`: the share of attempts that contradict what their own build mostly does. The smallest n from 3 to 60
    for which n - k of n against k of n are `apart`, where k is how many misleading attempts there are at most, nine
    times of ten, in n (`scipy.stats.binom.ppf(0.9, n, flake_rate)`); 60 where that is not enough.
    """
    if flake_rate <= 0:
        return FEWEST
    from scipy.stats import binom

    for number in range(FEWEST, MOST):
        misled = int(binom.ppf(0.9, number, min(flake_rate, 0.5)))
        if 2 * misled < number and apart(number - misled, number, misled, number):
            return number
    return MOST
