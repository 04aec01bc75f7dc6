"""`traceproof report`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import bar, echo_json, example, json_option

if TYPE_CHECKING:
    from harness.events import RunResult


@click.command(
    epilog=example(
        "traceproof report out/2026-01-31T12-00-00",
        "traceproof report nightly/153 nightly/156 -o changes.html",
        "traceproof report out --events 10000 -o everything.html",
    )
)
@click.argument("ledgers", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LEDGER_OR_FOLDER...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="The file to write.",
)
@click.option(
    "--scenarios",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Where your own scenario files are now. Default: where the ledger says that they were.",
)
@click.option(
    "--events",
    type=click.IntRange(0, 1_000_000),
    default=1_500,
    show_default=True,
    help="The most events of one recording to draw; 0 draws no evidence.",
)
@json_option
def report(ledgers: tuple[Path, ...], output: Path, scenarios: tuple[Path, ...], events: int, as_json: bool) -> int:
    """Write ledgers with their evidence as one HTML file that needs no network.

    Each argument is a ledger.jsonl, the folder of a run, or a folder of runs. With ledgers of several builds the report
    begins with what changed between them. Of several runs on one build the latest counts, the others are its history.
    """
    from harness.run.catalog import load_catalog
    from harness.run.ledgers import ledgers_in, read_result

    catalog = load_catalog()
    paths = list(dict.fromkeys(path for given in ledgers for path in ledgers_in(given)))
    results = [read_result(path, catalog) for path in paths]
    written = write_report(results, output, scenarios, events, quiet=as_json)
    if as_json:
        echo_json(written)
    else:
        click.echo(f"{output}  {written['bytes'] / 1e6:.1f} MB, {written['claims']} claims, {written['runs']} runs")
    return 0


def write_report(
    results: list[RunResult],
    output: Path,
    scenarios: tuple[Path, ...] = (),
    events: int = 1_500,
    *,
    quiet: bool = False,
) -> dict[str, Any]:
    """Write the HTML file; answers what `--json` says of it."""
    from harness.report.html import to_html
    from harness.run.catalog import scenarios_of
    from harness.run.reporting import claim_words, reported
    from harness.store import now, write_atomic

    stored = [case for result in results for case in result.cases]
    started_in = dict.fromkeys(result.header.plan.directory for result in results if result.header.plan)
    catalog, cases = scenarios_of(stored, scenarios, started_in)
    with bar(quiet) as progress:
        task = progress.add_task("evidence", total=len(stored))
        runs = reported(results, cases, events, lambda name: progress.update(task, advance=1, description=name))
    page = to_html(runs, claim_words(catalog.claims), made=now())
    data = page.encode()
    write_atomic(output, data)
    known = {one.claim for result in results for one in result.verdicts}
    return {"report": str(output), "bytes": len(data), "claims": len(known), "runs": len(results)}
