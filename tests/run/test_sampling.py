"""The rule of `--until-decided`: what it asks for, and that it errs no more often than it promises."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.browser import Build
from harness.cli import shared
from harness.errors import UsageError
from harness.events import Attempt, Planned, Sampling
from harness.run import job
from harness.run.baselines import Baselines
from harness.run.engine import run_cases
from harness.run.options import RunOptions
from harness.run.sampling import LEAST_ATTEMPTS, MOST_ATTEMPTS, interval, sequential, undecided
from harness.run.verdicts import decisions, judge_claims, settle_case
from harness.stats import anytime, log_evidence, wilson
from harness.store import RunFolder, read_ledger
from harness.verdict import Outcome, Verdict, decide
from tests.run.cases import case as scenario
from tests.samples import attempt, case, finding

CLAIM = "parse-html.one-claim"
RULE = sequential()
MET, UNMET, INVALID = Outcome.MET, Outcome.UNMET, Outcome.INVALID


def word(met: int, valid: int, rule: Sampling = RULE) -> Verdict:
    """The rule's verdict, as `settle_case` finds it."""
    said = decide([MET] * met + [UNMET] * (valid - met), 1)
    return Verdict.INCONCLUSIVE if undecided(rule, said, met, valid) else said


def sample(rate: float, drawn: random.Random, rule: Sampling = RULE) -> tuple[Verdict, int, int]:
    """One run against a browser that meets the claim at this rate: the verdict, and met of valid attempts."""
    met = 0
    for valid in range(1, rule.at_most + 1):
        met += drawn.random() < rate
        if (verdict := word(met, valid)) is not Verdict.INCONCLUSIVE:
            return verdict, met, valid
    return Verdict.INCONCLUSIVE, met, rule.at_most


def test_the_numbers_that_the_rule_rests_on() -> None:
    """An interval above 0.9 takes 39 attempts without a failure; the command line and the documentation say so too."""
    assert [word(n, n) for n in (LEAST_ATTEMPTS - 1, LEAST_ATTEMPTS)] == [Verdict.INCONCLUSIVE, Verdict.HOLDS]
    assert [word(0, n) for n in (LEAST_ATTEMPTS - 1, LEAST_ATTEMPTS)] == [Verdict.INCONCLUSIVE, Verdict.REFUTED]
    assert (shared.LEAST_ATTEMPTS, shared.MOST_ATTEMPTS) == (LEAST_ATTEMPTS, MOST_ATTEMPTS)
    assert MOST_ATTEMPTS >= 2 * LEAST_ATTEMPTS  # half of them may be no evidence
    page = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text()
    assert f"{LEAST_ATTEMPTS} valid attempts" in page
    assert f"{MOST_ATTEMPTS} attempts" in page


@pytest.mark.parametrize(("met", "valid"), [(1, 2), (38, 39), (1, 39), (5, 60)])
def test_one_of_each_is_sometimes_at_once(met: int, valid: int) -> None:
    assert word(met, valid) is Verdict.SOMETIMES


def test_the_rule_has_two_sides_that_mirror_each_other() -> None:
    mirrored = {Verdict.HOLDS: Verdict.REFUTED, Verdict.REFUTED: Verdict.HOLDS}
    for valid in range(1, 50):
        for met in range(valid + 1):
            said = word(met, valid)
            assert word(valid - met, valid) is mirrored.get(said, said)
            low, high = interval(RULE, met, valid)
            assert interval(RULE, valid - met, valid) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("rate", [0.9, 0.8, 0.5, 0.2, 0.1])
