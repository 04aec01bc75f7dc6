"""`traceproof merge`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.shared import (
    bar,
    console,
    echo_json,
    example,
    json_option,
    quiet_option,
    report_options,
    write_reports,
)


@click.command(
    epilog=example(
        "traceproof merge shard-1 shard-2 -o merged",
        "traceproof merge shards -o merged --junit junit.xml --markdown summary.md --html report.html",
        "traceproof merge shard-1 shard-3 -o some --partial",
    )
)
@click.argument("shards", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER...")
@click.option(
    "-o",
    "--out",
    "--output",
    "output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The new folder of the whole run.",
)
@click.option("--partial", is_flag=True, help="Shards, jobs that have not ended, and recordings may lack.")
@report_options
@json_option
@quiet_option
def merge(
    shards: tuple[Path, ...],
    output: Path,
    partial: bool,
    junit: Path | None,
    markdown: Path | None,
    html: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Join the shards of a run into one, as if it had never been divided.

    Each FOLDER is that of a run with --shard, or holds several. Claims that scenarios of several shards decide are
    judged again from all of them. What does not belong together is refused with the reason. Exit status as for `run`.
    """
    from harness.report import ConsoleReport, to_json
    from harness.run.ledgers import ledgers_in
    from harness.run.merge import merge as join
    from harness.run.mixture import read_part

    ledgers = {ledger.resolve(): ledger for folder in shards for ledger in ledgers_in(folder)}
    parts = [read_part(ledger) for ledger in ledgers.values()]
    with bar(as_json or quiet) as progress:
        task = progress.add_task("joining", total=sum(len(part.result.cases) for part in parts))
        merged = join(
            parts,
            output,
            ("traceproof", *sys.argv[1:]),
            partial=partial,
            on_case=lambda name: progress.update(task, advance=1, description=name),
        )
    for note in merged.notes:
        click.echo(f"note: {note}", err=True)
    ConsoleReport(console(stderr=as_json), quiet=quiet).finish(merged.result)
    if as_json:
        echo_json({**to_json(merged.result), "notes": merged.notes})
    write_reports(merged.result, junit, markdown, html, quiet=as_json or quiet)
    return merged.result.exit_code
