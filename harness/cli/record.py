"""`traceproof record`"""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.shared import (
    example,
    find_cases,
    find_lab,
    lab_options,
    out_option,
    recorded_with,
    recorder_option,
    store_option,
)
from harness.errors import CapabilityError


@click.command(
    epilog=example(
        "traceproof record parse-html.gaps --browser 153",
        "traceproof record commit.shape --recorder startup",
        "traceproof record parse-html.gaps --keep spans-156",
        "traceproof record ./my-scenarios/one.scenario.yaml --out reference",
    )
)
@click.argument("selectors", nargs=-1, required=True)
@lab_options
@recorder_option
@out_option
@store_option
@click.option("--keep", default="", metavar="NAME", help="Keep them as reference traces under this name.")
def record(
    selectors: tuple[str, ...],
    expression: str,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    recorder: str | None,
    out: Path | None,
    store: Path | None,
    keep: str,
) -> int:
    """Make and keep one recording of each arm of a scenario, with its provenance, and judge nothing.

    The traces open in Perfetto and in DevTools; `traceproof check` tests them later without a browser. A recording that
    the validity gate would refuse is kept and named; the exit status is then 3, as where a build or this machine lacks
    what a scenario needs.
    """
    from harness.run.attempt import run_attempt
    from harness.run.plan import plan
    from harness.run.signals import Interrupted, blocking
    from harness.store import RunFolder
    from harness.verdict import Verdict

    cases, _ = find_cases(selectors, expression)
    if recorder:
        cases = recorded_with(recorder, cases)
    builds, wanted_modes = find_lab(browsers, modes)
    folder = RunFolder(out, store=store)
    status = 0
    made: list[str] = []
    try:
        for job in plan(cases, builds, wanted_modes, attempts=1):
            click.echo(job.label)
            if job.verdict is not None:
                click.echo(f"  {job.verdict}: {job.reason}")
                status = 3 if job.verdict is Verdict.UNSUPPORTED else status
                continue
            try:
                attempt = blocking(run_attempt(job, 1, folder, judged=False))
            except CapabilityError as lacking:
                click.echo(f"  {Verdict.UNSUPPORTED}: {lacking}")
                status = 3
                continue
            made += [one.sha256 for one in attempt.recordings]
            for one in attempt.recordings:
                click.echo(f"  {folder.path / one.trace}  {one.events} events, {one.bytes / 1e6:.1f} MB")
                for reason in one.invalid:
                    click.echo(f"    no evidence: {reason}")
                    status = 3
            if attempt.error:
                click.echo(f"  failed: {attempt.error}", err=True)
                status = 3
    except Interrupted as stopped:
        click.echo(f"{stopped}; what had finished is kept in {folder.path}", err=True)
        return stopped.exit_code
    if keep and status:
        click.echo(f"not kept as {keep}: not every recording is sound", err=True)
    elif keep:
        folder.store.keep(keep, made)
        click.echo(f"kept as {keep}: {', '.join(digest[:12] for digest in made)}")
    return status
