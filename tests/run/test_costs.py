"""What a verdict about time says beside itself: its numbers, and whether the machine was too busy for them."""

from __future__ import annotations

import msgspec
import pytest

from harness.events import Attempt, CaseResult, Measure
from harness.expect.measures import measured
from harness.report.words import cost, note
from harness.run.baselines import Baselines
from harness.run.verdicts import judge_claims
from harness.verdict import Outcome, Verdict
from tests.samples import attempt, case, finding

CLAIM = "parse-html.one"
ASKED = "asked for ratio >= 3, found a median of 3.35 over 6 blocks"
RATIOS = [3.1, 3.4, 3.2, 3.3, 3.6, 3.5]


def timed(number: int, measure: Measure, load: float = 0.5, later: float = 0.5, processors: int = 2) -> Attempt:
    """An attempt whose one finding rests on a number; the load when it began, and when its recording did."""
    one = attempt(number, msgspec.structs.replace(finding(CLAIM), summary=ASKED, measures=[measure]))
    recording = msgspec.structs.replace(one.recordings[0], order=1, load=later)
    return msgspec.structs.replace(one, load=load, processors=processors, recordings=[recording])


def ratio(values: list[float] = RATIOS) -> Measure:
    return measured("ratio", values, cost=True)


def held(*attempts: Attempt) -> CaseResult:
    return case({CLAIM: Verdict.HOLDS}, list(attempts), tallies={CLAIM: (len(attempts), len(attempts))})


def test_the_blocks_of_all_attempts_make_one_median_with_its_interval() -> None:
    (verdict,) = judge_claims([held(timed(1, ratio()), timed(2, ratio([3.0, *RATIOS[1:]])))], {}, Baselines())
    (one,) = verdict.costs
    assert (one.name, len(one.values), one.median) == ("asked for ratio >= 3", 12, pytest.approx(3.35))
    assert (one.low, one.high, one.confidence) == pytest.approx((3.2, 3.5, 0.9614), abs=1e-4)
    assert one.warm_up == pytest.approx((3.1 / 3.4 + 3.0 / 3.4) / 2)
    assert note(verdict) == "asked for ratio >= 3: median 3.35 of 12 (96%: 3.2 to 3.5)"


def test_one_value_has_no_interval() -> None:
    assert cost(measured("value", [12.0], "us", cost=True)) == "value: median 12 us"


@pytest.mark.parametrize(
    ("load", "later", "processors", "told"),
    [(0.5, 0.5, 2, False), (4.0, 4.0, 2, False), (4.1, 0.5, 2, True), (0.5, 9.0, 2, True), (9.0, 9.0, 0, False)],
)
def test_a_load_of_more_than_two_for_each_processor_is_told(
    load: float, later: float, processors: int, told: bool
) -> None:
    """At the start of any recording; where nobody knows how many processors there were, nothing is said."""
    attempts = [timed(1, ratio(), load, later, processors), timed(2, ratio())]
    (verdict,) = judge_claims([held(*attempts)], {}, Baselines())
    assert verdict.verdict is Verdict.HOLDS
    highest = max(load, later)
    words = f"the load was up to {highest:.1f} on 2 processors in 1 of 2 attempts, too high to believe a cost"
    assert verdict.reason == (words if told else "")


def test_a_claim_about_no_time_does_not_mind_the_load() -> None:
    count = measured("count", [3], "events")
    (verdict,) = judge_claims([held(timed(1, count, load=20))], {}, Baselines())
    assert (verdict.reason, verdict.costs) == ("", [])


def test_the_doubt_comes_after_the_reason() -> None:
    unmet = msgspec.structs.replace(finding(CLAIM, Outcome.UNMET), measures=[ratio()])
    busy = msgspec.structs.replace(attempt(1, unmet), load=7.0, processors=2)
    one = case({CLAIM: Verdict.REFUTED}, [busy], tallies={CLAIM: (0, 1)})
    (verdict,) = judge_claims([one], {}, Baselines())
    assert verdict.reason.startswith("count of parsed is 2, not 3; the load was up to 7.0 on 2 processors in 1 of 1")
