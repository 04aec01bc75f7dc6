"""How long cases took in earlier runs, and what a job weighs by that: for even shards, and for the order of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from harness.errors import UserError
from harness.events import CaseResult
from harness.run.applies import applies_elsewhere
from harness.run.ledgers import ledgers_in
from harness.run.plan import Job
from harness.store import LEDGER, read_ledger

# By scenario (with its cell) and version; the version is empty for the mean over all of them.
Durations = Mapping[tuple[str, str], float]
_RECENT = 10  # ledgers: enough to have met most cases, and read in a moment


def read_durations(paths: Iterable[Path]) -> Durations:
    """Seconds that an attempt took, by the ledgers of earlier runs. `UsageError` where there is none."""
    return _of_ledgers(dict.fromkeys(found for path in paths for found in ledgers_in(path)))


def recent_durations(folder: Path) -> Durations:
    """The same by the latest runs beside the folder of a run; nothing where there was none, or none can be read."""
    found = {ledger: ledger.stat().st_mtime for ledger in folder.absolute().parent.glob(f"*/{LEDGER}")}
    readable: dict[tuple[str, str], float] = {}
    for ledger in sorted(found, key=lambda ledger: found[ledger])[-_RECENT:]:
        try:
            readable |= _of_ledgers([ledger])
        except UserError:
            continue  # one that a killed run has left says nothing, and is nobody's mistake here
    return readable


def _of_ledgers(ledgers: Iterable[Path]) -> dict[tuple[str, str], float]:
    seen: dict[tuple[str, str], list[float]] = {}
    for ledger in ledgers:
        for line in read_ledger(ledger):
            if isinstance(line, CaseResult):
                seconds = [attempt.seconds for attempt in line.attempts]
                seen.setdefault((line.name, line.build.version), []).extend(seconds)
                seen.setdefault((line.name, ""), []).extend(seconds)
    return {key: fmean(sorted(seconds)) for key, seconds in seen.items() if seconds}


def weigh(jobs: Sequence[Job], durations: Durations) -> list[float]:
    """What each job weighs: what its attempts took before, else as many recordings as it makes; nothing where its
    scenario is not about the build. Whole milliseconds or recordings, so that no machine adds them up otherwise."""
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