def test_a_claim_that_is_met_no_more_than_nine_times_in_ten_seldom_holds(rate: float) -> None:
    """And none that is met at least once in ten is refuted. The promise is 5 %; by its nature the rule errs less."""
    drawn = random.Random(f"holds {rate}")
    runs = 4000
    said = [sample(rate, drawn)[0] for _ in range(runs)]
    assert said.count(Verdict.HOLDS) / runs <= (0.05 if rate <= 0.9 else 1)
    assert said.count(Verdict.REFUTED) / runs <= (0.05 if rate >= 0.1 else 1)
    assert said.count(Verdict.HOLDS) / runs == pytest.approx(rate**LEAST_ATTEMPTS, abs=0.01)
    assert said.count(Verdict.SOMETIMES) / runs >= 0.95


@pytest.mark.parametrize(("rate", "verdict"), [(1.0, Verdict.HOLDS), (0.0, Verdict.REFUTED)])
def test_what_always_or_never_happens_is_never_called_anything_else(rate: float, verdict: Verdict) -> None:
    assert sample(rate, random.Random(1)) == (verdict, int(rate) * LEAST_ATTEMPTS, LEAST_ATTEMPTS)


@pytest.mark.parametrize("rate", [0.03, 0.1, 0.5, 0.9, 0.99])
def test_the_interval_may_be_looked_at_after_every_attempt(rate: float) -> None:
    """In at most 5 % of all sequences the rate is outside at any moment; of Wilson's interval that is not so."""
    drawn = random.Random(f"peek {rate}")
    runs, length, bound = 2000, 80, 20.0
    surprised = 0
    for _ in range(runs):
        met = 0
        for valid in range(1, length + 1):
            met += drawn.random() < rate
            if _evidence(met, valid, rate) >= bound:
                surprised += 1
                break
    assert surprised / runs <= 0.05


def test_wilsons_interval_may_not() -> None:
    """Why the rule has an interval of its own: looked at after each of 80 attempts, Wilson's often fails."""
    drawn, runs, missed = random.Random(5), 1000, 0
    known: dict[tuple[int, int], bool] = {}
    for _ in range(runs):
        met = 0
        for valid in range(1, 81):
            met += drawn.random() < 0.9
            if (met, valid) not in known:
                low, high = wilson(met, valid)
                known[met, valid] = low <= 0.9 <= high
            if not known[met, valid]:
                missed += 1
                break
    assert missed / runs > 0.15


_known: dict[tuple[int, int, float], float] = {}


def _evidence(met: int, valid: int, rate: float) -> float:
    key = met, valid, rate
    if key not in _known:
        _known[key] = math.exp(log_evidence(met, valid, rate))
    return _known[key]


def test_the_interval_is_where_the_evidence_is_below_twenty() -> None:
    for met, valid in ((3, 10), (10, 10), (0, 7), (39, 40)):
        low, high = anytime(met, valid)
        for edge in (low, high):
            if 0 < edge < 1:
                assert _evidence(met, valid, edge) == pytest.approx(20, rel=1e-6)
        assert low <= met / valid <= high
    assert anytime(0, 0) == (0, 1)
    with pytest.raises(ValueError, match="impossible"):
        anytime(3, 2)


def tried(number: int, outcome: Outcome) -> Attempt:
    if outcome is INVALID:
        return attempt(number, reasons=("data loss",))
    return attempt(number, finding(CLAIM, outcome))


def attempts(outcomes: list[Outcome]) -> list[Attempt]:
    return [tried(number, outcome) for number, outcome in enumerate(outcomes, 1)]


def test_too_few_attempts_are_inconclusive_and_say_what_lacks() -> None:
    verdicts, tallies, reasons = settle_case([CLAIM], attempts([MET] * 20), 156, {}, sampling=RULE)
    assert verdicts[CLAIM] is Verdict.INCONCLUSIVE
    assert tallies[CLAIM] == (20, 20)
    assert reasons[CLAIM] == "met in 20 of 20, so the rate is above 0.817; HOLDS takes 0.9"
    assert settle_case([CLAIM], attempts([MET] * 20), 156, {})[0][CLAIM] is Verdict.HOLDS  # with a fixed number


