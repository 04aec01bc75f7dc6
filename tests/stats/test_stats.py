from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import median, median_interval, wilson


def test_wilson_agrees_with_the_published_formula() -> None:
    """8 of 10 at 95 %: centre and half width of Wilson's formula, worked by hand with z = 1.959964."""
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"), [(0, 0, 0.0, 1.0), (5, 5, 0.565518, 1.0), (0, 5, 0.0, 0.434482)]
)
def test_wilson_at_the_edges(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize(("successes", "trials"), [(3, 2), (-1, 2), (1, 0)])
def test_wilson_refuses_what_cannot_be(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="impossible"):
        wilson(successes, trials)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_observed_rate(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] + 1e-12
    assert counts[0] / counts[1] - 1e-12 <= high <= 1


def test_scipy_is_imported_only_when_an_interval_is_asked_for() -> None:
    code = "import sys, harness.stats, harness.expect; print('scipy' in sys.modules, 'duckdb' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]


def test_median() -> None:
    assert median([3, 1, 2]) == 2
    assert median(iter([4, 1])) == 2.5
    for values in ([], [1, float("nan")], [float("inf")]):
        with pytest.raises(ValueError, match="no median"):
            median(values)


@pytest.mark.parametrize(
    ("size", "low", "high", "confidence"),
    [(1, 1, 1, 0.0), (3, 1, 3, 0.75), (5, 1, 5, 0.9375), (6, 1, 6, 0.96875), (9, 2, 8, 0.9609375), (20, 6, 15, 0.9586)],
)
def test_the_interval_of_a_median_has_the_ranks_of_the_sign_test(
    size: int, low: int, high: int, confidence: float
) -> None:
    """As in the tables of Dixon and Massey, such as ranks 6 and 15 of 20; the values come in any order."""
    values = [float(rank) for rank in range(size, 0, -1)]
    assert median_interval(values) == pytest.approx((low, high, confidence), abs=1e-4)


def test_the_interval_of_a_median_covers_the_true_one_as_often_as_it_says() -> None:
    """A skewed distribution such as times have; the interval must not rely on symmetry."""
    drawn = random.Random(4)
    trials, size = 4000, 6
    covered = 0
    for _ in range(trials):
        low, high, confidence = median_interval([drawn.lognormvariate(0, 1) for _ in range(size)])
        covered += low <= 1.0 <= high
    assert covered / trials == pytest.approx(confidence, abs=0.01)
    assert confidence >= 0.95
