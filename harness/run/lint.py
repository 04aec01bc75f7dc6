"""What can be known to be wrong before anything runs: every file read, every rule and name looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from harness.errors import Problem, UserError
from harness.paths import configs_root, scenarios_root
from harness.run.baselines import baseline_files, load_baselines
from harness.run.capabilities import missing
from harness.run.vocabulary import check_names
from harness.scenario import SCENARIO_SUFFIX, own_checklist, survey
from harness.scenario import lint as rules


def lint(paths: Sequence[Path]) -> tuple[list[Problem], dict[str, int]]:
    """Every problem in `paths` (ours without any), and how many cases, claims and baselines were looked at."""
    ours = survey(scenarios_root())
    loaded = survey(*paths) if paths else ours
    listed = () if paths else [claim for ids in own_checklist().ids.values() for claim in ids]
    unread = {Path(problem.file).parent for problem in loaded.problems if problem.file.endswith(SCENARIO_SUFFIX)}
    problems = [*loaded.problems, *rules(loaded.claims.values(), loaded.cases, listed, unread)]
    for case in loaded.cases:
        problems += _told_by(partial(missing, case, "headless"))
        for arm in case.arms.values():
            problems += _told_by(partial(check_names, arm.record))
    folders = [path if path.is_dir() else path.parent for path in paths]
    known = {**ours.claims, **loaded.claims}
    baselines = 0
    for file in baseline_files(configs_root(), folders):
        try:
            baselines += len(load_baselines([file], known).entries)
        except UserError as error:
            problems += error.problems
    counts = {"cases": len(loaded.cases), "claims": len(loaded.claims), "baselines": baselines}
    return list(dict.fromkeys(problems)), counts


def _told_by(look: Callable[[], object]) -> tuple[Problem, ...]:
    try:
        look()
    except UserError as error:
        return error.problems
    return ()
