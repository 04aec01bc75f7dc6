"""Cases run one by one on behalf of another runner (pytest), which decides their order and counts them."""

from __future__ import annotations

import asyncio
import fcntl
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.browser import Build
from harness.events import CaseResult, ProgressEvent, RunHeader
from harness.run.baselines import Baselines
from harness.run.builds import find_builds, find_modes
from harness.run.catalog import Catalog, load_catalog
from harness.run.engine import close_ledger, open_ledger
from harness.run.job import run_job
from harness.run.judging import conclude
from harness.run.options import RunOptions
from harness.run.plan import Job, plan
from harness.scenario.model import Case
from harness.store import STORE, Ledger, RunFolder
from harness.verdict import Verdict


class Session:
    """One event loop, one output folder and one ledger for many calls of `run`.

    `part` names this process among several that share `out` (a worker of xdist): it gets a folder of its own there, and
    an exclusive case waits until no other process runs one. Folders are made when the first case runs.
    """

    def __init__(
        self,
        *,
        browsers: Sequence[str],
        modes: Sequence[str],
        attempts: int | None,
        out: Path | None,
        part: str,
        start: Path,
        command: tuple[str, ...],
    ) -> None:
        self._wanted_browsers, self._wanted_modes, self._attempts = browsers, modes, attempts
        self._out, self._part, self._start, self._command = out, part, start, command
        self._builds: list[Build] = []
        self._catalogs: dict[str, Catalog] = {}
        self._runner = asyncio.Runner()
        self._folder: RunFolder | None = None
        self._ledger: Ledger | None = None
        self._header: RunHeader | None = None
        self._deciders: Counter[tuple[str, str, str, str]] = Counter()
        self._collected: dict[str, Case] = {}
        self._results: list[CaseResult] = []
        self._began = time.monotonic()

    @property
    def folder(self) -> RunFolder:
        """Where the recordings and the ledger of this process go."""
        if self._folder is None:
            path = self._out / self._part if self._out and self._part else self._out
            shared = self._out / STORE if self._out else None
            self._folder = RunFolder(path, parent=self._start / "out", store=shared)
        return self._folder

    def jobs(self, file: Path) -> list[Job]:
        """The jobs of one scenario file; `ScenarioError` with every mistake in it."""
        catalog = load_catalog([file])
        self._catalogs[str(file)] = catalog
        if not self._builds:
            self._builds = find_builds(self._wanted_browsers, print)
        return plan(catalog.cases, self._builds, find_modes(self._wanted_modes, self._builds), self._attempts)

    def expect(self, jobs: Sequence[Job]) -> None:
        """What was collected, so that claims which several cases decide are known, whichever of them are run."""
        self._collected = {job.case.name: job.case for job in jobs}
        self._deciders = Counter(
            (claim, str(job.build.path), job.mode, job.case.raster)
            for job in jobs
            for claim in dict.fromkeys(job.case.claims)
        )

    def run(self, job: Job) -> CaseResult:
        """Run a job to its end; its line is in the ledger when this returns."""
        catalog = self._catalogs[str(job.case.file)]
        options = RunOptions(self.folder, catalog.claims, catalog.baselines, command=self._command)
        if self._ledger is None:
            self._ledger, self._header = open_ledger(options)
        with self._turn(job.case.exclusive):
            result = self._runner.run(run_job(job, options, _unheard, keep=self._ledger.append, began=self._began))
        self._ledger.append(result)
        self._results.append(result)
        return result

    def surprises(self, result: CaseResult) -> list[str]:
        """Claims whose verdict differs from the baseline.

        One that several cases decide, and that the baseline expects to fail, is not contradicted by a case that holds.
        """
        return [
            claim
            for claim, verdict in result.verdicts.items()
            if verdict is not Verdict.UNSUPPORTED
            and (result.surprises(claim) if self._decided_elsewhere(claim, result) else result.drifts(claim))
        ]

    def _decided_elsewhere(self, claim: str, result: CaseResult) -> bool:
        return self._deciders[claim, result.build.path, result.mode, result.raster] > 1

    def says(self, claim: str) -> str:
        """A claim in words."""
        known = (catalog.claims.get(claim) for catalog in self._catalogs.values())
        return next((found.says for found in known if found), "")

    def close(self) -> None:
        """Write the verdicts of the claims and the footer, and end the loop."""
        self._runner.close()
        if self._ledger is None:
            return
        claims = {name: claim for catalog in self._catalogs.values() for name, claim in catalog.claims.items()}
        # Each file has ours and those beside it. Ours come first in each, so that what stands beside a file wins.
        entries = dict.fromkeys(entry for catalog in self._catalogs.values() for entry in catalog.baselines.entries)
        result = conclude(
            self._results,
            claims,
            Baselines(tuple(entries)),
            folder=str(self.folder.path),
            command=self._command,
            seconds=time.monotonic() - self._began,
            header=self._header,
            ledger=str(self._ledger.path),
            catalog=list(self._collected.values()),
        )
        close_ledger(self._ledger, result)
        self._ledger.close()

    @contextmanager
    def _turn(self, alone: bool) -> Iterator[None]:
        """A lock that all processes of one run know: ordinary cases hold it together, an exclusive one alone."""
        shared = self.folder.path.parent if self._part else self.folder.path
        with (shared / ".turn").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield


def _unheard(event: ProgressEvent) -> None:
    """The other runner has its own progress."""