def test_the_ledger_says_at_which_attempt_it_was_decided() -> None:
    outcomes = [INVALID, *[MET] * LEAST_ATTEMPTS, INVALID]
    decided = decisions([CLAIM], attempts(outcomes), 156, {}, RULE)[CLAIM]
    assert (decided.verdict, decided.attempt, decided.high) == (Verdict.HOLDS, LEAST_ATTEMPTS + 1, 1.0)
    assert decided.low > 0.9


def test_what_is_seen_after_it_was_decided_counts_too() -> None:
    outcomes = [*[MET] * LEAST_ATTEMPTS, UNMET]
    decided = decisions([CLAIM], attempts(outcomes), 156, {}, RULE)[CLAIM]
    assert (decided.verdict, decided.attempt) == (Verdict.SOMETIMES, LEAST_ATTEMPTS + 1)


def test_the_verdict_of_the_claim_has_the_interval_of_the_rule() -> None:
    made = attempts([MET] * LEAST_ATTEMPTS)
    one = case({CLAIM: Verdict.HOLDS}, made, tallies={CLAIM: (LEAST_ATTEMPTS, LEAST_ATTEMPTS)})
    (verdict,) = judge_claims([msgspec.structs.replace(one, sampling=RULE)], {}, Baselines())
    assert verdict.sequential
    assert (verdict.low, verdict.high) == anytime(LEAST_ATTEMPTS, LEAST_ATTEMPTS)


@pytest.mark.parametrize(
    ("outcomes", "made", "verdict"),
    [
        ([MET], LEAST_ATTEMPTS, Verdict.HOLDS),
        ([UNMET], LEAST_ATTEMPTS, Verdict.REFUTED),
        ([MET, MET, UNMET], 3, Verdict.SOMETIMES),
        ([MET, INVALID, MET], LEAST_ATTEMPTS * 3 // 2, Verdict.HOLDS),
        ([INVALID, MET], MOST_ATTEMPTS, Verdict.INCONCLUSIVE),  # more than half must be valid
        ([INVALID], MOST_ATTEMPTS, Verdict.INCONCLUSIVE),
        ([MET, Outcome.ERROR], 2, Verdict.ERROR),
    ],
)
async def test_a_run_goes_on_until_it_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcomes: list[Outcome], made: int, verdict: Verdict
) -> None:
    """Outcomes are those of the attempts in turn, over and over."""

    async def fake(one: Any, number: int, folder: RunFolder) -> Attempt:
        outcome = outcomes[(number - 1) % len(outcomes)]
        return attempt(number, error="it broke") if outcome is Outcome.ERROR else tried(number, outcome)

    monkeypatch.setattr(job, "run_attempt", fake)
    build = Build("Chromium", "156.0.1.2", 156, Path("/no/such/chromium"), "path", ("headless",))
    planned: list[int] = []
    result = await run_cases(
        [scenario()],
        [build],
        ["headless"],
        RunOptions(RunFolder(tmp_path / "out"), sampling=RULE),
        lambda event: planned.append(event.attempts) if isinstance(event, Planned) else None,
    )
    (one,) = result.cases
    assert planned == [MOST_ATTEMPTS]
    assert (one.verdicts[CLAIM], len(one.attempts)) == (verdict, made)
    assert one.decisions[CLAIM].verdict is verdict
    assert "--until-decided --at-most 80" in one.repeat
    header = read_ledger(tmp_path / "out" / "ledger.jsonl")[0]
    assert header == result.header
    assert result.header.plan is not None
    assert result.header.plan.sampling == RULE
    assert "INCONCLUSIVE after 80 attempts" in RULE.rule


def test_options_that_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="--attempts fixes"):
        shared.sampled(True, None, 5)
    with pytest.raises(UsageError, match="--at-most is the end"):
        shared.sampled(False, 40, None)
    assert shared.sampled(False, None, 5) is None
    assert shared.sampled(True, 60, None) == sequential(60)
    assert "HOLDS where every valid attempt met the claim and the interval is above 0.9" in capsys.readouterr().err
