"""`traceproof history`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import echo_json, example, json_option, ledgers_option
from harness.errors import Problem, UsageError
from harness.wording import did_you_mean, plural

if TYPE_CHECKING:
    from harness.events import ClaimVerdict
    from harness.run.history import Line, Seen


@click.command(
    epilog=example(
        "traceproof history parse-html.endline-needs-blink",
        "traceproof history parse-html.endline-needs-blink --out nightly --json",
        "traceproof history composite-layers.last-version-110 pre-paint.renamed-in-102",
    )
)
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM...")
@ledgers_option
@json_option
def history(claims: tuple[str, ...], out: Path, as_json: bool) -> int:
    """Show the verdicts that CLAIM has had over the versions, from the ledgers of earlier runs.

    Of several claims only the line is shown that says where each turned.
    """
    from harness.run.catalog import load_catalog
    from harness.run.history import history as look_up
    from harness.run.ledgers import ledgers_in

    catalog = load_catalog()
    ledgers = ledgers_in(out)
    found = {claim: look_up(claim, ledgers, catalog) for claim in claims}
    if never := [claim for claim, lines in found.items() if not lines]:
        raise UsageError([_never(claim, out, len(ledgers), list(catalog.claims)) for claim in never])
    if as_json:
        told = [
            {"claim": claim, "ledgers": len(ledgers), "modes": [_json(line) for line in lines]}
            for claim, lines in found.items()
        ]
        echo_json(told[0] if len(told) == 1 else {"claims": told})
        return 0
    for claim, lines in found.items():
        says = next((seen.verdict.says for line in lines for seen in line.latest if seen.verdict.says), "")
        click.echo(f"{claim}{f': {says}' if says else ''}")
        for line in lines:
            for text in _lines(line) if len(found) == 1 else [_turns(line)]:
                click.echo(text)
    return 0


def _never(claim: str, out: Path, ledgers: int, known: list[str]) -> Problem:
    if claim in known:
        remedy = f"`traceproof run {claim}` gives it one"
    else:
        remedy = did_you_mean(claim, known, otherwise="`traceproof claims list` shows the claims")
    return Problem(f"{claim} has no verdict in the {plural(ledgers, 'ledger')} of {out}", remedy=remedy)


def _turns(line: Line) -> str:
    from harness.report.words import mode_label

    turns = f"  goes back and forth: {line.turns} changes" if line.turns > 1 else ""
    answers = " → ".join(_stretch(word, seen) for word, seen in line.answers) or "no answer"
    return f"  {mode_label(line.mode, line.raster):<9} {answers}{turns}"


def _lines(line: Line) -> Iterator[str]:
    from harness.report.words import tally

    yield _turns(line)
    for seen in line.latest:
        one = seen.verdict
        said = "  ".join(part for part in (str(one.verdict), tally(one), _asked(one), one.reason) if part)
        yield f"    {one.build.version:<18} {said}"
        yield f"    {'':<18} {seen.started[:16].replace('T', ' ')}  {seen.ledger}"
        if one.build.version in line.twice:
            yield f"    {'':<18} by {one.build.path}"
        for before in line.earlier:
            other = before.verdict
            if other.build.version == one.build.version and other.verdict is not one.verdict:
                when = before.started[:16].replace("T", " ")
                yield f"    {'':<18} before: {other.verdict}  {tally(other)}  {when}  {before.ledger}"


def _asked(verdict: ClaimVerdict) -> str:
    """How many scenarios of the claim the run was of, where not of all."""
    asked, left_out = len(verdict.scenarios), len(verdict.left_out)
    return f"({asked} of {asked + left_out} scenarios)" if left_out else ""


def _stretch(word: str, seen: list[Seen]) -> str:
    majors = [one.verdict.build.major for one in seen]
    return f"{word} {majors[0]}" if majors[0] == majors[-1] else f"{word} {majors[0]}..{majors[-1]}"


def _json(line: Line) -> dict[str, Any]:
    return {
        "mode": line.mode,
        "raster": line.raster,
        "turns": line.turns,
        "latest": [seen_json(seen) for seen in line.latest],
        "earlier": [seen_json(seen) for seen in line.earlier],
    }


def seen_json(seen: Seen) -> dict[str, Any]:
    """One verdict of one run, for machines."""
    one = seen.verdict
    return {
        "version": one.build.version,
        "major": one.build.major,
        "binary": one.build.path,
        "verdict": str(one.verdict),
        "met": one.met,
        "valid": one.valid,
        "low": one.low,
        "high": one.high,
        "reason": one.reason,
        "left_out": one.left_out,
        "started": seen.started,
        "ledger": str(seen.ledger),
    }
