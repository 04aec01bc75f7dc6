"""`traceproof run`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.shared import (
    attempts_option,
    browser_option,
    console,
    echo_json,
    example,
    expression_option,
    find_cases,
    find_lab,
    json_option,
    mode_option,
    out_option,
    recorded_with,
    recorder_option,
    warn_if_busy,
    what_finished,
    workers_option,
)


@click.command(
    epilog=example(
        "traceproof run",
        "traceproof run parse-html --browser 153 --mode shell",
        "traceproof run 'parse-html.*' -k 'not utf' --attempts 10 --json > verdicts.json",
        "traceproof run ./my-scenarios -x",
        "traceproof run commit.shape --recorder startup",
    )
)
@click.argument("selectors", nargs=-1)
@expression_option
@browser_option
@mode_option
@recorder_option
@attempts_option
@workers_option
@out_option
@json_option
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML here.")
@click.option("--markdown", type=click.Path(path_type=Path, dir_okay=False), help="Write a Markdown summary here.")
@click.option("--quiet", "-q", is_flag=True, help="Only what differs from the baseline.")
@click.option("-x", "stop_early", is_flag=True, help="Stop after the first case that differs.")
def run(
    selectors: tuple[str, ...],
    expression: str,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    recorder: str | None,
    attempts: int | None,
    workers: int,
    out: Path | None,
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
    quiet: bool,
    stop_early: bool,
) -> int:
    """Run scenarios on real browsers and give a verdict for each claim.

    SELECTORS are scenario ids, claims, event slugs, globs over these, or paths of scenario files and folders (your own
    included). Without any, every scenario that comes with traceproof runs.
    """
    from harness.report import ConsoleReport, to_json, to_junit, to_markdown
    from harness.run import Interrupted, RunOptions, blocking, run_cases
    from harness.store import RunFolder, write_atomic

    cases, catalog = find_cases(selectors, expression)
    if recorder:
        cases = recorded_with(recorder, cases)
    builds, wanted_modes = find_lab(browsers, modes)
    warn_if_busy()
    options = RunOptions(
        folder=RunFolder(out),
        claims=catalog.claims,
        baselines=catalog.baselines,
        attempts=attempts,
        workers=workers,
        stop_early=stop_early,
        command=("traceproof", *sys.argv[1:]),
        catalog=catalog.cases,
    )
    says = {claim.id: claim.says for claim in catalog.claims.values()}
    report = ConsoleReport(console(stderr=as_json), quiet=quiet, says=says, folder=str(options.folder.path))
    try:
        with report:
            result = blocking(run_cases(cases, builds, wanted_modes, options, report))
    except Interrupted as stopped:
        kept = options.folder.path
        click.echo(f"{stopped}; everything that was started is ended. What had finished is kept in {kept}", err=True)
        if finished := what_finished(options.folder, catalog):
            report.finish(finished, cut_short=stopped.name)
            if as_json:
                echo_json({**to_json(finished), "cut_short": stopped.name})
        return stopped.exit_code
    report.finish(result)
    if as_json:
        echo_json(to_json(result))
    if junit:
        write_atomic(junit, to_junit(result))
    if markdown:
        write_atomic(markdown, to_markdown(result).encode())
    return result.exit_code
