"""A run in parts, for several machines: the same division of the jobs on all of them, without asking one another.

What a machine has of its own (its history, its load, what it lacks) has no say in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from harness.errors import Problem, UsageError
from harness.events import CaseResult, Shard
from harness.run.ledgers import ledgers_in
from harness.run.plan import Job, applies_elsewhere
from harness.store import read_ledger

# By scenario (with its cell) and version; the version is empty for the mean over all of them.
Durations = Mapping[tuple[str, str], float]


def parse_shard(text: str) -> tuple[int, int]:
    """`2/8`: the number from 1, and how many there are. `UsageError` for anything else."""
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip())
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        expected = "the number of the shard and how many there are, such as 2/8; the first is 1"
        raise UsageError(Problem("--shard is not the part of a run", expected=expected, found=text))
    return number, of


def read_durations(paths: Iterable[Path]) -> Durations:
    """Seconds that an attempt took, by the ledgers of earlier runs. `UsageError` where there is none."""
    seen: dict[tuple[str, str], list[float]] = {}
    for ledger in dict.fromkeys(found for path in paths for found in ledgers_in(path)):
        for line in read_ledger(ledger):
            if isinstance(line, CaseResult):
                seconds = [attempt.seconds for attempt in line.attempts]
                seen.setdefault((line.name, line.build.version), []).extend(seconds)
                seen.setdefault((line.name, ""), []).extend(seconds)
    return {key: fmean(sorted(seconds)) for key, seconds in seen.items() if seconds}


def make_shard(jobs: Sequence[Job], number: int, of: int, durations: Durations | None = None) -> Shard:
    """One of `of` parts: the jobs from the heaviest on, each to the part that has least so far.

    A job weighs what its attempts took before, by `durations`, else as many recordings as it makes; nothing where its
    scenario is not about the build.
    """
    weights = _weights(jobs, durations or {})
    parts: list[list[int]] = [[] for _ in range(of)]
    loads = [0.0] * of
    for job in sorted(range(len(jobs)), key=lambda job: (-weights[job], job)):
        part = min(range(of), key=lambda part: (loads[part], len(parts[part]), part))
        parts[part].append(job)
        loads[part] += weights[job]
    return Shard(number=number, of=of, jobs=sorted(parts[number - 1]), planned=len(jobs))


def _weights(jobs: Sequence[Job], durations: Durations) -> list[float]:
    """Whole milliseconds or recordings, so that no machine adds them up otherwise."""
    usual = median(durations.values()) if durations else 0.0

    def weight(job: Job) -> float:
        case = job.case
        if applies_elsewhere(case, job.build.major, job.mode):
            return 0.0
        if not durations:
            return job.attempts * len(case.arms) * (case.paired.blocks if case.paired else 1)
        known = durations.get((case.name, job.build.version)) or durations.get((case.name, ""))
        return round(1000 * job.attempts * (known or usual))

    return [weight(job) for job in jobs]
