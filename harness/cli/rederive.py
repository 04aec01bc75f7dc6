"""`traceproof rederive`"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import echo_json, example, json_option, scenarios_option
from harness.errors import Problem, UserError
from harness.wording import plural

if TYPE_CHECKING:
    from harness.run.changes import Change
    from harness.run.rederive import Rederived

_CLAIMS = 3  # named in a line


@click.command(
    epilog=example("traceproof rederive out/2026-01-31T12-00-00", "traceproof rederive out --json > again.json")
)
@click.argument("ledger", type=click.Path(path_type=Path), metavar="LEDGER_OR_OUT")
@scenarios_option
@json_option
def rederive(ledger: Path, scenarios: tuple[Path, ...], as_json: bool) -> int:
    """Derive every verdict of a ledger again from its stored recordings, with no browser.

    LEDGER_OR_OUT is a ledger.jsonl, the folder of a run, or a folder of runs. Whether a recording was valid is taken
    from the ledger, the expectations from the scenario files as they are now. Exit status 1 when any verdict, reason or
    finding comes out in other words or nothing could be derived, 2 when a ledger or a scenario cannot be read.
    """
    from harness.run.ledgers import ledgers_in
    from harness.run.rederive import rederive as derive

    told: list[Rederived] = []
    broken: list[Problem] = []
    for path in ledgers_in(ledger):
        try:
            told.append(derive(path, scenarios, lambda name: click.echo(f"  {name}", err=True)))
        except UserError as error:  # the others are worth hearing of
            broken += error.problems
    if broken and not told:
        raise UserError(broken)
    for problem in dict.fromkeys(broken):
        click.echo(f"error: {problem}", err=True)
    if as_json:
        echo_json({"ledgers": [_json(one) for one in told], "problems": [dataclasses.asdict(one) for one in broken]})
    else:
        for one in told:
            for line in _lines(one):
                click.echo(line)
    if broken:
        return UserError.exit_code
    return 1 if any(one.changes or not one.verdicts for one in told) else 0


def _json(one: Rederived) -> dict[str, Any]:
    import msgspec

    return {
        "ledger": str(one.ledger),
        "same": bool(one.verdicts) and not one.changes,
        "cases": one.cases,
        "recordings": one.recordings,
        "notes": one.notes,
        "changes": [dataclasses.asdict(change) for change in one.changes],
        "verdicts": [msgspec.to_builtins(verdict) for verdict in one.verdicts],
    }


def _lines(one: Rederived) -> Iterator[str]:
    counted = f"{plural(len(one.verdicts), 'verdict')} derived again from {plural(one.recordings, 'recording')}"
    yield f"{one.ledger}: {counted}"
    for note in one.notes:
        yield f"  note     {note}"
    if not one.changes:
        yield "  all to the same words" if one.verdicts else "  nothing could be derived"
        return
    for about in ("verdict", "attempt", "finding"):
        for changes in _alike(each for each in one.changes if each.about == about):
            yield from _change(changes)
    verdicts = sum(change.about == "verdict" for change in one.changes)
    yield f"  {plural(verdicts, 'verdict')} and {len(one.changes) - verdicts} of what they come from differ"


def _alike(changes: Iterable[Change]) -> Iterable[list[Change]]:
    """Changes of one expectation on one build and mode, all attempts together."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes:
        key = (change.claims, change.scenario, change.build, change.mode, change.expectation)
        groups.setdefault(key, []).append(change)
    return groups.values()


def _change(changes: Sequence[Change]) -> Iterator[str]:
    one = changes[0]
    claims = ", ".join(one.claims[:_CLAIMS]) + (
        f" and {len(one.claims) - _CLAIMS} more" if len(one.claims) > _CLAIMS else ""
    )
    yield f"  {one.about:<8} {claims}  ({one.scenario} on {one.build} {one.mode})"
    if one.expectation:
        head, *rest = one.expectation.splitlines()
        yield f"    expected {head}"
        yield from (f"             {line}" for line in rest)
        yield f"    at       {one.place}"
    yield f"    stored   {one.stored}"
    yield f"    derived  {one.derived}{f'  (attempt {one.attempt})' if one.attempt else ''}"
    if others := [str(change.attempt) for change in changes[1:]]:
        yield f"    and so   in attempt {', '.join(others)}"
