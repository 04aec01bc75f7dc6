"""`traceproof schema` and `traceproof lint`: the scenario language itself."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from harness.cli.shared import echo_json, example, json_option


@click.command(epilog=example("traceproof schema > scenario.schema.json", "traceproof schema --claims"))
@click.option("--claims", "of_claims", is_flag=True, help="The schema of claims.yaml.")
def schema(of_claims: bool) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    from harness.scenario import claims_schema, json_schema

    echo_json(claims_schema() if of_claims else json_schema())


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

    problems, seen = look(paths)
    refuted: list[str] = []
    if mutants is not None:
        from harness.cli.mutate import mutation_problems
        from harness.run.catalog import load_catalog

        found, refuted = mutation_problems(load_catalog(paths), mutants)
        problems = [*problems, *found]
    if as_json:
        told = [dataclasses.asdict(problem) for problem in problems]
        echo_json({"problems": told, "not_examined": refuted, **seen})
    else:
        for problem in problems:
            click.echo(f"{problem}\n")
        for line in refuted:
            click.echo(line)
        counted = ", ".join(f"{count} {what}" for what, count in seen.items())
        click.echo(f"{len(problems) or 'no'} problem{'' if len(problems) == 1 else 's'} in {counted}")
    return 2 if problems else 0
