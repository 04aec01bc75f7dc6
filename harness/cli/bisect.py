"""`traceproof bisect`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import MODES, echo_json, example, expression_option, find_cases, json_option, ledgers_option
from harness.errors import Problem, UsageError

if TYPE_CHECKING:
    from harness.events import ProgressEvent
    from harness.run.catalog import Catalog
    from harness.scenario.model import Case


@click.command(
    epilog=example(
        "traceproof bisect composite-layers.last-version-110 --from 83 --to 156",
        "traceproof bisect pre-paint.renamed-in-102 --stored --json",
        "traceproof bisect parse-html.endline-needs-blink --installed --all",
    )
)
@click.argument("claim")
@click.argument("folders", nargs=-1, metavar="[FILES|FOLDERS]...")
@click.option("--from", "oldest", type=int, default=83, show_default=True, metavar="MAJOR", help="The oldest version.")
@click.option("--to", "newest", type=int, default=999, metavar="MAJOR", help="The newest version. Default: any.")
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="Default: shell, in which all old builds are, where the scenario allows it.",
)
@expression_option
@ledgers_option
@click.option("--stored", is_flag=True, help="Ledgers and stored recordings only: no browser is started.")
@click.option("--installed", is_flag=True, help="Builds of this machine only: nothing is fetched.")
@click.option("--all", "every", is_flag=True, help="Ask every build, also between two that answer alike.")
@click.option("--attempts", type=click.IntRange(1, 1000), help="Of each build. Default: by the flake rate.")
@json_option
def bisect(
    claim: str,
    folders: tuple[str, ...],
    oldest: int,
    newest: int,
    mode: str | None,
    expression: str,
    out: Path,
    stored: bool,
    installed: bool,
    every: bool,
    attempts: int | None,
    as_json: bool,
) -> int:
    """Find the release in which CLAIM starts or stops holding.

    Each scenario of the claim is asked by itself, on versions too that it is not bound to: by the verdicts of ledgers
    below --out, then by stored recordings, then by new ones, for which builds of configs/builds.yaml are installed. No
    history is taken for monotonic. Exit status: 0 every change is told apart, 1 something is left open, 3 no build
    answered.
    """
    from harness.cli.bisect_text import line_json, line_lines, summary_lines
    from harness.run.bisecting import Asking, lines_of
    from harness.run.ledgers import any_ledgers
    from harness.run.signals import Interrupted

    cases, catalog = _deciders(claim, folders, expression)
    if oldest >= newest:
        raise UsageError(Problem(f"--from {oldest} is not older than --to {newest}"))
    asking = Asking(
        oldest,
        newest,
        mode or "",
        record=not stored,
        fetch=not installed and not stored,
        every=every,
        attempts=attempts,
        command=("traceproof", *sys.argv[1:]),
    )
    try:
        lines = lines_of(claim, cases, any_ledgers(out), asking, catalog, _tell, _progress)
    except Interrupted as stopped:
        click.echo(f"{stopped}; what was recorded is kept and will be found again", err=True)
        return stopped.exit_code
    if as_json:
        echo_json({"claim": claim, "lines": [line_json(line) for line in lines]})
    else:
        known = catalog.claims.get(claim)
        click.echo(f"{claim}{f': {known.says}' if known else ''}")
        for text in (text for line in lines for text in line_lines(line)):
            click.echo(text)
        for text in summary_lines(lines):
            click.echo(text)
    if not any(line.stretches for line in lines):
        return 3
    return 0 if all(line.settled for line in lines) else 1


def _deciders(claim: str, folders: tuple[str, ...], expression: str) -> tuple[list[Case], Catalog]:
    from harness.run.selectors import select
    from harness.wording import did_you_mean

    _, catalog = find_cases(folders)
    known = list(dict.fromkeys(name for case in catalog.cases for name in case.claims))
    if claim not in known:
        if claim in catalog.claims:
            why = "it is undecidable or open" if not folders else "none of these files decides it"
            raise UsageError(Problem(f"no scenario decides {claim}: {why}"))
        remedy = did_you_mean(
            claim, known, 3, "`traceproof claims list` shows the claims; for one of yours, name its folder after it"
        )
        raise UsageError(Problem(f"{claim!r} is no claim", remedy=remedy))
    return select(catalog.cases, [claim], expression), catalog


def _tell(line: str) -> None:
    click.echo(f"  {line}", err=True)


def _progress(event: ProgressEvent) -> None:
    from harness.events import Progressed

    if isinstance(event, Progressed):
        seconds = event.attempt.seconds
        click.echo(f"    attempt {event.attempt.number} of {event.case}: {seconds:.1f} s", err=True)
