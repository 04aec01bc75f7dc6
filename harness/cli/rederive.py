"""`traceproof rederive`"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import echo_json, example, json_option
from harness.wording import plural

if TYPE_CHECKING:
    from harness.run.changes import Change
    from harness.run.rederive import Rederived

_CLAIMS = 3  # named in a line


@click.command(
    epilog=example("traceproof rederive out/2026-01-31T12-00-00", "traceproof rederive out --json > again.json")
)
@click.argument("ledger", type=click.Path(path_type=Path), metavar="LEDGER_OR_OUT")
@click.option(
    "--scenarios",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Where your own scenario files are now. Default: where the ledger says that they were.",
)
@json_option
def rederive(ledger: Path, scenarios: tuple[Path, ...], as_json: bool) -> int:
    """Derive every verdict of a ledger again from its stored recordings, with no browser.

    LEDGER_OR_OUT is a ledger.jsonl, the folder of a run, or a folder of runs. Whether a recording was valid is taken
    from the ledger, the expectations from the scenario files as they are now. Exit status 1 when any verdict, reason or
    finding does not come out in the same words.
    """
    from harness.run.ledgers import ledgers_in
    from harness.run.rederive import rederive as derive

    told = [derive(path, scenarios, lambda name: click.echo(f"  {name}", err=True)) for path in ledgers_in(ledger)]
    if as_json:
        echo_json({"ledgers": [_json(one) for one in told]})
    else:
        for one in told:
            for line in _lines(one):
                click.echo(line)
    return 1 if any(one.changes for one in told) else 0


def _json(one: Rederived) -> dict[str, Any]:
    import msgspec

    return {
        "ledger": str(one.ledger),
        "same": not one.changes,
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
        yield "  all to the same words"
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
