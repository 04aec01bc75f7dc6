"""A run in parts, for several machines: the same division of the jobs on all of them, without asking one another.

What a machine has of its own (its history, its load, what it lacks) has no say in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.errors import Problem, UsageError
from harness.events import Shard
from harness.run.durations import Durations, weigh
from harness.run.plan import Job


def parse_shard(text: str) -> tuple[int, int]:
    """`2/8`: the number from 1, and how many there are. `UsageError` for anything else."""
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip())
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        expected = "the number of the shard and how many there are, such as 2/8; the first is 1"
        raise UsageError(Problem("--shard is not the part of a run", expected=expected, found=text))
    return number, of


def make_shard(jobs: Sequence[Job], number: int, of: int, durations: Durations | None = None) -> Shard:
    """One of `of` parts: the jobs from the heaviest on, each to the part that has least so far.

    A job weighs what `weigh` says.
    """
    weights = weigh(jobs, durations or {})
    parts: list[list[int]] = [[] for _ in range(of)]
    loads = [0.0] * of
    for job in sorted(range(len(jobs)), key=lambda job: (-weights[job], job)):
        part = min(range(of), key=lambda part: (loads[part], len(parts[part]), part))
        parts[part].append(job)
        loads[part] += weights[job]
    return Shard(number=number, of=of, jobs=sorted(parts[number - 1]), planned=len(jobs))
