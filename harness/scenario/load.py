"""Files and folders of scenarios: found, read, checked; every mistake in every file is told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness import paths
from harness.errors import Problem, ScenarioError
from harness.scenario.arms import World
from harness.scenario.assemble import Assembled, assemble
from harness.scenario.claims import ClaimsFile, by_id, read_claims
from harness.scenario.model import Case, Claim
from harness.scenario.nodes import read, shown
from harness.scenario.report import OUTSIDE, Report, Use

SCENARIO_SUFFIX = ".scenario.yaml"
CLAIMS_FILE = "claims.yaml"


@dataclass(frozen=True)
class Loaded:
    """What a folder holds. Scenario files that have `problems` are missing from `cases`; what of them is sound is in
    `torn`. `uses`: names that only a browser or a machine gives a meaning.
    """

    cases: list[Case] = field(default_factory=list)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    files: list[ClaimsFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    torn: list[Case] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    @property
    def events(self) -> dict[str, str]:
        """Slug -> the event's name."""
        return {file.slug: file.event for file in self.files}


def load_file(
    path: Path, claims: Mapping[str, Claim] | None = None, fixtures_roots: Sequence[Path] | None = None
) -> list[Case]:
    """The cases of one scenario file, one for each cell of its matrix.

    Without `claims` those of the nearest `claims.yaml` at or above the file and those of the repository are known.
    `ScenarioError` carries every problem of the file.
    """
    if claims is None:
        claims = {**_own_claims(), **_claims_near(path)}
    report = Report()
    found = _load(path, World(list(claims), _roots(fixtures_roots)), report)
    if report.problems:
        raise ScenarioError(_sorted(report.problems))
    return list(found.cases)


def load_folder(*folders: Path, fixtures_roots: Sequence[Path] | None = None) -> Loaded:
    """Everything below some folders (or single scenario files); `ScenarioError` carries every problem of every file."""
    loaded = survey(*folders, fixtures_roots=fixtures_roots)
    if loaded.problems:
        raise ScenarioError(loaded.problems)
    return loaded


def survey(*folders: Path, fixtures_roots: Sequence[Path] | None = None) -> Loaded:
    """As `load_folder`, but problems are answered beside what could be read."""
    report = Report()
    scenario_paths: list[Path] = []
    claims_paths: list[Path] = []
    for folder in folders or (paths.scenarios_root(),):
        if folder.is_file():
            scenario_paths.append(folder)
            claims_paths.extend(_nearest_claims(folder))
        elif folder.is_dir():
            scenario_paths.extend(paths.below(folder, f"*{SCENARIO_SUFFIX}"))
            claims_paths.extend(paths.below(folder, CLAIMS_FILE))
        else:
            report.problems.append(Problem("there is no such file or folder", str(folder)))
    files = _read_claims(dict.fromkeys(claims_paths), report)
    claims = by_id(files)
    known = dict.fromkeys((*(name for file in files for name in file.ids), *_own_claims()))
    world = World(list(known), _roots(fixtures_roots))
    read_files = {file.path.resolve() for file in files}
    cases: list[Case] = []
    torn: list[Case] = []
    uses: list[Use] = []
    for path in dict.fromkeys(scenario_paths):
        own = Report()
        lost = any(file.resolve() not in read_files for file in _nearest_claims(path))
        found = _load(path, replace(world, claim_ids=None) if lost else world, own)
        cases.extend(found.cases)
        torn.extend(found.torn)
        uses.extend(use for use in own.uses if use.kind in OUTSIDE)
        report.problems.extend(_sorted(own.problems))
    _check_unique([*cases, *torn], report)
    return Loaded(cases, claims, files, report.problems, torn, list(dict.fromkeys(uses)))


def _load(path: Path, world: World, report: Report) -> Assembled:
    try:
        root, text = read(path)
    except ScenarioError as error:
        report.problems.extend(error.problems)
        return Assembled()
    return assemble(root, text, path, world, report)


def _read_claims(claims_paths: Iterable[Path], report: Report) -> list[ClaimsFile]:
    files: list[ClaimsFile] = []
    seen: dict[str, ClaimsFile] = {}
    for path in claims_paths:
        try:
            file = read_claims(path, report)
        except ScenarioError as error:
            report.problems.extend(error.problems)
            continue
        if file.slug and file.slug in seen:
            found = f"also in {shown(seen[file.slug].path)}"
            report.add(
                file.at, f'the slug "{file.slug}" is given twice', found=found, remedy="put the claims into one file"
            )
        seen.setdefault(file.slug, file)
        files.append(file)
    return files


def _own_claims() -> Mapping[str, Claim]:
    """The claims of the repository, which a user's scenario may decide too."""
    root = paths.scenarios_root()
    return by_id(_read_claims(paths.below(root, CLAIMS_FILE), Report())) if root.is_dir() else {}


def _claims_near(path: Path) -> Mapping[str, Claim]:
    report = Report()
    claims = by_id(_read_claims(_nearest_claims(path), report))
    if report.problems:
        raise ScenarioError(report.problems)
    return claims


def _nearest_claims(path: Path) -> list[Path]:
    """The claims file in the folder of a scenario, or in the one above it."""
    folder = path.resolve().parent
    return [file for place in (folder, folder.parent) if (file := place / CLAIMS_FILE).is_file()][:1]


def _roots(fixtures_roots: Sequence[Path] | None) -> Sequence[Path]:
    return [paths.fixtures_root()] if fixtures_roots is None else fixtures_roots


def _check_unique(cases: list[Case], report: Report) -> None:
    first: dict[str, Case] = {}
    for case in cases:
        other = first.setdefault(case.id, case)
        if case.id and other.file != case.file:
            remedy = "rename one of them"
            message = f'the scenario id "{case.id}" is given twice'
            report.add(case.at, message, found=f"also in {shown(other.file)}", remedy=remedy)


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.line, problem.column))
