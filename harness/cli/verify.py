"""`traceproof verify`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import (
    attempts_option,
    echo_json,
    example,
    find_cases,
    find_lab,
    json_option,
    lab_options,
    out_option,
    workers_option,
)
from harness.errors import Problem, UsageError
from harness.wording import plural

if TYPE_CHECKING:
    from harness.events import ProgressEvent, RunResult


@click.command(
    epilog=example(
        "traceproof verify --browser 153,156",
        "traceproof verify parse-html --browser 157 --json",
        "traceproof verify --ledger out/2026-01-31T12-00-00",
    )
)
@click.argument("selectors", nargs=-1)
@lab_options
@attempts_option
@workers_option
@click.option(
    "--ledger", type=click.Path(path_type=Path, exists=True), help="Of this run, and run nothing (a file or a folder)."
)
@click.option("--known-ok", is_flag=True, help="What the baseline expects of each build is no difference between them.")
@click.option("--all", "everything", is_flag=True, help="Every claim that differs, not one screen.")
@out_option
@json_option
def verify(
    selectors: tuple[str, ...],
    expression: str,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    attempts: int | None,
    workers: int,
    ledger: Path | None,
    known_ok: bool,
    everything: bool,
    out: Path | None,
    as_json: bool,
) -> int:
    """Show what changed between builds and against the baseline, on one screen.

    Runs the scenarios that SELECTORS choose (all without any) on each build, as `traceproof run` does, and prints only
    the claims whose verdict differs. Exit status: 0 nothing differs, 1 something does, 3 the harness or the browser
    failed.
    """
    from harness.report import changes, verify_json, verify_lines
    from harness.run.signals import Interrupted

    if ledger is not None:
        if browsers or modes or attempts or out:
            raise UsageError(Problem("--ledger runs nothing", remedy="leave out what chooses browsers and attempts"))
        result = _stored(ledger, selectors, expression)
    else:
        try:
            result = _run(selectors, expression, browsers, modes, attempts, workers, out)
        except Interrupted as stopped:
            kept = "what had finished is kept in the output folder: `traceproof verify --ledger` reads it"
            click.echo(f"{stopped}; {kept}", err=True)
            return stopped.exit_code
    if as_json:
        echo_json(verify_json(result))
    else:
        for line in verify_lines(result, everything=everything):
            click.echo(line)
    differs = any(one.drifted or (one.changed and not known_ok) for one in changes(result))
    return result.exit_code or int(differs)


def _run(
    selectors: tuple[str, ...],
    expression: str,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    attempts: int | None,
    workers: int,
    out: Path | None,
) -> RunResult:
    from harness.run.engine import run_cases
    from harness.run.options import RunOptions
    from harness.run.signals import blocking
    from harness.store import RunFolder

    cases, catalog = find_cases(selectors, expression)
    builds, wanted_modes = find_lab(browsers, modes)
    options = RunOptions(
        folder=RunFolder(out),
        claims=catalog.claims,
        baselines=catalog.baselines,
        attempts=attempts,
        workers=workers,
        command=("traceproof", *sys.argv[1:]),
        catalog=catalog.cases,
        paths=catalog.paths,
    )
    return blocking(run_cases(cases, builds, wanted_modes, options, _Progress()))


class _Progress:
    """One line for each case, beside the answer."""

    def __init__(self) -> None:
        self._cases = self._done = 0

    def __call__(self, event: ProgressEvent) -> None:
        from harness.events import CaseResult, Planned
        from harness.report.words import build_label, counted

        if isinstance(event, Planned):
            self._cases = event.cases
            click.echo(f"{plural(event.cases, 'case')}, {plural(event.attempts, 'attempt')}", err=True)
        if isinstance(event, CaseResult):
            self._done += 1
            told = f"{event.name} on {build_label(*event.lab)}: {counted(event.verdicts.values())}"
            click.echo(f"[{self._done}/{self._cases}] {told}", err=True)


def _stored(path: Path, selectors: tuple[str, ...], expression: str) -> RunResult:
    """A run of before, held against the baseline of now."""
    from harness.run.ledgers import expecting, ledger_in, read_result

    cases, catalog = find_cases(selectors, expression)
    chosen = {claim for case in cases for claim in case.claims} if selectors or expression else None
    return expecting(read_result(ledger_in(path), catalog), catalog.baselines, chosen)
