"""`traceproof baseline`: what is expected, and how it is changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import example
from harness.errors import Problem, UsageError

if TYPE_CHECKING:
    from harness.run.rebaseline import Proposal


@click.group(epilog=example("traceproof baseline update out/2026-01-31T12-00-00"))
def baseline() -> None:
    """Change which verdicts are expected."""


@baseline.command(
    epilog=example(
        "traceproof baseline update out/2026-01-31T12-00-00",
        "traceproof baseline update out/now parse-html.endline-needs-blink --reason 'Chrome 156 writes endLine again.'",
        "traceproof baseline update out/now --dry-run",
    )
)
@click.argument("ledger", type=click.Path(path_type=Path), metavar="LEDGER_OR_OUT")
@click.argument("claims", nargs=-1)
@click.option("--reason", default="", help="The reason for every entry, without asking.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option(
    "--scenarios",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Your own scenarios, where the ledger is of these.",
)
def update(ledger: Path, claims: tuple[str, ...], reason: str, dry_run: bool, scenarios: tuple[Path, ...]) -> int:
    """Make the verdicts of a ledger the expected ones.

    Shows each verdict that differs from the baseline, asks why, and writes an entry with the reason, the date and the
    sha256 of a recording that shows it: for ours to configs/baselines/, for yours beside your claims. CLAIMS (ids or
    globs) choose among what differs. A claim that gets no reason is left as it is. ERROR is never expected.
    """
    from harness.report.words import mode_label
    from harness.run.baseline_text import write_baselines
    from harness.run.catalog import load_catalog
    from harness.run.ledgers import ledgers_in, read_result
    from harness.run.rebaseline import propose

    catalog = load_catalog(scenarios)
    results = [read_result(path, catalog) for path in ledgers_in(ledger)]
    results.sort(key=lambda result: result.header.started)
    known = list(dict.fromkeys(one.claim for result in results for one in result.verdicts))
    chosen = [claim for claim in known if any(fnmatchcase(claim, word) for word in claims)]
    if claims and not chosen:
        raise UsageError(Problem(f"the ledger has no claim {' or '.join(claims)}"))
    if unknown := [claim for claim in chosen or known if claim not in catalog.claims]:
        raise UsageError(
            Problem(f"{unknown[0]!r} is no claim that is known here", remedy="say with --scenarios where it is")
        )
    proposals = propose(results, catalog, chosen)
    for one in proposals.refused:
        where = f"{one.claim} on {one.build.version} {mode_label(one.mode, one.raster)}"
        click.echo(f"not taken: {where} is {one.verdict}, which says nothing of Chrome")
    if not proposals.made:
        click.echo("every verdict is as expected; nothing to change")
        return 0
    for proposal in proposals.made:
        for line in _diff(proposal):
            click.echo(line)
    if dry_run:
        return 0
    reasons = [(proposal, reason.strip() or _ask(proposal)) for proposal in proposals.made]
    told = [(proposal, why) for proposal, why in reasons if why]
    for file in write_baselines(told, date.today().isoformat()):
        click.echo(f"written    {file}")
    if left := len(reasons) - len(told):
        click.echo(f"left as it was: {left}")
    return 0


def _diff(proposal: Proposal) -> Iterator[str]:
    from harness.report.words import bound_label, mode_label, tally

    versions, bound = proposal.versions, bound_label(proposal.modes, proposal.raster)
    replacing = f"  (replaces the entry of {proposal.replaces.date})" if proposal.replaces else ""
    yield f"{proposal.claim}  {versions} {bound}{replacing}"
    for verdict, expected in zip(proposal.verdicts, proposal.expected, strict=True):
        where = f"{verdict.build.version} {mode_label(verdict.mode, verdict.raster)}"
        yield f"  - {expected}"
        yield f"  + {verdict.verdict} {tally(verdict)} on {where}{f': {verdict.reason}' if verdict.reason else ''}"


def _ask(proposal: Proposal) -> str:
    if not _somebody():
        raise UsageError(
            Problem("a baseline needs a reason, and nobody can be asked here", remedy="give one with --reason")
        )
    answer = click.prompt(f"why is {proposal.claim} {proposal.verdict}? (empty: leave it)", default="", err=True)
    return str(answer).strip()


def _somebody() -> bool:
    """A person is there to answer."""
    return sys.stdin.isatty()
