"""A bisection on a real machine: the builds that there are, stored answers first, new recordings last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.browser import Build, find_builds, modes_of, one_per_version
from harness.browser.build import SHELL
from harness.browser.catalogue import catalogue
from harness.browser.obtain import install_package
from harness.errors import BrowserError
from harness.events import BuildView, CaseResult, ProgressEvent
from harness.run.answers import NOW, Answer, Told, answer_of, stored
from harness.run.bisect import SPREAD, Line, Point, flake_rate, lacking, next_point
from harness.run.catalog import Catalog
from harness.run.probe import probe
from harness.run.signals import blocking
from harness.run.views import build_view
from harness.scenario.model import Case
from harness.stats import attempts_to_tell
from harness.stats.telling import FEWEST
from harness.store import LEDGER, RunFolder
from harness.versions import parse_version

ROUNDS = 6  # in which one build is asked for more attempts, at most twice as many as before in each


@dataclass(frozen=True, slots=True)
class Asking:
    """What may be asked. `newest` and `oldest` are majors. `attempts`: overrides the number by the flake rate.

    mode: shell, in which all old builds are, where it is empty and the scenario allows that.

    record: make new recordings. fetch: install builds that are not here. every: leave no build unasked.
    """

    oldest: int
    newest: int
    mode: str = ""
    record: bool = True
    fetch: bool = True
    every: bool = False
    attempts: int | None = None
    command: Sequence[str] = ()


def lines_of(
    claim: str,
    cases: Sequence[Case],
    ledgers: Sequence[Path],
    asking: Asking,
    catalog: Catalog,
    echo: Callable[[str], None],
    on_event: Callable[[ProgressEvent], None],
) -> list[Line]:
    """One line for each case of a claim. `echo` hears what is done, in words."""
    folder: list[Path] = []

    def new_folder(version: str) -> RunFolder:
        if not folder:
            folder.append(RunFolder().path)
        number, name = 2, version
        while (folder[0] / name).exists():
            name, number = f"{version}-{number}", number + 1
        return RunFolder(folder[0] / name)

    found = []
    for case in cases:
        chosen = replace(asking, mode=asking.mode or _mode_of(case))
        found.append(_Bisection(claim, case, ledgers, chosen, catalog, echo, on_event, new_folder).line())
    return found


def _mode_of(case: Case) -> str:
    return SHELL if not case.modes or SHELL in case.modes else case.modes[0]


class _Bisection:
    """The line of one case, asked for as long as there is something to ask."""

    def __init__(
        self,
        claim: str,
        case: Case,
        ledgers: Sequence[Path],
        asking: Asking,
        catalog: Catalog,
        echo: Callable[[str], None],
        on_event: Callable[[ProgressEvent], None],
        new_folder: Callable[[str], RunFolder],
    ) -> None:
        self._claim, self._case, self._asking, self._catalog = claim, case, asking, catalog
        self._echo, self._on_event, self._new_folder = echo, on_event, new_folder
        self._notes: list[str] = []
        self._told: dict[str, list[Told]] = {}
        for one in stored(case, claim, asking.mode, ledgers, self._notes):
            if asking.oldest <= one.build.major <= asking.newest:
                self._told.setdefault(one.build.version, []).append(one)
        self._points = _points(asking, list(self._told))
        self._rounds: dict[str, int] = {}
        self._recorded: Path | None = None

    def line(self) -> Line:
        while self._asking.record and (wanted := self._wanted()):
            self._ask(*wanted)
        claim = self._catalog.claims.get(self._claim)
        bounds = [("the scenario", self._case.versions), ("the claim", claim.versions if claim else None)]
        return Line(
            self._claim,
            self._case.name,
            self._asking.mode,
            self._case.raster,
            ", ".join(f"{what} is bound to {bound}" for what, bound in bounds if bound and bound.spans),
            tuple(self._points),
            self._answers(),
            tuple(dict.fromkeys(self._notes)),
            self._recorded,
        )

    def _answers(self) -> dict[str, Answer]:
        return {version: answer_of(self._claim, told) for version, told in self._told.items()}

    def _wanted(self) -> tuple[Point, int] | None:
        """The next build to ask, and for how many attempts."""
        answers = self._answers()
        number = self._asking.attempts or attempts_to_tell(flake_rate(answers))
        if new := next_point(self._points, answers, 0 if self._asking.every else SPREAD):
            return new, number
        for version, more in lacking(self._points, answers).items():
            if self._rounds.get(version, 0) < ROUNDS and self._asking.attempts is None:
                self._rounds[version] = self._rounds.get(version, 0) + 1
                point = next(one for one in self._points if one.version == version)
                return point, min(more, max(answers[version].valid, FEWEST))
        return None

    def _ask(self, point: Point, attempts: int) -> None:
        try:
            build = point.build or self._fetched(point)
        except BrowserError as error:
            why = f"it could not be installed: {error}".splitlines()[0]
            self._told.setdefault(point.version, []).append(Told(_view(point), (), NOW, Path(), why))
            return
        folder = self._new_folder(point.version)
        self._recorded = folder.path.parent
        self._echo(f"{point.label}: {attempts} attempts of {self._case.name}")
        work = probe(
            self._case,
            build,
            self._asking.mode,
            attempts,
            self._catalog,
            folder,
            self._asking.command,
            self._on_event,
        )
        result = blocking(work)
        self._told.setdefault(point.version, []).append(_of(result, folder.path / LEDGER))
        said = answer_of(self._claim, self._told[point.version])
        self._echo(f"{point.label}: {said.verdict} {said.met} of {said.valid}{f' ({said.why})' if said.why else ''}")

    def _fetched(self, point: Point) -> Build:
        assert point.package is not None
        build = install_package(point.package, self._echo)
        self._points = [Point(point.version, build) if one is point else one for one in self._points]
        return build


def _of(result: CaseResult, ledger: Path) -> Told:
    why = result.reason if not result.attempts else ""
    return Told(result.build, tuple(result.attempts), NOW, ledger, why)


def _view(point: Point) -> BuildView:
    if point.build:
        return build_view(point.build)
    return BuildView(product="Chrome Headless Shell", version=point.version, major=point.major, path="", source="npm")


def _points(asking: Asking, stored_versions: Sequence[str]) -> list[Point]:
    """Every version in the range that is here, can be had, or has a stored answer; the oldest first."""
    found = {version: Point(version) for version in stored_versions}
    if asking.fetch and asking.mode == SHELL:
        found |= {one.says: Point(one.says, package=one) for one in catalogue()}
    found |= {
        build.version: Point(build.version, build)
        for build in one_per_version(find_builds())
        if asking.mode in modes_of(build)
    }
    inside = [point for point in found.values() if asking.oldest <= point.major <= asking.newest]
    return sorted(inside, key=lambda point: parse_version(point.version))
