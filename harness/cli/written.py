"""`traceproof written`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import bar, echo_json, example, json_option, ledgers_option
from harness.wording import plural

if TYPE_CHECKING:
    from harness.run.written import Share, Wanted, Written


@click.command(
    epilog=example(
        "traceproof written CompositeLayers Commit@disabled-by-default-devtools.timeline Layerize",
        "traceproof written UpdateLayerTree PrePaint --out out/renames --markdown",
    )
)
@click.argument("names", nargs=-1, required=True, metavar="NAME[@CATEGORY]...")
@ledgers_option
@click.option("--markdown", is_flag=True, help="As a table for a document.")
@json_option
def written(names: tuple[str, ...], out: Path, markdown: bool, as_json: bool) -> int:
    """Show which builds write events of these names on the page's main thread, from stored recordings.

    For each build: in how many of the recordings that had the event's category. Where an event was renamed, one column
    ends and another begins. Only valid recordings of the ledgers below --out are read.
    """
    from harness.run.catalog import load_catalog
    from harness.run.ledgers import ledgers_in
    from harness.run.written import Wanted
    from harness.run.written import written as look

    wanted = [Wanted.parse(name) for name in names]
    with bar(as_json) as progress:
        task = progress.add_task("", total=None)
        found = look(
            wanted, ledgers_in(out), load_catalog(), lambda name: progress.update(task, advance=1, description=name)
        )
    if as_json:
        builds = [
            {"version": version, "mode": mode, "events": {str(one): _json(share) for one, share in shares.items()}}
            for (version, mode), shares in found.shares.items()
        ]
        echo_json({"builds": builds, "unread": found.unread})
        return 0
    for line in _markdown(wanted, found) if markdown else _plain(wanted, found):
        click.echo(line)
    if found.unread:
        click.echo(f"{plural(len(found.unread), 'recording')} not there any more: {found.unread[0]} …", err=True)
    return 0


def _json(share: Share) -> dict[str, int]:
    return {"wrote": share.wrote, "could": share.could}


def _cell(one: Wanted, share: Share, found: Written) -> str:
    if not share.could:  # without one of them anywhere nobody knows its category
        return "not recorded" if any(shares[one].could for shares in found.shares.values()) else "never seen"
    return f"{share.wrote} of {share.could}" if share.wrote else f"– of {share.could}"


def _rows(wanted: list[Wanted], found: Written) -> Iterator[list[str]]:
    for (version, mode), shares in found.shares.items():
        yield [version, mode, *(_cell(one, shares[one], found) for one in wanted)]


def _plain(wanted: list[Wanted], found: Written) -> Iterator[str]:
    rows = [["build", "mode", *(one.name for one in wanted)], *_rows(wanted, found)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _markdown(wanted: list[Wanted], found: Written) -> Iterator[str]:
    heads = ["build", "mode", *(f"`{one.name}`" for one in wanted)]
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in _rows(wanted, found):
        yield f"| {' | '.join(row)} |"
