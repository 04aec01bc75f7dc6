"""`traceproof shrink`"""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import click

from harness.cli.shared import console, echo_json, example, find_cases, json_option, trace_and_scenario
from harness.errors import Problem, UsageError


@click.command(
    epilog=example(
        "traceproof shrink out/2026-01-31T12-00-00/recordings/NAME/156.0.1.2-headless/1 parse-html.gaps",
        "traceproof shrink trace.json.gz my.scenario.yaml --expectation 2 --out small",
    )
)
@trace_and_scenario
@click.option("--expectation", type=click.IntRange(min=0), help="Keep the outcome of only this one, from 0.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/shrunk"), show_default=True)
@click.option(
    "--at-most",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="Write what is left by then.",
)
@json_option
def shrink(
    trace: Path,
    scenario: str,
    expression: str,
    arm: str,
    expectation: int | None,
    out: Path,
    at_most: float,
    as_json: bool,
) -> int:
    """Reduce a recording to the fewest events that keep the outcome of each expectation, for a bug report.

    TRACE is a file or the folder of a stored attempt. What is left is written to --out, a folder that `check` takes.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from harness.cli.stored import load_recordings
    from harness.mutate import files
    from harness.mutate import shrink as reduce
    from harness.run.which import one_case, traces_in
    from harness.store import write_atomic

    cases, _ = find_cases([scenario], expression)
    traces = traces_in(trace)
    case = one_case(cases, traces[0])
    if expectation is not None and expectation >= len(case.expect):
        numbers = f"0 to {len(case.expect) - 1}"
        raise UsageError(Problem(f"{case.name} has no expectation {expectation}", expected=numbers))
    with Progress(
        TextColumn("shrinking"),
        BarColumn(),
        TextColumn("{task.fields[left]:,} events left, {task.fields[tries]:,} tries"),
        TimeElapsedColumn(),
        console=console(stderr=True),
        transient=True,
    ) as bar:
        task, began, over = bar.add_task("shrinking", total=None, left=0, tries=0), monotonic(), False

        def go_on(left: int, before: int, tries: int) -> bool:
            nonlocal over
            bar.update(task, total=before, completed=before - left, left=left, tries=tries)
            over = monotonic() - began > at_most
            return not over

        shrunk = reduce(case, load_recordings(traces, case, arm), expectation, go_on)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files(shrunk.tapes).items():
        write_atomic(out / name, content)
    outcomes = [str(outcome) for outcome in shrunk.outcomes]
    if as_json:
        told = {"before": shrunk.before, "after": shrunk.after, "outcomes": outcomes, "folder": str(out)}
        echo_json({**told, "time_over": over})
    else:
        click.echo(f"{shrunk.before:,} events, {shrunk.after:,} left in {out}; still {', '.join(outcomes)}")
        if over:
            click.echo(f"stopped after {at_most:g} s: more may go with a larger --at-most")
    return 0
