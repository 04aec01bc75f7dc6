"""`traceproof ablate`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import (
    browser_option,
    echo_json,
    example,
    expression_option,
    find_cases,
    find_lab,
    json_option,
    mode_option,
    out_option,
)
from harness.errors import CapabilityError, Problem, UsageError

if TYPE_CHECKING:
    from harness.run.plan import Job
    from harness.scenario.model import Case


@click.command(
    epilog=example(
        "traceproof ablate parse-html.trace-engine",
        "traceproof ablate parse-html.arguments --arm stack --alone --browser 153",
        "traceproof ablate my.scenario.yaml --attempts 3 --json",
    )
)
@click.argument("scenario")
@expression_option
@click.option("--arm", default="", help="The arm whose categories are taken apart, where there are several.")
@click.option("--alone", is_flag=True, help="Record each category alone too: which ones are enough.")
@click.option(
    "--attempts", type=click.IntRange(1, 100), default=1, show_default=True, help="Recordings of each variant."
)
@click.option("--all", "everything", is_flag=True, help="Every argument.")
@browser_option
@mode_option
@out_option
@json_option
def ablate(
    scenario: str,
    expression: str,
    arm: str,
    alone: bool,
    attempts: int,
    everything: bool,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> int:
    """Find out which categories carry the events and arguments that a scenario looks at.

    Records SCENARIO with all its categories, then without each one in turn. A category is needed for an event that is
    gone without it; side effects (an argument that moves to another event, counts that change) are named.
    """
    from harness.compare.ablation import conclude, observer
    from harness.compare.ablation_text import ablation_json, ablation_lines
    from harness.run import Interrupted, blocking
    from harness.run.ablate import record_ablation
    from harness.run.which import one_arm, one_case
    from harness.store import RunFolder

    cases, catalog = find_cases([scenario], expression)
    case = one_case(cases)
    chosen, job = case.arms[one_arm(case, arm)], _job(case, browsers, modes)
    folder = RunFolder(out)
    click.echo(f"{job.label}, arm {chosen.name}; recordings in {folder.path}", err=True)
    try:
        taken = blocking(
            record_ablation(
                job,
                chosen,
                folder,
                observer(case, chosen.name),
                attempts=attempts,
                alone=alone,
                on_variant=lambda label, done, total: click.echo(f"  [{done}/{total}] {label}", err=True),
            )
        )
    except Interrupted as stopped:
        click.echo(f"{stopped}; what had finished is kept in {folder.path}", err=True)
        return stopped.exit_code
    answer = conclude(case, taken)
    if as_json:
        told = {"scenario": case.name, "arm": chosen.name, "build": job.build.version, "mode": job.mode}
        told |= {"folder": str(folder.path), **ablation_json(answer)}
        echo_json(told)
        return 0
    kinds = {name: claim.kind for name, claim in catalog.claims.items()}
    for line in ablation_lines(answer, kinds, everything=everything):
        click.echo(line)
    return 0


def _job(case: Case, browsers: tuple[str, ...], modes: tuple[str, ...]) -> Job:
    from harness.run import plan

    jobs = plan([case], *find_lab(browsers, modes), attempts=1)
    if len(jobs) > 1:
        told = ", ".join(job.label for job in jobs)
        raise UsageError(Problem(f"one build and mode at a time, and these are chosen: {told}"))
    if jobs[0].verdict is not None:
        raise CapabilityError(f"{jobs[0].label}: {jobs[0].reason}")
    return jobs[0]
