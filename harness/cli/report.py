"""`traceproof report`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import OutputFile, bar, echo_json, example, json_option, scenarios_option
from harness.wording import plural

if TYPE_CHECKING:
    from harness.events import RunResult

_MOST_PICTURES = 10  # of one summary: what differs first tells most


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
    type=OutputFile(),
    default=Path("report.html"),
    show_default=True,
    help="The file to write.",
)
@scenarios_option
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
        told = f"{plural(written['claims'], 'claim')}, {plural(written['runs'], 'run')}"
        click.echo(f"{output}  {written['bytes'] / 1e6:.1f} MB, {told}")
    return 0


def write_pictures(result: RunResult, summary: Path) -> dict[int, str]:
    """Draw what the first cases that differ from the baseline stand on, into `<summary>-pictures/`.

    Answers the paths from the summary's folder, by `id(case)`; a case without a recording has no picture.
    """
    from harness.evidence import drawings_of
    from harness.report.picture import to_svg
    from harness.run.catalog import scenarios_of
    from harness.store import safe_name, write_atomic
    from harness.verdict import Outcome

    differing = {(drift.claim, drift.lab) for drift in result.drifts}
    cases = [case for case in result.cases if any((claim, case.lab) in differing for claim in case.verdicts)]
    if not cases:
        return {}
    _, known = scenarios_of(cases, (), {result.header.plan.directory} if result.header.plan else set())
    folder = summary.with_name(f"{summary.stem}-pictures")
    paths: dict[int, str] = {}
    for case in cases[:_MOST_PICTURES]:
        against = [a.number for a in case.attempts if any(f.outcome is Outcome.UNMET for f in a.findings)]
        every = drawings_of(case, known.get((case.scenario, case.cell)), Path(result.folder)).drawings
        drawings = [one for one in every if one.attempt == (against or [every[0].attempt])[0]]
        if drawings:
            where = f"{case.build.version}-{case.mode}"
            file = folder / f"{len(paths) + 1}-{safe_name(case.name)}-{where}.svg"
            folder.mkdir(parents=True, exist_ok=True)
            write_atomic(file, to_svg(drawings, title=f"{case.name} on {where}").encode())
            paths[id(case)] = f"{folder.name}/{file.name}"
    return paths


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
