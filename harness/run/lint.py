"""What can be known to be wrong before anything runs: every file read, every rule and name looked up.

Each check is made on whatever parts are sound, so that one look tells every mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.categories import check
from harness.errors import CategoryError, Problem
from harness.expect.forms.prepared import sql_problems
from harness.paths import below, configs_root, fixtures_root, scenarios_root
from harness.run.baselines import Baselines, baseline_files, survey_baselines
from harness.run.capabilities import unknown_needs
from harness.run.catalog import Catalog
from harness.scenario import SCENARIO_SUFFIX, Loaded, own_checklist, survey
from harness.scenario import lint as rules
from harness.scenario.model import Case
from harness.scenario.report import Use

_SIDECARS = "*.server.yaml"


@dataclass(frozen=True, slots=True)
class Linted:
    """`counts`: how many cases, claims and baselines were looked at. `catalog`: those that are sound."""

    problems: list[Problem]
    counts: dict[str, int]
    catalog: Catalog


def lint(paths: Sequence[Path]) -> Linted:
    """Every problem in `paths`; in what comes with traceproof without any."""
    ours = survey(scenarios_root())
    loaded = survey(*paths) if paths else ours
    listed = () if paths else [claim for ids in own_checklist().ids.values() for claim in ids]
    every = [*loaded.cases, *loaded.torn]
    problems = [*loaded.problems, *rules(loaded.claims.values(), every, listed, _unread(loaded))]
    problems += _of_sidecars(paths, every)
    problems += sql_problems(every)
    for use in loaded.uses:
        problems += _unknown(use)
    folders = [path if path.is_dir() else path.parent for path in paths]
    known = {*ours.claims, *(name for file in loaded.files for name in file.ids)}
    entries, wrong = survey_baselines(baseline_files(configs_root(), folders), known)
    problems += wrong
    counts = {
        "cases": len(every),
        "claims": len(loaded.claims),
        "baselines": sum(one.claim in loaded.claims for one in entries),
    }
    claims = {**ours.claims, **loaded.claims}
    catalog = Catalog(tuple(loaded.cases), loaded.claims, claims, Baselines(tuple(entries)))
    in_order = sorted(dict.fromkeys(problems), key=lambda one: (one.file, one.line, one.column))
    return Linted(in_order, counts, catalog)


def _of_sidecars(paths: Sequence[Path], cases: Sequence[Case]) -> list[Problem]:
    """What is wrong in the files that tell the server how to serve the fixtures of the paths and of these cases."""
    pages = {arm.fixture for case in cases for arm in case.arms.values() if arm.fixture}
    folders = [path for path in paths if path.is_dir()] if paths else [fixtures_root()]
    found = {file.resolve() for folder in folders for file in below(folder, _SIDECARS)}
    found |= {file for page in pages if (file := page.with_name(f"{page.name}{_SIDECARS[1:]}")).is_file()}
    if not found:
        return []
    from harness.server import problems_in

    return [problem for file in sorted(found) for problem in problems_in(file)]


def _unread(loaded: Loaded) -> set[Path]:
    """Folders with a scenario of which it is not known what it decides: its claims are unread, or no claims at all."""
    known = {name for file in loaded.files for name in file.ids}
    told = {case.file for case in (*loaded.cases, *loaded.torn) if case.claims and known.issuperset(case.claims)}
    files = {Path(problem.file) for problem in loaded.problems if problem.file.endswith(SCENARIO_SUFFIX)}
    return {file.parent for file in files if file.resolve() not in told}


def _unknown(use: Use) -> Sequence[Problem]:
    if use.kind == "need":
        return unknown_needs([use.name], use.at)
    try:
        check([use.name], None, at=use.at)
    except CategoryError as error:
        return error.problems
    return ()
