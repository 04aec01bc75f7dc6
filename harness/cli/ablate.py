"""`traceproof ablate`"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import echo_json, example, find_cases, find_lab, json_option, lab_options, out_option
from harness.errors import CapabilityError, Problem, UsageError

if TYPE_CHECKING:
    from harness.compare.ablation import Ablation
    from harness.run.plan import Job
    from harness.scenario.model import Case, Claim
    from harness.store import RunFolder


@click.command(
    epilog=example(
        "traceproof ablate parse-html.trace-engine",
        "traceproof ablate parse-html.arguments --arm stack --alone --browser 153",
        "traceproof ablate my.scenario.yaml --attempts 3 --json",
    )
)
@click.argument("scenario")
@lab_options
@click.option("--arm", default="", help="Only this arm; without it each in turn.")
@click.option(
    "--alone",
    is_flag=True,
    help="Record each category alone too: which ones are enough. So it is where a claim is about categories.",
)
@click.option(
    "--attempts", type=click.IntRange(1, 100), default=1, show_default=True, help="Recordings of each variant."
)
@click.option("--all", "everything", is_flag=True, help="Every argument.")
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
    gone without it; side effects (an argument that moves to another event, counts that change) are named. Each claim is
    told with what leaving a category out does to its expectations; the other arms stay as they are.
    """
    from harness.compare.ablation_claims import CATEGORY
    from harness.run.signals import Interrupted
    from harness.run.which import one_arm, one_case
    from harness.store import RunFolder

    cases, catalog = find_cases([scenario], expression)
    case = one_case(cases)
    arms = [one_arm(case, arm)] if arm else list(case.arms)
    job = _job(case, browsers, modes)
    folder = RunFolder(out)
    alone = alone or any(catalog.claims[name].kind == CATEGORY for name in case.claims if name in catalog.claims)
    click.echo(f"{job.label}, {_some(arms)}; recordings in {folder.path}", err=True)
    try:
        found, recorded = _record(job, arms, folder, attempts, alone)
    except Interrupted as stopped:
        click.echo(f"{stopped}; what had finished is kept in {folder.path}", err=True)
        return stopped.exit_code
    if as_json:
        echo_json(_json(job, folder, found, recorded, catalog.claims))
        return 0
    for line in _lines(found, recorded, catalog.claims, everything):
        click.echo(line)
    return 0


def _some(arms: Sequence[str]) -> str:
    return f"arm{'s' if len(arms) > 1 else ''} {', '.join(arms)}"


def _record(
    job: Job, arms: Sequence[str], folder: RunFolder, attempts: int, alone: bool
) -> tuple[dict[str, Ablation], dict[str, tuple[str, ...]]]:
    """The answer of each arm that is taken apart, and what every arm records."""
    from harness.compare.ablation import conclude, observer
    from harness.run.ablate import record_ablation, record_whole
    from harness.run.signals import blocking

    def told(label: str, done: int, total: int) -> None:
        click.echo(f"  [{done}/{total}] {label}", err=True)

    whole = blocking(record_whole(job, folder))
    found = {}
    for name in arms:
        click.echo(f"arm {name}", err=True)
        look = observer(job.case, name, {other: [one.recording] for other, one in whole.items()})
        taking = record_ablation(
            job, job.case.arms[name], whole[name], folder, look, attempts=attempts, alone=alone, on_variant=told
        )
        found[name] = conclude(job.case, blocking(taking))
    return found, {name: one.recorded for name, one in whole.items()}


def _lines(
    found: Mapping[str, Ablation],
    recorded: Mapping[str, Sequence[str]],
    claims: Mapping[str, Claim],
    everything: bool,
) -> Iterator[str]:
    from harness.compare.ablation_claims import claim_answers
    from harness.compare.ablation_text import ablation_lines, claim_lines

    for name, one in found.items():
        if len(recorded) > 1:
            yield f"arm {name}"
        yield from ablation_lines(one, recorded[name], everything=everything)
        if len(found) > 1:
            yield ""
    yield from claim_lines(claim_answers(found, recorded, claims), recorded)


def _json(
    job: Job,
    folder: RunFolder,
    found: Mapping[str, Ablation],
    recorded: Mapping[str, Sequence[str]],
    claims: Mapping[str, Claim],
) -> dict[str, Any]:
    import dataclasses

    from harness.compare.ablation_claims import claim_answers
    from harness.compare.ablation_text import ablation_json

    return {
        "scenario": job.case.name,
        "build": job.build.version,
        "mode": job.mode,
        "folder": str(folder.path),
        "arms": {name: ablation_json(one, recorded[name]) for name, one in found.items()},
        "claims": [dataclasses.asdict(one) for one in claim_answers(found, recorded, claims)],
    }


def _job(case: Case, browsers: tuple[str, ...], modes: tuple[str, ...]) -> Job:
    from harness.run.plan import plan

    jobs = plan([case], *find_lab(browsers, modes), attempts=1)
    if len(jobs) > 1:
        told = ", ".join(job.label for job in jobs)
        raise UsageError(Problem(f"one build and mode at a time, and these are chosen: {told}"))
    if jobs[0].verdict is not None:
        raise CapabilityError(f"{jobs[0].label}: {jobs[0].reason}")
    return jobs[0]
