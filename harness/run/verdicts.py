"""From attempts to the verdict of a case, and from cases to the verdict of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.events import Attempt, CaseResult, ClaimVerdict, Decision, Sampling
from harness.run.baselines import Baselines
from harness.run.costs import costs, doubt
from harness.run.sampling import interval, undecided
from harness.scenario.model import Case, Claim
from harness.stats import wilson
from harness.verdict import Outcome, Verdict, combine, decide


def attempts_needed(attempts: int) -> int:
    """How many of the attempts must be valid for an answer: more than half."""
    return attempts // 2 + 1


def judge_case(
    claims: Sequence[str], attempts: Sequence[Attempt]
) -> tuple[dict[str, Verdict], dict[str, tuple[int, int]]]:
    """Verdict and (met, valid) for each claim of a case."""
    verdicts: dict[str, Verdict] = {}
    tallies: dict[str, tuple[int, int]] = {}
    for claim in claims:
        outcomes = [attempt.says(claim) for attempt in attempts]
        met, unmet = outcomes.count(Outcome.MET), outcomes.count(Outcome.UNMET)
        verdicts[claim] = decide(outcomes, attempts_needed(len(attempts)))
        tallies[claim] = (met, met + unmet)
    return verdicts, tallies


def settle_case(
    claims: Sequence[str],
    attempts: Sequence[Attempt],
    major: int,
    known: Mapping[str, Claim],
    verdict: Verdict | None = None,
    sampling: Sampling | None = None,
) -> tuple[dict[str, Verdict], dict[str, tuple[int, int]], dict[str, str]]:
    """Verdicts and tallies of a case, and the reasons for claims that are not made for this version or not decided.

    `verdict`: the one that all claims have, whatever the attempts say, where there was nothing to run.
    `sampling`: the rule by which the number of attempts was not fixed.
    """
    verdicts, tallies = judge_case(claims, attempts)
    reasons: dict[str, str] = {}
    for claim in claims:
        if verdict is not None:
            verdicts[claim] = verdict
        elif (one := known.get(claim)) and not one.versions.contains(major):
            verdicts[claim] = Verdict.NOT_APPLICABLE
            reasons[claim] = f"the claim is made for versions {one.versions}, this is {major}"
        elif sampling is not None and (why := undecided(sampling, verdicts[claim], *tallies[claim])):
            verdicts[claim] = Verdict.INCONCLUSIVE
            reasons[claim] = why
    return verdicts, tallies, reasons


def decisions(
    claims: Sequence[str], attempts: Sequence[Attempt], major: int, known: Mapping[str, Claim], sampling: Sampling
) -> dict[str, Decision]:
    """For each claim its verdict by the rule, the attempt since which it has it, and where the rate lies."""
    found: dict[str, Decision] = {}
    for number in range(1, len(attempts) + 1):
        verdicts, tallies, _ = settle_case(claims, attempts[:number], major, known, sampling=sampling)
        for claim, verdict in verdicts.items():
            low, high = interval(sampling, *tallies[claim])
            since = found[claim].attempt if claim in found and found[claim].verdict is verdict else number
            found[claim] = Decision(verdict=verdict, attempt=since, low=low, high=high)
    return found


def judge_claims(
    cases: Sequence[CaseResult],
    claims: Mapping[str, Claim],
    baselines: Baselines,
    catalog: Sequence[Case] = (),
) -> list[ClaimVerdict]:
    """One verdict for each claim on each build, mode and raster path, sorted by event and claim.

    `catalog`: every case that there is; those that test a claim too and are not among `cases` are named in its verdict.
    """
    groups: dict[tuple[str, str, str, str], list[CaseResult]] = {}
    for case in cases:
        for claim in case.verdicts:
            groups.setdefault((claim, case.build.path, case.mode, case.raster), []).append(case)
    verdicts = [
        _judge_claim(claim, group, claims.get(claim), baselines, [case for case in catalog if claim in case.claims])
        for (claim, *_), group in groups.items()
    ]
    return in_order(verdicts)


def in_order(verdicts: Iterable[ClaimVerdict]) -> list[ClaimVerdict]:
    """As ledgers have them: by event and claim, then by build, mode and raster path."""
    return sorted(
        verdicts, key=lambda one: (one.event, one.claim, one.build.major, one.build.version, one.mode, one.raster)
    )


def _judge_claim(
    claim: str,
    cases: Sequence[CaseResult],
    known: Claim | None,
    baselines: Baselines,
    deciders: Sequence[Case],
) -> ClaimVerdict:
    build, mode, raster = cases[0].lab
    verdict = combine([case.verdicts[claim] for case in cases])
    deciding = [case for case in cases if case.verdicts[claim] is verdict]
    met = sum(case.tallies.get(claim, (0, 0))[0] for case in deciding)
    valid = sum(case.tallies.get(claim, (0, 0))[1] for case in deciding)
    sampling = next((case.sampling for case in deciding if case.sampling), None)
    low, high = interval(sampling, met, valid) if sampling else wilson(met, valid)
    entry = baselines.find(claim, build.major, mode, raster)
    scenarios = [case.name for case in cases]
    return ClaimVerdict(
        claim=claim,
        says=known.says if known else "",
        event=known.event if known else claim.partition(".")[0],
        build=build,
        mode=mode,
        raster=raster,
        verdict=verdict,
        met=met,
        valid=valid,
        attempts=sum(len(case.attempts) for case in deciding),
        low=low,
        high=high,
        sequential=sampling is not None,
        costs=costs(claim, deciding),
        expected=entry.verdict if entry else Verdict.HOLDS,
        reason="; ".join(filter(None, (_reason(claim, deciding, verdict), doubt(claim, deciding)))),
        baseline_reason=entry.reason if entry else "",
        scenarios=scenarios,
        left_out=[
            case.name
            for case in deciders
            if case.name not in scenarios and case.raster == raster and case.applies_to(build.major, mode)
        ],
        repeat=deciding[0].repeat,
    )


def _reason(claim: str, cases: Sequence[CaseResult], verdict: Verdict) -> str:
    """One line that says why, from the case that decided."""
    if verdict is Verdict.HOLDS:
        return ""
    for case in cases:
        if told := case.reasons.get(claim) or case.reason:
            return told
        for attempt in case.attempts:
            if verdict is Verdict.ERROR and attempt.error:
                return attempt.error.splitlines()[0]
            if verdict is Verdict.INCONCLUSIVE and attempt.reasons:
                return attempt.reasons[0]
            for finding in attempt.findings:
                if claim in finding.claims and finding.outcome is not Outcome.MET:
                    return finding.summary
    return ""
