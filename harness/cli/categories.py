"""`traceproof categories`: the category sets, and what is in them."""

from __future__ import annotations

import dataclasses

import click

from harness.cli.shared import echo_json, example, json_option
from harness.errors import Problem, UsageError
from harness.wording import did_you_mean


@click.command(
    epilog=example(
        "traceproof categories", "traceproof categories timeline", "traceproof categories devtools-panel --json"
    )
)
@click.argument("name", default="")
@json_option
def categories(name: str, as_json: bool) -> None:
    """Show the category sets, or what is in the set NAME and what it is for; NAME may be a single category too."""
    from harness.categories import category_sets, known_categories, resolve

    sets = category_sets()
    if not name:
        if as_json:
            echo_json({one.name: resolve([one.name]) for one in sets.values()})
            return
        width = max(map(len, sets), default=0)
        for one in sets.values():
            click.echo(f"{one.name:<{width}}  {one.title}")
        return
    if name in sets:
        one = sets[name]
        if as_json:
            echo_json({**dataclasses.asdict(one), "resolved": resolve([name])})
            return
        click.echo(f"{one.name}: {one.title}\n  for     {one.purpose}\n  source  {one.source}")
        for category in resolve([name]):
            click.echo(f"  {category}{'  (where the build knows it)' if category in one.optional else ''}")
        return
    known = known_categories()
    if name not in known:
        remedy = did_you_mean(name, [*sets, *known], otherwise="`traceproof categories` lists the sets")
        raise UsageError(Problem(f"{name!r} is no category set and no known category", remedy=remedy))
    holding = [one.name for one in sets.values() if name in resolve([one.name])]
    if as_json:
        echo_json({"category": name, "sets": holding})
        return
    click.echo(f"{name}: a trace category, in {', '.join(holding) or 'no set'}")
