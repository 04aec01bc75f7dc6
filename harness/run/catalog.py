"""All that is known before a browser starts: scenarios, claims and baselines, ours and the user's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.errors import Problem, ScenarioError, UsageError
from harness.events import CaseResult
from harness.paths import configs_root, scenarios_root
from harness.run.baselines import Baselines, baseline_files, load_baselines
from harness.scenario import Loaded, load_folder, survey
from harness.scenario.model import Case, Claim


@dataclass(frozen=True, slots=True)
class Catalog:
    """`cases` and `own_claims`: those of the files and folders that the user named, else all of ours.

    `claims`: every claim that is known, ours and theirs. `paths`: those files and folders.
    """

    cases: tuple[Case, ...]
    own_claims: Mapping[str, Claim]
    claims: Mapping[str, Claim]
    baselines: Baselines
    paths: tuple[Path, ...] = ()


def load_catalog(paths: Sequence[Path] = ()) -> Catalog:
    """What lies in `paths`, or everything of ours without any. `ScenarioError` names every mistake of every file.

    Our own claims are known to the user's scenarios too, but mistakes in our files do not stop theirs.
    """
    ours = _ours()
    if not paths and ours.problems:
        raise ScenarioError(ours.problems)
    loaded = load_folder(*paths) if paths else ours
    claims = {**ours.claims, **loaded.claims}
    folders = [path if path.is_dir() else path.parent for path in paths]
    baselines = load_baselines(baseline_files(configs_root(), folders), claims)
    return Catalog(tuple(loaded.cases), loaded.claims, claims, baselines, tuple(paths))


def scenarios_of(
    results: Sequence[CaseResult], given: Sequence[Path] = (), folders: Collection[str] = ()
) -> tuple[Catalog, dict[tuple[str, str], Case]]:
    """The scenarios of stored results by id and cell, the user's before ours of the same name.

    They are looked for in `given`, where the ledger says that they were, and among ours. `folders`: those in which the
    runs were started; relative places are looked for in the current one first.
    """
    ours = load_catalog()
    said = {result.place.rsplit(":", 2)[0] for result in results}
    files = set(given) or {_there(file, folders) for file in said}
    own = sorted(file for file in files if file.exists() and not file.resolve().is_relative_to(scenarios_root()))
    catalog = load_catalog(own) if own else ours
    return catalog, {(case.id, case.cell): case for case in (*ours.cases, *catalog.cases)}


def every_case(catalog: Catalog) -> list[Case]:
    """The cases of a catalog and all of ours: what is found somewhere is a word that means something elsewhere too."""
    return list({(case.id, case.cell): case for case in (*_ours().cases, *catalog.cases)}.values())


def _there(file: str, folders: Collection[str]) -> Path:
    places = [Path(file), *(Path(folder, file) for folder in folders if folder)]
    return next((place for place in places if place.is_file()), places[0])


@cache
def _ours() -> Loaded:
    return survey(scenarios_root())


def split_paths(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Names, and paths: what is written as one, or is a folder and none of ours. `UsageError` when it is missing."""
    names: list[str] = []
    paths: list[Path] = []
    for word in words:
        path = Path(word)
        written_as_path = "/" in word or word.endswith((".yaml", ".yml")) or word in (".", "..")
        if written_as_path and not path.exists():
            raise UsageError(Problem(f"{word} does not exist", remedy="give the path of a scenario file or a folder"))
        if written_as_path or (path.is_dir() and not (scenarios_root() / word).is_dir()):
            paths.append(path)
        else:
            names.append(word)
    return names, paths
