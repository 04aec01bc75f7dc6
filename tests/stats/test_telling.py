"""How many attempts tell two builds apart."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from harness.stats import apart, attempts_to_tell, chance


@pytest.mark.parametrize(
    ("tallies", "told"),
    [
        ((3, 3, 0, 3), True),  # 1 of the 20 ways to choose 3 of 6
        ((0, 3, 3, 3), True),
        ((2, 2, 0, 2), False),
        ((1, 1, 0, 1), False),
        ((5, 5, 4, 5), False),
        ((9, 10, 1, 10), True),
        ((0, 0, 3, 3), False),
        ((3, 3, 3, 3), False),
    ],
)
def test_which_tallies_tell(tallies: tuple[int, int, int, int], told: bool) -> None:
    assert apart(*tallies) is told


def test_the_chance_is_that_of_fisher() -> None:
    assert chance(3, 3, 0, 3) == pytest.approx(0.05)
    assert chance(1, 1, 0, 0) == 1


@example(1, 2, 4, 8)
@given(some.integers(0, 8), some.integers(0, 8), some.integers(0, 8), some.integers(0, 8))
def test_it_does_not_matter_which_is_first(met: int, unmet: int, other_met: int, other_unmet: int) -> None:
    one, other = (met, met + unmet), (other_met, other_met + other_unmet)
    assert chance(*one, *other) == pytest.approx(chance(*other, *one))


def test_the_number_of_attempts_grows_with_the_flake_rate() -> None:
    """The table of docs/compare.md."""
    rates = {0: 3, 0.05: 6, 0.1: 9, 0.2: 16, 0.3: 36, 0.5: 60}
    assert {rate: attempts_to_tell(rate) for rate in rates} == rates
