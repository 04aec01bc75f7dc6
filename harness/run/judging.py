"""From recordings to findings, and from cases to a result: it takes no browser, so stored runs can be asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness import __version__
from harness.events import CaseResult, Finding, RunFooter, RunHeader, RunPlan, RunResult
from harness.expect import Recording, evaluate, evaluate_require
from harness.run.baselines import Baselines
from harness.run.verdicts import judge_claims
from harness.scenario.model import Case, Claim
from harness.store import machine_facts, now
from harness.verdict import Outcome


def judge(case: Case, recordings: dict[str, list[Recording]]) -> tuple[list[Finding], list[str]]:
    """The findings, and the preconditions that were not met."""
    unmet = [finding for finding in evaluate_require(case, recordings) if finding.outcome is not Outcome.MET]
    reasons = [f"a precondition is not met: {finding.summary} ({finding.place})" for finding in unmet]
    return ([] if reasons else evaluate(case, recordings)), reasons


def conclude(
    results: Sequence[CaseResult],
    claims: Mapping[str, Claim],
    baselines: Baselines,
    *,
    folder: str,
    command: Sequence[str],
    seconds: float,
    header: RunHeader | None = None,
    ledger: str = "",
    catalog: Sequence[Case] = (),
) -> RunResult:
    """From the cases to the claims. `catalog`: every case that there is, asked for or not."""
    verdicts = judge_claims(results, claims, baselines, catalog)
    counts = Counter(str(verdict.verdict) for verdict in verdicts)
    footer = RunFooter(seconds=seconds, verdicts=dict(counts), drifts=sum(verdict.drift for verdict in verdicts))
    return RunResult(
        header=header or new_header(command),
        cases=list(results),
        verdicts=verdicts,
        footer=footer,
        folder=folder,
        ledger=ledger,
    )


def new_header(command: Sequence[str], planned: RunPlan | None = None) -> RunHeader:
    """Who runs what on which machine, from now on."""
    machine = machine_facts()
    return RunHeader(traceproof=__version__, started=now(), command=list(command), machine=machine, plan=planned)
