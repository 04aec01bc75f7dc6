"""`traceproof schema` and `traceproof lint`: the form of files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from harness.cli.shared import echo_json, example, json_option
from harness.wording import plural


@click.command(
    epilog=example(
        "traceproof schema > scenario.schema.json", "traceproof schema claims", "traceproof schema ledger > ledger.json"
    )
)
@click.argument("what", type=click.Choice(["scenario", "claims", "ledger"]), default="scenario")
def schema(what: str) -> None:
    """Print a JSON Schema: of scenario files or claims.yaml, for editors, or of a line of a run's ledger.jsonl.

    Without WHAT, that of scenario files.
    """
    if what == "ledger":
        from harness.store import ledger_schema

        echo_json(ledger_schema())
        return
    from harness.scenario import claims_schema, json_schema

    echo_json(claims_schema() if what == "claims" else json_schema())


@click.command(epilog=example("traceproof lint", "traceproof lint ./my-scenarios --json"))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--mutants",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Also mutate the recordings of this run: an expectation that no mutant kills is a problem.",
)
@json_option
def lint(paths: tuple[Path, ...], mutants: Path | None, as_json: bool) -> int:
    """Check scenarios, claims and baselines without running anything; without PATHS, those of traceproof itself.

    Every mistake of every file is told at once, with its place and its remedy. Status 2 when there is one.
    """
    from harness.run.lint import lint as look

    linted = look(paths)
    problems = linted.problems
    refuted: list[str] = []
    if mutants is not None:
        from harness.cli.mutate import mutation_problems

        found, refuted = mutation_problems(linted.catalog, mutants)
        problems = [*problems, *found]
    if as_json:
        told = [dataclasses.asdict(problem) for problem in problems]
        echo_json({"problems": told, "not_examined": refuted, **linted.counts})
    else:
        for problem in problems:
            click.echo(f"{problem}\n")
        for line in refuted:
            click.echo(line)
        counted = ", ".join(plural(count, what.removesuffix("s")) for what, count in linted.counts.items())
        click.echo(f"{plural(len(problems), 'problem') if problems else 'no problems'} in {counted}")
    return 2 if problems else 0
