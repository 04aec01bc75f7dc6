"""Going on with a run that was cut short: its plan in the header, its attempts in the ledger, and what still lacks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness import __version__
from harness.browser import Build, find_builds, probe
from harness.errors import BrowserError, Problem, UsageError
from harness.events import (
    Attempt,
    AttemptDone,
    BuildView,
    CaseKey,
    CaseResult,
    RunHeader,
    RunPlan,
    RunResumed,
)
from harness.run.catalog import Catalog, load_catalog
from harness.run.job import key_of
from harness.run.options import RunOptions
from harness.run.plan import Job
from harness.run.views import build_view
from harness.scenario.model import Case
from harness.scenario.recorders import with_recorder
from harness.store import LEDGER, Ledger, in_use, is_whole, machine_facts, now, sha256_file

LATEST = "latest"


@dataclass(slots=True)
class Earlier:
    """What is there of a run: whole cases, and the attempts of those that were begun, by number."""

    header: RunHeader
    cases: dict[CaseKey, CaseResult] = field(default_factory=dict)
    attempts: dict[CaseKey, dict[int, Attempt]] = field(default_factory=dict)
    elapsed_s: float = 0.0
    ledger: Ledger | None = None

    @classmethod
    def none(cls, header: RunHeader) -> Earlier:
        return cls(header)

    @classmethod
    def read(cls, folder: Path) -> Earlier:
        """Take hold of the ledger of a run that was cut short. `UserError` where it tells no plan, or still goes on."""
        ledger, lines = Ledger.resume(folder / LEDGER)
        header = lines[0] if lines else None
        if not isinstance(header, RunHeader) or header.plan is None:
            ledger.close()
            raise UsageError(
                Problem(
                    "the ledger does not say what its run was to do, so nobody can go on with it",
                    file=str(ledger.path),
                    remedy="run it again",
                )
            )
        found = cls(header, ledger=ledger)
        for line in lines:
            if isinstance(line, AttemptDone):
                found.attempts.setdefault(line.key, {})[line.attempt.number] = line.attempt
                found.elapsed_s = max(found.elapsed_s, line.elapsed_s)
            elif isinstance(line, CaseResult):
                found.cases[line.key] = line
        return found

    @property
    def plan(self) -> RunPlan:
        assert self.header.plan is not None
        return self.header.plan

    @property
    def made(self) -> int:
        """How many attempts are there."""
        return sum(len(one) for one in self.attempts.values())

    def close(self) -> None:
        """Let go of the ledger, which is as it was."""
        if self.ledger is not None:
            self.ledger.close()

    def go_on(self, jobs: Sequence[Job], options: RunOptions) -> Ledger:
        """The ledger, and the folder of `options`, ready for what lacks.

        `UsageError` when something in it is of no job, so would count twice.
        """
        assert self.ledger is not None
        keys = {key_of(job) for job in jobs}
        if strange := [key for key in (*self.cases, *self.attempts) if key not in keys]:
            told = f"{strange[0].scenario} on {strange[0].binary} ({strange[0].version} {strange[0].mode})"
            raise _refused(self.ledger.path, f"the run has {told}, which would not be run now")
        for key, attempts in self.attempts.items():
            for one in (one for attempt in attempts.values() for one in attempt.recordings):
                options.folder.reserve(one.trace, key.binary)
        self.ledger.go_on()
        self.ledger.append(RunResumed(started=now(), command=list(options.command), machine=machine_facts()))
        return self.ledger


def plan_record(cases: Sequence[Case], builds: Sequence[Build], modes: Sequence[str], options: RunOptions) -> RunPlan:
    """What the header of a run says of its plan."""
    return RunPlan(
        directory=str(Path.cwd()),
        store=str(options.folder.store.root),
        paths=[str(path) for path in options.paths],
        cases=fingerprints(cases),
        builds=[build_view(build) for build in builds],
        modes=list(modes),
        recorder=next((case.recorder for case in cases if case.recorder), ""),
        attempts=options.attempts,
        sampling=options.sampling,
        stop_early=options.stop_early,
        shard=options.shard,
    )


def fingerprints(cases: Iterable[Case]) -> dict[str, str]:
    """By name, a sha256 over what each case is made of: its scenario file, and the files in the folders of its pages.

    Of a folder, hidden files and scenarios do not count, nor what lies deeper: these are pages of other scenarios.
    """
    known: dict[Path, str] = {}

    def folder_digest(folder: Path) -> str:
        if folder not in known:
            files = sorted(one for one in folder.iterdir() if one.is_file() and _served(one.name))
            told = "".join(f"{one.name} {sha256_file(one)}\n" for one in files)
            known[folder] = hashlib.sha256(told.encode()).hexdigest()
        return known[folder]

    def digest(case: Case) -> str:
        folders = sorted({arm.fixture.parent for arm in case.arms.values() if arm.fixture})
        parts = [sha256_file(case.file), *(folder_digest(folder) for folder in folders)]
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    return {case.name: digest(case) for case in cases}


def _served(name: str) -> bool:
    return not name.startswith(".") and (name.endswith(".server.yaml") or not name.endswith((".yaml", ".yml")))


def find_run(which: str, out: Path | None = None) -> Path:
    """The folder of the run that `--resume` means: `out`, a folder or its ledger, or `latest`, the newest below `out/`
    that was cut short. `UsageError` where there is none."""
    if which != LATEST or out is not None:
        if out is not None and which not in (LATEST, str(out)):
            raise UsageError(Problem(f"--resume {which} and --out {out} are two folders", remedy="name one"))
        named = out if out is not None else Path(which)
        folder = named.parent if named.name == LEDGER else named
        if not (folder / LEDGER).is_file():
            remedy = "name the folder of a run after --resume; selectors come before it"
            if out is not None:
                remedy = f"leave --resume out to begin a run in {out}, or name the folder of one that was cut short"
            raise UsageError(Problem(f"there is no ledger in {folder}", expected="the folder of a run", remedy=remedy))
        return folder
    found = sorted(Path("out").glob(f"*/{LEDGER}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for ledger in found:
        if not in_use(ledger.parent) and not is_whole(ledger):
            return ledger.parent
    message = "no run below out/ was cut short" if found else "there is no run below out/ to go on with"
    remedy = "name its folder after --resume, or leave --resume out to begin a run"
    raise UsageError(Problem(message, remedy=remedy))


@dataclass(frozen=True, slots=True)
class Again:
    """The parts of a plan as they are now."""

    cases: list[Case]
    catalog: Catalog
    builds: list[Build]


def look_again(plan: RunPlan, ledger: Path) -> Again:
    """The cases and builds of a plan. `UsageError` names what is another than it was, since one verdict cannot stand on
    attempts of both."""
    here = Path.cwd() == Path(plan.directory)
    paths = [Path(path) if here else Path(plan.directory, path) for path in plan.paths]
    if missing := [path for path in paths if not path.exists()]:
        raise _refused(ledger, f"{missing[0]} is not there any more")
    catalog = load_catalog(paths)
    known = {case.name: case for case in catalog.cases}
    if gone := [name for name in plan.cases if name not in known]:
        raise _refused(ledger, f"there is no scenario {gone[0]} any more")
    cases = [known[name] for name in plan.cases]
    today = fingerprints(cases)
    if changed := [name for name, digest in plan.cases.items() if today[name] != digest]:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise _refused(ledger, f"the scenario {changed[0]} or its page has changed since{more}")
    if plan.recorder:
        cases = [with_recorder(case, plan.recorder) for case in cases]
    return Again(cases, catalog, [_same_build(view, ledger) for view in plan.builds])


def same_traceproof(header: RunHeader, ledger: Path) -> None:
    """`UsageError` where another version of traceproof began the run: it may judge otherwise."""
    if header.traceproof != __version__:
        raise _refused(ledger, f"traceproof {header.traceproof} began it, and this is {__version__}")


def _same_build(view: BuildView, ledger: Path) -> Build:
    try:
        here = next((one for one in find_builds() if str(one.path) == view.path), None)
        build = replace(here, source=view.source) if here else probe(view.path, view.source)
    except BrowserError as error:
        raise _refused(ledger, f"the browser is not there any more: {error}") from None
    if build.version != view.version:
        raise _refused(ledger, f"{view.path} is {build.version} now, and was {view.version}")
    return build


def compare_asked(ledger: Path, asked: Mapping[str, tuple[Iterable[object], Iterable[object]]]) -> None:
    """`UsageError` where what a command line says beside `--resume` is not what the run was told.

    asked: what it is about; what it was, and what it is now.
    """
    for what, (was, today) in asked.items():
        old, new = (sorted(map(str, side)) for side in (was, today))
        if old != new:
            other = sorted(set(old) ^ set(new))
            raise _refused(ledger, f"the command line means other {what} than the run: {', '.join(other[:5])}")


def _refused(ledger: Path, why: str) -> UsageError:
    return UsageError(
        Problem(f"cannot be resumed: {why}", file=str(ledger), remedy="undo that, or run it again from the start")
    )
