"""A whole run: jobs spread over workers, each fact written to the ledger before the next begins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from harness.browser import Build, shared_driver
from harness.events import (
    CaseResult,
    Planned,
    ProgressEvent,
    RunHeader,
    RunPlan,
    RunResult,
)
from harness.run.durations import recent_durations, weigh
from harness.run.job import key_of, run_job
from harness.run.judging import conclude, new_header
from harness.run.options import RunOptions
from harness.run.plan import Job, plan, share_of
from harness.run.resume import Earlier, plan_record
from harness.scenario.model import Case
from harness.store import Ledger

Listener = Callable[[ProgressEvent], None]


async def run_cases(
    cases: Sequence[Case],
    builds: Sequence[Build],
    modes: Sequence[str],
    options: RunOptions,
    on_event: Listener,
    earlier: Earlier | None = None,
) -> RunResult:
    """Run every case on every build and mode; `on_event` hears of each step.

    `earlier`: what a run of the same that was cut short has left; only what lacks is run, into the same ledger.

    The ledger in `options.folder` is complete when this returns. When it is cancelled, everything that was started is
    ended, and the ledger keeps the attempts that had finished, without a footer.
    """
    started = time.monotonic() - (earlier.elapsed_s if earlier else 0)
    jobs = plan(cases, builds, modes, options.attempts, options.sampling)
    if options.shard:
        jobs = share_of(jobs, options.shard)
    if earlier:
        ledger, header = earlier.go_on(jobs, options), earlier.header
    else:
        ledger, header = open_ledger(options, plan_record(cases, builds, modes, options))
    with ledger:
        results = await _all_jobs(jobs, options, ledger, on_event, earlier or Earlier.none(header), started)
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


def open_ledger(options: RunOptions, planned: RunPlan | None = None) -> tuple[Ledger, RunHeader]:
    """A ledger with its first line."""
    ledger, header = options.folder.ledger(), new_header(options.command, planned)
    ledger.append(header)
    return ledger, header


def close_ledger(ledger: Ledger, result: RunResult, on_event: Listener = lambda event: None) -> None:
    """Write the verdict of each claim, then the footer that says that the ledger is whole."""
    for verdict in result.verdicts:
        ledger.append(verdict)
        on_event(verdict)
    ledger.append(result.footer)


async def _all_jobs(
    jobs: Sequence[Job],
    options: RunOptions,
    ledger: Ledger,
    on_event: Listener,
    earlier: Earlier,
    began: float,
) -> list[CaseResult]:
    """Results in the order of the jobs.

    Several workers take the longest cases first. Exclusive cases come last, one at a time, with nothing beside them.
    """
    keys = [key_of(job) for job in jobs]
    results = {number: earlier.cases[key] for number, key in enumerate(keys) if key in earlier.cases}
    done = {number: earlier.attempts.get(key, {}) for number, key in enumerate(keys)}
    left = [number for number in range(len(jobs)) if number not in results]
    stopped = asyncio.Event()
    if options.stop_early and any(_differs(result) for result in results.values()):
        stopped.set()
    made = [number for number in left if jobs[number].verdict is None]
    on_event(Planned(len(left), sum(jobs[number].attempts - len(done[number]) for number in made)))

    async def work(worker: int, queue: list[int]) -> None:
        async with shared_driver():
            while queue and not stopped.is_set():
                number = queue.pop(0)
                result = await run_job(
                    jobs[number], options, on_event, worker, keep=ledger.append, began=began, done=done[number]
                )
                ledger.append(result)
                on_event(result)
                results[number] = result
                if options.stop_early and _differs(result):
                    stopped.set()

    shared = [number for number in left if not jobs[number].case.exclusive]
    alone = [number for number in left if jobs[number].case.exclusive]
    if options.workers > 1:
        shared = _longest_first(shared, jobs, options)
    try:
        async with asyncio.TaskGroup() as group:
            for worker in range(max(1, options.workers)):
                group.create_task(work(worker, shared))
    except BaseExceptionGroup as failures:  # each worker ends with at most one; the first tells enough
        raise failures.exceptions[0] from None
    await work(0, alone)
    return [results[number] for number in sorted(results)]


def _longest_first(numbers: Sequence[int], jobs: Sequence[Job], options: RunOptions) -> list[int]:
    """So that no worker is left with a long case when the others have nothing to do any more."""
    durations = options.durations
    if durations is None:
        durations = recent_durations(options.folder.path)
    weights = weigh(jobs, durations)
    return sorted(numbers, key=lambda number: (-weights[number], number))


def _differs(result: CaseResult) -> bool:
    return any(result.surprises(claim) for claim in result.verdicts)
