"""`traceproof run --resume`: what a run that was cut short was to do, held against the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from harness.cli.shared import find_cases, find_lab, sampled

if TYPE_CHECKING:
    from harness.browser import Build
    from harness.events import RunPlan, RunResult
    from harness.run.catalog import Catalog
    from harness.run.options import RunOptions
    from harness.run.resume import Earlier
    from harness.scenario.model import Case


@dataclass(frozen=True, slots=True)
class Task:
    """What `run` has to do. `ended`: the result of a run that needs nothing any more."""

    cases: Sequence[Case]
    builds: Sequence[Build]
    modes: Sequence[str]
    options: RunOptions
    catalog: Catalog
    earlier: Earlier | None = None
    ended: RunResult | None = None


def resumed(context: click.Context, which: str, out: Path | None, command: tuple[str, ...], workers: int) -> Task:
    """The rest of a run. `UsageError` where there is none, or where it would not be the same run."""
    from harness.run.catalog import load_catalog
    from harness.run.ledgers import read_result
    from harness.run.options import RunOptions
    from harness.run.resume import Earlier, compare_asked, find_run, look_again, same_traceproof
    from harness.store import LEDGER, RunFolder, is_whole

    folder = find_run(which, out)
    ledger = folder / LEDGER
    if is_whole(ledger):
        click.echo(f"the run in {folder} has ended; nothing is left to do", err=True)
        catalog = load_catalog()
        result = read_result(ledger, catalog)
        return Task([], [], [], RunOptions(RunFolder(folder), catalog.claims), catalog, ended=result)
    earlier = Earlier.read(folder)
    try:
        same_traceproof(earlier.header, ledger)
        again = look_again(earlier.plan, ledger)
        compare_asked(ledger, _asked(context, earlier.plan))
    except BaseException:
        earlier.close()
        raise
    click.echo(
        f"going on with {folder}: {earlier.made} attempts and {len(earlier.cases)} whole cases are there", err=True
    )
    options = RunOptions(
        folder=RunFolder(folder, store=Path(earlier.plan.directory, earlier.plan.store)),
        claims=again.catalog.claims,
        baselines=again.catalog.baselines,
        attempts=earlier.plan.attempts,
        sampling=earlier.plan.sampling,
        workers=workers,
        stop_early=earlier.plan.stop_early or bool(context.params["stop_early"]),
        command=command,
        catalog=again.catalog.cases,
        paths=again.catalog.paths,
        shard=earlier.plan.shard,
    )
    return Task(again.cases, again.builds, earlier.plan.modes, options, again.catalog, earlier)


def _asked(context: click.Context, plan: RunPlan) -> dict[str, tuple[Iterable[object], Iterable[object]]]:
    """What the command line says beside --resume: by subject, what it was and what it is now."""
    said = context.params
    given = {name for name in said if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    asked: dict[str, tuple[Iterable[object], Iterable[object]]] = {}
    if said["selectors"] or said["expression"]:
        asked["cases"] = plan.cases, [case.name for case in find_cases(said["selectors"], said["expression"])[0]]
    if given & {"browsers", "modes"}:
        builds, modes = find_lab(said["browsers"] or [view.path for view in plan.builds], said["modes"])
        asked["browsers"] = [view.path for view in plan.builds], [build.path for build in builds]
        if "modes" in given:
            asked["modes"] = plan.modes, modes
    if given & {"shard", "durations"}:
        was = f"{plan.shard.number}/{plan.shard.of}" if plan.shard else "the whole run"
        asked["shard"] = [was], [said["shard"] or was]
    if "recorder" in given:
        asked["recorder"] = [plan.recorder or "the scenario's own"], [said["recorder"]]
    if "attempts" in given:
        asked["number of attempts"] = [plan.attempts or "the scenario's own"], [said["attempts"]]
    if given & {"until_decided", "at_most"}:
        rule = sampled(said["until_decided"], said["at_most"], said["attempts"])
        asked["rule for the number of attempts"] = [plan.sampling], [rule]
    return asked
