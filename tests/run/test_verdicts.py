"""From outcomes to the seven words."""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec import structs

from harness.events import Attempt, CaseResult, Finding
from harness.run.baselines import Baselines, Entry
from harness.run.verdicts import attempts_needed, judge_case, judge_claims
from harness.scenario.model import Claim, Place
from harness.verdict import Outcome, Verdict
from harness.versions import parse_range
from tests.run.cases import arm
from tests.run.cases import case as scenario
from tests.samples import BUILD, attempt, case, finding

MET, UNMET, INVALID, ERROR = Outcome.MET, Outcome.UNMET, Outcome.INVALID, Outcome.ERROR
CLAIM = "parse-html.one"
AT = Place("f", 1, 1, "$")


def tried(number: int, *outcomes: Outcome) -> Attempt:
    return attempt(number, *(finding(CLAIM, outcome) for outcome in outcomes))


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        ((MET, MET), MET),
        ((MET, UNMET), UNMET),
        ((UNMET, INVALID), INVALID),
        ((INVALID, ERROR), ERROR),
        ((), INVALID),
    ],
)
def test_one_attempt_says_the_worst_of_its_findings(outcomes: tuple[Outcome, ...], says: Outcome) -> None:
    assert tried(1, *outcomes).says(CLAIM) is says


def test_findings_of_other_claims_do_not_count() -> None:
    assert attempt(1, finding(CLAIM), finding("parse-html.two", UNMET)).says(CLAIM) is MET


def test_an_invalid_attempt_and_a_failed_one_say_nothing() -> None:
    assert attempt(1, finding(CLAIM, UNMET), reasons=("data loss",)).says(CLAIM) is INVALID
    assert attempt(1, finding(CLAIM, UNMET), error="crash").says(CLAIM) is ERROR


@pytest.mark.parametrize(
    ("outcomes", "verdict", "tally"),
    [
        ((MET, MET, MET), Verdict.HOLDS, (3, 3)),
        ((MET, UNMET, MET), Verdict.SOMETIMES, (2, 3)),
        ((UNMET, UNMET, UNMET), Verdict.REFUTED, (0, 3)),
        ((MET, INVALID, MET), Verdict.HOLDS, (2, 2)),
        ((MET, INVALID, INVALID), Verdict.INCONCLUSIVE, (1, 1)),
        ((INVALID, INVALID, INVALID), Verdict.INCONCLUSIVE, (0, 0)),
        ((MET, MET, ERROR), Verdict.ERROR, (2, 2)),
        ((), Verdict.INCONCLUSIVE, (0, 0)),
    ],
)
def test_a_case(outcomes: tuple[Outcome, ...], verdict: Verdict, tally: tuple[int, int]) -> None:
    verdicts, tallies = judge_case([CLAIM], [tried(number, one) for number, one in enumerate(outcomes, 1)])
    assert (verdicts[CLAIM], tallies[CLAIM]) == (verdict, tally)


@pytest.mark.parametrize(("attempts", "needed"), [(1, 1), (2, 2), (3, 2), (4, 3), (10, 6)])
def test_more_than_half_must_be_valid(attempts: int, needed: int) -> None:
    assert attempts_needed(attempts) == needed


def cases(*verdicts: Verdict) -> list[CaseResult]:
    tallies = {Verdict.HOLDS: (3, 3), Verdict.REFUTED: (0, 3), Verdict.SOMETIMES: (1, 3)}
    return [case({CLAIM: one}, [tried(1)], tallies={CLAIM: tallies.get(one, (0, 0))}) for one in verdicts]


def test_one_contradicting_case_refutes_the_claim() -> None:
    (verdict,) = judge_claims(cases(Verdict.HOLDS, Verdict.REFUTED, Verdict.NOT_APPLICABLE), {}, Baselines())
    assert (verdict.verdict, verdict.met, verdict.valid) == (Verdict.REFUTED, 0, 3)
    assert verdict.drift


def test_a_case_that_does_not_apply_leaves_the_others_to_decide() -> None:
    (verdict,) = judge_claims(cases(Verdict.NOT_APPLICABLE, Verdict.HOLDS), {}, Baselines())
    assert verdict.verdict is Verdict.HOLDS
    assert 0.4 < verdict.low < verdict.high == 1.0


def test_raster_paths_are_decided_apart() -> None:
    software, gpu = cases(Verdict.HOLDS, Verdict.REFUTED)
    gpu = structs.replace(gpu, raster="gpu")
    expected = Baselines((Entry(CLAIM, Verdict.REFUTED, "Other tiles", "2026-01-31", AT, raster="gpu"),))
    verdicts = judge_claims([software, gpu], {}, expected)
    assert [(one.raster, one.verdict, one.drift) for one in verdicts] == [
        ("gpu", Verdict.REFUTED, False),
        ("software", Verdict.HOLDS, False),
    ]


def test_a_scenario_that_rasters_otherwise_is_not_left_out_but_another_answer() -> None:
    other = scenario("parse-html.gpu", claims=(CLAIM,), arms={"main": arm(raster="gpu")})
    [verdict] = judge_claims([case({CLAIM: Verdict.HOLDS}, [tried(1)])], {}, Baselines(), [other])
    assert verdict.left_out == []


@pytest.mark.parametrize(
    ("rasters", "said"), [(["software"], "software"), (["gpu", "gpu"], "gpu"), (["software", "gpu"], "both")]
)
def test_a_case_says_how_its_arms_raster(rasters: list[Literal["software", "gpu"]], said: str) -> None:
    arms = {str(number): arm(raster=raster) for number, raster in enumerate(rasters)}
    assert scenario(arms=arms).raster == said


def test_the_baseline_says_what_is_expected() -> None:
    entry = Entry(CLAIM, Verdict.REFUTED, "Chrome differs", "2026-01-31", AT)
    claim = Claim(CLAIM, "parse-html", "It is so.", "It is not.", AT)
    (verdict,) = judge_claims(cases(Verdict.REFUTED), {CLAIM: claim}, Baselines((entry,)))
    assert not verdict.drift
    assert (verdict.baseline_reason, verdict.says, verdict.event) == ("Chrome differs", "It is so.", "parse-html")
    assert verdict.build == BUILD


def test_the_reason_is_that_of_the_deciding_finding() -> None:
    told = Finding(
        index=0, claims=[CLAIM], form="count", text="", outcome=UNMET, summary="found 2, not 3", place="f:1:1"
    )
    (verdict,) = judge_claims([case({CLAIM: Verdict.REFUTED}, [attempt(1, told)])], {}, Baselines())
    assert verdict.reason == "found 2, not 3"


def test_scenarios_of_the_claim_that_were_left_out_are_named_and_hold_back_the_alarm() -> None:
    elsewhere = scenario("parse-html.other", claims=(CLAIM,))
    bound = scenario("parse-html.old", claims=(CLAIM,), versions=parse_range("<=100"))
    expected_to_fail = Baselines((Entry(CLAIM, Verdict.REFUTED, "because", "2026-11-30", AT),))
    held = case({CLAIM: Verdict.HOLDS}, [tried(1)])
    [partial] = judge_claims([held], {}, expected_to_fail, [elsewhere, bound])
    assert partial.left_out == ["parse-html.other"]
    assert not partial.drift
    [whole] = judge_claims([held], {}, expected_to_fail)
    assert whole.drift
