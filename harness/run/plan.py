"""What will be run: every case on every build and mode, with a reason for each that will not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.browser import Build, for_mode
from harness.errors import CapabilityError, Problem, UsageError
from harness.events import Sampling, Shard
from harness.run.applies import applies_elsewhere
from harness.run.capabilities import missing
from harness.scenario.model import Case
from harness.scenario.recorders import problems_of
from harness.verdict import Verdict

DEFAULT_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Job:
    """A case on one build and mode. `verdict` is set, with its reason, where there is nothing to run.

    With `sampling` there are `attempts` at most: that rule says after each whether another is needed.
    """

    case: Case
    build: Build
    mode: str
    attempts: int
    verdict: Verdict | None = None
    reason: str = ""
    sampling: Sampling | None = None

    @property
    def label(self) -> str:
        return f"{self.case.name} on {self.build.major} {self.mode}"


def plan(
    cases: Iterable[Case],
    builds: Sequence[Build],
    modes: Sequence[str],
    attempts: int | None,
    sampling: Sampling | None = None,
) -> list[Job]:
    """Cases × builds × modes. Without `modes`, each build runs in the first mode that it has.

    The number of attempts is fixed here: `attempts`, else the scenario's, else three; or the rule of `sampling` is.
    """
    jobs = [
        plan_one(case, build, mode, attempts)
        for case in cases
        for build in builds
        for mode in (modes or build.modes[:1])
    ]
    return [replace(job, attempts=sampling.at_most, sampling=sampling) for job in jobs] if sampling else jobs


def share_of(jobs: Sequence[Job], shard: Shard) -> list[Job]:
    """The jobs of a shard. `UsageError` where the plan is not the one that was divided."""
    if len(jobs) != shard.planned:
        told = f"the run has {len(jobs)} jobs now, and had {shard.planned} when it was divided into shards"
        raise UsageError(Problem(told, remedy="run it again from the start"))
    return [jobs[place] for place in shard.jobs]


def plan_one(case: Case, build: Build, mode: str, attempts: int | None) -> Job:
    """One job, with the binary of that version that has the mode, or the verdict of what cannot be run."""
    number = attempts or case.attempts or DEFAULT_ATTEMPTS
    if other := applies_elsewhere(case, build.major, mode):
        return Job(case, build, mode, number, Verdict.NOT_APPLICABLE, other)
    try:
        binary = for_mode(build, mode)
    except CapabilityError as lacking:
        return Job(case, build, mode, number, Verdict.UNSUPPORTED, str(lacking))
    if impossible := [str(problem) for arm in case.arms.values() for problem in problems_of(arm)]:
        return Job(case, binary, mode, number, Verdict.UNSUPPORTED, impossible[0])
    if lacks := missing(case, mode):
        return Job(case, binary, mode, number, Verdict.UNSUPPORTED, lacks)
    return Job(case, binary, mode, number)
