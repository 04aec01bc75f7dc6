"""`traceproof run`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.resume import Task, resumed
from harness.cli.shared import (
    at_most_option,
    attempts_option,
    console,
    echo_json,
    example,
    find_cases,
    find_lab,
    json_option,
    lab_options,
    out_option,
    quiet_option,
    recorded_with,
    recorder_option,
    report_options,
    sampled,
    sharded,
    store_option,
    until_decided_option,
    warn_if_busy,
    what_finished,
    workers_option,
    write_reports,
)
from harness.errors import StoreError


@click.command(
    epilog=example(
        "traceproof run",
        "traceproof run parse-html --browser 153 --mode shell",
        "traceproof run 'parse-html.*' -k 'not utf' --attempts 10 --json > verdicts.json",
        "traceproof run ./my-scenarios -x",
        "traceproof run commit.shape --recorder startup",
        "traceproof run --resume",
        "traceproof run parse-html.gaps --until-decided --at-most 60",
        "traceproof run --shard 2/8 --out shard-2",
    )
)
@click.argument("selectors", nargs=-1)
@lab_options
@recorder_option
@attempts_option
@until_decided_option
@at_most_option
@workers_option
@out_option
@store_option
@json_option
@report_options
@quiet_option
@click.option("--profile", "profiled", is_flag=True, help="Show where the time went: launch, record, steps, judge, …")
@click.option("-x", "stop_early", is_flag=True, help="Stop after the first case that differs.")
@click.option("--shard", metavar="K/N", help="Only the K-th of N parts of the jobs; `traceproof merge` joins them.")
@click.option(
    "--durations",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="How long cases took, by these ledgers: for --shard, the same ones for all parts; else for the order, "
    "in which several workers take the longest first. Default for the order: the latest runs in out/.",
)
@click.option(
    "--resume",
    is_flag=False,
    flag_value="latest",
    metavar="[FOLDER]",
    help="Go on with a run that was cut short: that of a folder, or the latest below out/.",
)
@click.pass_context
def run(
    context: click.Context,
    selectors: tuple[str, ...],
    expression: str,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    recorder: str | None,
    attempts: int | None,
    until_decided: bool,
    at_most: int | None,
    workers: int,
    out: Path | None,
    store: Path | None,
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
    html: Path | None,
    quiet: bool,
    profiled: bool,
    stop_early: bool,
    shard: str | None,
    durations: tuple[Path, ...],
    resume: str | None,
) -> int:
    """Run scenarios on real browsers and give a verdict for each claim.

    SELECTORS are scenario ids, claims, event slugs, globs over these, or paths of scenario files and folders (your own
    included). Without any, every scenario that comes with traceproof runs.

    With --resume nothing else needs to be said: the ledger knows what the run was to do. Attempts that it holds are
    not made again. It is refused where a scenario, its page, the browser or the command line is not what it was.
    """
    from harness.report import ConsoleReport, to_json
    from harness.run.durations import read_durations
    from harness.run.engine import run_cases
    from harness.run.options import RunOptions
    from harness.run.signals import Interrupted, blocking
    from harness.store import RunFolder

    command = ("traceproof", *sys.argv[1:])
    if resume is not None:
        task = resumed(context, resume, out, command, workers)
    else:
        cases, catalog = find_cases(selectors, expression)
        if recorder:
            cases = recorded_with(recorder, cases)
        builds, wanted_modes = find_lab(browsers, modes)
        sampling = sampled(until_decided, at_most, attempts)
        known = read_durations(durations) if durations else None
        part = sharded(shard, known, cases, builds, wanted_modes, attempts, sampling)
        options = RunOptions(
            folder=RunFolder(out, store=store),
            claims=catalog.claims,
            baselines=catalog.baselines,
            attempts=attempts,
            sampling=sampling,
            workers=workers,
            durations=known,
            stop_early=stop_early,
            command=command,
            catalog=catalog.cases,
            paths=catalog.paths,
            shard=part,
        )
        task = Task(cases, builds, wanted_modes, options, catalog)
    folder = task.options.folder.path
    says = {claim.id: claim.says for claim in task.options.claims.values()}
    report = ConsoleReport(console(stderr=as_json), quiet=quiet, says=says, folder=str(folder))
    try:
        if task.ended is None:
            warn_if_busy()
            with report:
                work = run_cases(task.cases, task.builds, task.modes, task.options, report, task.earlier)
                result = blocking(work)
        else:
            result = task.ended
    except Interrupted as stopped:
        click.echo(
            f"{stopped}; everything that was started is ended. What had finished is kept in {folder}; "
            f"`traceproof run --resume {folder}` goes on",
            err=True,
        )
        if finished := what_finished(task.options.folder, task.catalog):
            report.finish(finished, cut_short=stopped.name)
            if as_json:
                echo_json({**to_json(finished), "cut_short": stopped.name})
        return stopped.exit_code
    except StoreError as full:
        raise StoreError(f"{full}\n  what had finished is kept; `traceproof run --resume {folder}` goes on") from None
    report.finish(result)
    if profiled:
        from harness.report.profile import profile_table

        console(stderr=as_json).print(profile_table(result.cases))
    if as_json:
        echo_json(to_json(result))
    write_reports(result, junit, markdown, html, quiet=as_json or quiet)
    return result.exit_code
