"""One case on one build and mode: its attempts in turn, and the verdicts that they give."""

from __future__ import annotations

from collections.abc import Callable

from harness.browser import shared_driver
from harness.errors import CapabilityError
from harness.events import Attempt, CaseResult, Progressed, ProgressEvent, Started
from harness.run.attempt import run_attempt
from harness.run.options import RunOptions
from harness.run.plan import Job
from harness.run.repeat import repeat_case
from harness.run.verdicts import settle_case
from harness.run.views import build_view
from harness.verdict import Verdict


async def run_job(
    job: Job, options: RunOptions, on_event: Callable[[ProgressEvent], None], worker: int = 0
) -> CaseResult:
    """All attempts of a job. The number is fixed beforehand, and every one is reported.

    What lacks in the first attempt makes the job UNSUPPORTED. What lacks only later was there before: that is a failure
    of the lab, which does not undo what the attempts before it say.
    """
    attempts: list[Attempt] = []
    reason, verdict = job.reason, job.verdict
    async with shared_driver():
        for number in range(1, job.attempts + 1) if verdict is None else ():
            on_event(Started(job.label, number, worker))
            try:
                attempt = await run_attempt(job, number, options.folder)
            except CapabilityError as lacking:
                if not attempts:
                    verdict, reason = Verdict.UNSUPPORTED, str(lacking)
                    break
                attempt = Attempt(number=number, valid=False, error=f"possible in attempt 1 and no longer: {lacking}")
            attempts.append(attempt)
            on_event(Progressed(job.label, attempt, worker))
    claims = list(job.case.claims)
    verdicts, tallies, reasons = settle_case(claims, attempts, job.build.major, options.claims, verdict)
    major = job.build.major
    return CaseResult(
        scenario=job.case.id,
        cell=job.case.cell,
        place=str(job.case.at),
        title=job.case.title,
        build=build_view(job.build),
        mode=job.mode,
        raster=job.case.raster,
        claims=claims,
        verdicts=verdicts,
        expected={claim: options.baselines.expected(claim, major, job.mode, job.case.raster) for claim in claims},
        tallies=tallies,
        reason=reason,
        reasons=reasons,
        attempts=attempts,
        repeat=repeat_case(job.case, str(job.build.path), job.mode, job.attempts),
    )
