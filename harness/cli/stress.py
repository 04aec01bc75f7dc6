"""`traceproof stress`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import (
    console,
    echo_json,
    example,
    find_cases,
    find_lab,
    json_option,
    lab_options,
    out_option,
    recorded_with,
    recorder_option,
    warn_if_busy,
    what_finished,
    workers_option,
)
from harness.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from harness.events import RunResult
    from harness.scenario.model import Case
    from harness.stress import Study


@click.command(
    epilog=example(
        "traceproof stress parse-html.gaps --runs 50",
        "traceproof stress my.scenario.yaml --runs 20 --mode shell --json > stress.json",
        "traceproof stress parse-html.gaps --from out/2026-01-31T12-00-00 --all",
    )
)
@click.argument("selectors", nargs=-1, required=True)
@lab_options
@click.option(
    "--runs", type=click.IntRange(2, 1000), default=50, show_default=True, help="How many attempts of each case."
)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True),
    help="The output folder of a run, or its ledger: tell of its attempts, and make none.",
)
@recorder_option
@workers_option
@out_option
@click.option("--all", "everything", is_flag=True, help="Every difference, and the bars of numbers that never vary.")
@json_option
def stress(
    selectors: tuple[str, ...],
    expression: str,
    runs: int,
    source: Path | None,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    recorder: str | None,
    workers: int,
    out: Path | None,
    everything: bool,
    as_json: bool,
) -> int:
    """Run scenarios many times: where verdicts flip, what the numbers do, and what differs when a claim is not met.

    The attempts are those of an ordinary run, their number is fixed, and each counts: a flake is named with its rate,
    never tried again. The folder has a ledger, so that `rederive`, `mutate` and `compare` work on it. Status as for
    `run`. Signs: ✓ met, ✗ not met, ? no evidence, ! the lab failed; * an expectation of the claim looks at that event.
    """
    from harness.report import to_json as run_json
    from harness.stress import to_json, told

    cases, catalog = find_cases(selectors, expression)
    if recorder:
        cases = recorded_with(recorder, cases)
    shown = console(stderr=as_json)
    if source is not None:
        from harness.run.ledgers import ledger_in, read_result

        result = read_result(ledger_in(source), catalog)
    else:
        from harness.report import ConsoleReport
        from harness.run.engine import run_cases
        from harness.run.options import RunOptions
        from harness.run.signals import Interrupted, blocking
        from harness.store import RunFolder

        builds, wanted = find_lab(browsers, modes)
        warn_if_busy()
        options = RunOptions(
            folder=RunFolder(out),
            claims=catalog.claims,
            baselines=catalog.baselines,
            attempts=runs,
            workers=workers,
            command=("traceproof", *sys.argv[1:]),
            catalog=catalog.cases,
            paths=catalog.paths,
        )
        folder = options.folder.path
        report = ConsoleReport(shown, folder=str(folder))
        try:
            with report:
                result = blocking(run_cases(cases, builds, wanted, options, report))
        except Interrupted as stopped:
            resume = f"`traceproof run --resume {folder}`, then `traceproof stress … --from {folder}`, goes on"
            click.echo(f"{stopped}; what had finished is kept in {folder}; {resume}", err=True)
            if finished := what_finished(options.folder, catalog):
                report.finish(finished, cut_short=stopped.name)
            return stopped.exit_code
        report.finish(result)
    studies = _studies(result, cases, shown)
    if as_json:
        echo_json({**run_json(result), "stress": [to_json(one) for one in studies]})
    for one in studies if not as_json else ():
        click.echo("\n" + "\n".join(told(one, everything=everything)))
    return result.exit_code


def _studies(result: RunResult, cases: Sequence[Case], shown: Console) -> list[Study]:
    """Of the cases that were asked for. `UsageError` where the run has none of them."""
    from rich.progress import Progress

    from harness.stress import study, to_read

    asked = {case.name: case for case in cases}
    chosen = [one for one in result.cases if one.name in asked]
    if not chosen:
        raise UsageError(
            Problem(
                f"the run in {result.folder} has none of these scenarios as a whole",
                expected=", ".join(asked),
                found=", ".join(one.name for one in result.cases) or "no case whose attempts were all made",
                remedy=f"let a run that was cut short end: traceproof run --resume {result.folder}",
            )
        )
    with Progress(console=shown, transient=True, disable=not shown.is_terminal) as progress:
        task = progress.add_task("reading recordings", total=sum(map(to_read, chosen)))
        return [study(one, Path(result.folder), asked[one.name], lambda: progress.advance(task)) for one in chosen]
