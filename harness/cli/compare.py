"""`traceproof compare`"""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.shared import echo_json, example, json_option


@click.command(
    epilog=example(
        "traceproof compare out/on-153 out/on-156 --page-only",
        "traceproof compare before.json.gz after.json.gz --all",
        "traceproof compare 'out/a/recordings/NAME/*/*/plain.json.gz' 'out/a/recordings/NAME/*/*/startup.json.gz'",
    )
)
@click.argument("left")
@click.argument("right")
@click.option("--page-only", is_flag=True, help="Only events of the processes that showed the page under test.")
@click.option("--all", "everything", is_flag=True, help="Every difference, not one screen.")
@click.option(
    "--scenarios",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Files or folders of your own scenarios, for the claims that depend on what differs.",
)
@click.option("--fail", is_flag=True, help="Exit status 1 when anything differs.")
@json_option
def compare(
    left: str, right: str, page_only: bool, everything: bool, scenarios: tuple[Path, ...], fail: bool, as_json: bool
) -> int:
    """Show the event names, categories, phases, arguments and types that one side has and the other has not.

    LEFT and RIGHT are trace files, folders with recordings below them (of an `out/`), or quoted patterns: another
    build, mode, recorder or raster of the same scenarios. Recordings of the same scenario and arm are compared with
    each other; where the sides share none, all of one with all of the other. What claims depend on comes first.
    """
    from harness.compare import compare_sides, dependents, read_side, to_json, told
    from harness.run.catalog import load_catalog

    cases = load_catalog(scenarios).cases
    one, other = (read_side(text, page_only=page_only) for text in (left, right))
    comparison = compare_sides(one, other, dependents(cases).of)
    if as_json:
        echo_json(to_json(comparison))
    else:
        for line in told(comparison, everything=everything):
            click.echo(line)
    return 1 if fail and comparison.differences else 0
