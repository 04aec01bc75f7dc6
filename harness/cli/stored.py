"""Stored attempts, by the ledgers of earlier runs: which recordings there are of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import Problem, UsageError

if TYPE_CHECKING:
    from harness.events import Attempt, CaseResult
    from harness.expect import Recording
    from harness.scenario.model import Case


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """An attempt of a run folder. Paths in `attempt.recordings` are relative to `folder`."""

    folder: Path
    result: CaseResult
    attempt: Attempt

    @property
    def place(self) -> Path:
        """The folder that holds its recordings."""
        return (self.folder / self.attempt.recordings[0].trace).parent


def run_folders(given: Path | None) -> list[Path]:
    """Folders with a ledger: the given one, or those under it; without one, those under `out/`. The newest first."""
    root = given or Path("out")
    if (root / "ledger.jsonl").is_file():
        return [root]
    found = [ledger.parent for ledger in root.glob("*/ledger.jsonl")]
    if given is not None and not found:
        raise UsageError(Problem(f"{given} holds no ledger.jsonl", expected="the output folder of `traceproof run`"))
    return sorted(found, key=lambda folder: (folder / "ledger.jsonl").stat().st_mtime, reverse=True)


def stored_attempts(case: Case, folders: Iterable[Path]) -> Iterator[StoredAttempt]:
    """Valid attempts of a case whose files are there and whose arms are those of the scenario as it is now."""
    from harness.events import CaseResult
    from harness.store import read_ledger

    for folder in folders:
        for line in read_ledger(folder / "ledger.jsonl"):
            if not isinstance(line, CaseResult) or (line.scenario, line.cell) != (case.id, case.cell):
                continue
            for attempt in line.attempts:
                arms = {one.arm for one in attempt.recordings}
                there = all((folder / one.trace).is_file() for one in attempt.recordings)
                if attempt.valid and there and arms == set(case.arms):
                    yield StoredAttempt(folder, line, attempt)


def best_attempt(case: Case, folders: Iterable[Path]) -> StoredAttempt | None:
    """The newest attempt that meets most expectations; what is not met cannot be mutated."""
    from harness.verdict import Outcome

    best: StoredAttempt | None = None
    most = -1
    for stored in stored_attempts(case, folders):
        met = sum(finding.outcome is Outcome.MET for finding in stored.attempt.findings)
        if met > most:
            best, most = stored, met
    return best


def recordings_of(stored: StoredAttempt, case: Case) -> dict[str, list[Recording]]:
    """The recordings of an attempt by arm, in the order of their blocks."""
    ordered = sorted(stored.attempt.recordings, key=lambda one: one.block)
    return load_recordings([stored.folder / one.trace for one in ordered], case)


def load_recordings(files: Iterable[Path], case: Case, arm: str = "") -> dict[str, list[Recording]]:
    """Traces with the contexts beside them; `arm` for a trace that has none, where the case has several."""
    from harness.expect import Recording
    from harness.run.which import context_of
    from harness.trace import load, resolve_page

    found: dict[str, list[Recording]] = {}
    for file in files:
        trace, (context, _) = load(file), context_of(file, case, arm)
        context.page = resolve_page(trace, context)
        found.setdefault(context.arm, []).append(Recording(trace, context))
    return found
