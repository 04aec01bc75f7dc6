"""One case on one build and mode: its attempts in turn, and the verdicts that they give."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from harness.browser import renew_driver, shared_driver
from harness.errors import CapabilityError
from harness.events import Attempt, AttemptDone, CaseKey, CaseResult, Progressed, ProgressEvent, Started
from harness.run.attempt import run_attempt
from harness.run.options import RunOptions
from harness.run.plan import Job
from harness.run.repeat import repeat_case
from harness.run.verdicts import decisions, settle_case
from harness.run.views import build_view
from harness.verdict import Verdict

NOTHING_DONE: Mapping[int, Attempt] = {}


async def run_job(
    job: Job,
    options: RunOptions,
    on_event: Callable[[ProgressEvent], None],
    worker: int = 0,
    *,
    keep: Callable[[AttemptDone], None],
    began: float = 0.0,
    done: Mapping[int, Attempt] = NOTHING_DONE,
) -> CaseResult:
    """All attempts of a job. Their number, or the rule that ends them, is fixed beforehand; every one is reported.

    `keep` makes each attempt last before the next begins; `began` is the monotonic time at which the run did. Attempts
    that are `done` already, by number, are not made again.

    What lacks in the first attempt makes the job UNSUPPORTED. What lacks only later was there before: that is a failure
    of the lab, which does not undo what the attempts before it say.
    """
    attempts: list[Attempt] = []
    reason, verdict = job.reason, job.verdict
    async with shared_driver():
        for number in range(1, job.attempts + 1) if verdict is None else ():
            if number in done:
                attempts.append(done[number])
                continue
            if job.sampling and attempts and _decided(job, attempts, options):
                break
            on_event(Started(job.label, number, worker))
            try:
                attempt = await run_attempt(job, number, options.folder)
            except CapabilityError as lacking:
                if not attempts:
                    verdict, reason = Verdict.UNSUPPORTED, str(lacking)
                    break
                attempt = Attempt(number=number, valid=False, error=f"possible in attempt 1 and no longer: {lacking}")
            if attempt.error:
                await renew_driver()
            attempts.append(attempt)
            keep(AttemptDone(**_named(job), attempt=attempt, elapsed_s=time.monotonic() - began))
            on_event(Progressed(job.label, attempt, worker))
    claims = list(job.case.claims)
    major = job.build.major
    verdicts, tallies, reasons = settle_case(claims, attempts, major, options.claims, verdict, job.sampling)
    return CaseResult(
        **_named(job),
        place=str(job.case.at),
        title=job.case.title,
        claims=claims,
        verdicts=verdicts,
        expected={claim: options.baselines.expected(claim, major, job.mode, job.case.raster) for claim in claims},
        tallies=tallies,
        reason=reason,
        reasons=reasons,
        attempts=attempts,
        sampling=job.sampling,
        decisions=decisions(claims, attempts, major, options.claims, job.sampling) if job.sampling else {},
        repeat=repeat_case(job.case, str(job.build.path), job.mode, job.attempts, job.sampling is not None),
    )


def key_of(job: Job) -> CaseKey:
    """What the lines of a job in the ledger have as their `key`."""
    return CaseKey(job.case.id, job.case.cell, str(job.build.path), job.build.version, job.mode, job.case.raster)


def _named(job: Job) -> dict[str, Any]:
    """The fields of a line of the ledger that say which case it is of."""
    return {
        "scenario": job.case.id,
        "cell": job.case.cell,
        "build": build_view(job.build),
        "mode": job.mode,
        "raster": job.case.raster,
    }


def _decided(job: Job, attempts: list[Attempt], options: RunOptions) -> bool:
    """Whether no claim of the case needs another attempt."""
    claims, major = job.case.claims, job.build.major
    verdicts, _, _ = settle_case(claims, attempts, major, options.claims, sampling=job.sampling)
    return Verdict.INCONCLUSIVE not in verdicts.values()
