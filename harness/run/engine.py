"""A whole run: jobs spread over workers, each fact written to the ledger before the next begins."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from harness import __version__
from harness.browser import Build
from harness.events import (
    CaseResult,
    Planned,
    ProgressEvent,
    RunFooter,
    RunHeader,
    RunResult,
)
from harness.run.baselines import Baselines
from harness.run.job import run_job
from harness.run.options import RunOptions
from harness.run.plan import Job, plan
from harness.run.verdicts import judge_claims
from harness.scenario.model import Case, Claim
from harness.store import Ledger, machine_facts, now

Listener = Callable[[ProgressEvent], None]


async def run_cases(
    cases: Sequence[Case], builds: Sequence[Build], modes: Sequence[str], options: RunOptions, on_event: Listener
) -> RunResult:
    """Run every case on every build and mode; `on_event` hears of each step.

    The ledger in `options.folder` is complete when this returns. When it is cancelled, everything that was started is
    ended, and the ledger keeps the cases that had finished, without a footer.
    """
    started = time.monotonic()
    jobs = plan(cases, builds, modes, options.attempts)
    ledger, header = open_ledger(options)
    with ledger:
        on_event(Planned(len(jobs), sum(job.attempts for job in jobs if job.verdict is None)))
        results = await _all_jobs(jobs, options, ledger, on_event)
        result = conclude(
            results,
            options.claims,
            options.baselines,
            folder=str(options.folder.path),
            command=options.command,
            seconds=time.monotonic() - started,
            header=header,
            ledger=str(ledger.path),
            catalog=options.catalog,
        )
        close_ledger(ledger, result, on_event)
    return result


def open_ledger(options: RunOptions) -> tuple[Ledger, RunHeader]:
    """A ledger with its first line."""
    ledger, header = options.folder.ledger(), new_header(options.command)
    ledger.append(header)
    return ledger, header


def close_ledger(ledger: Ledger, result: RunResult, on_event: Listener = lambda event: None) -> None:
    """Write the verdict of each claim, then the footer that says that the ledger is whole."""
    for verdict in result.verdicts:
        ledger.append(verdict)
        on_event(verdict)
    ledger.append(result.footer)


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


def new_header(command: Sequence[str]) -> RunHeader:
    """Who runs what on which machine, from now on."""
    return RunHeader(traceproof=__version__, started=now(), command=list(command), machine=machine_facts())


async def _all_jobs(jobs: Sequence[Job], options: RunOptions, ledger: Ledger, on_event: Listener) -> list[CaseResult]:
    """Results in the order of the jobs. Exclusive cases come last, one at a time, with nothing beside them."""
    results: dict[int, CaseResult] = {}
    stopped = asyncio.Event()

    async def work(worker: int, queue: list[int]) -> None:
        while queue and not stopped.is_set():
            number = queue.pop(0)
            result = await run_job(jobs[number], options, on_event, worker)
            ledger.append(result)
            on_event(result)
            results[number] = result
            if options.stop_early and _differs(result):
                stopped.set()

    shared = [number for number, job in enumerate(jobs) if not job.case.exclusive]
    alone = [number for number, job in enumerate(jobs) if job.case.exclusive]
    try:
        async with asyncio.TaskGroup() as group:
            for worker in range(max(1, options.workers)):
                group.create_task(work(worker, shared))
    except BaseExceptionGroup as failures:  # each worker ends with at most one; the first tells enough
        raise failures.exceptions[0] from None
    await work(0, alone)
    return [results[number] for number in sorted(results)]


def _differs(result: CaseResult) -> bool:
    return any(result.surprises(claim) for claim in result.verdicts)
