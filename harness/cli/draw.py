"""`traceproof draw` and `traceproof annotate`: one attempt's evidence as a picture, and inside its recordings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import arm_option, example, expression_option, find_cases, trace_and_scenario
from harness.errors import Problem, UsageError

if TYPE_CHECKING:
    from harness.events import Finding
    from harness.expect import Recording
    from harness.scenario.model import Case


@click.command(
    epilog=example(
        "traceproof draw trace.json.gz parse-html.gaps -o spans.svg",
        "traceproof draw out/2026-01-31T12-00-00/recordings/NAME/156.0.1.2-headless/1 my.scenario.yaml -o arms.png",
        "traceproof draw trace.json.gz my.scenario.yaml --expectation 2 --events 10000 -o second.svg",
    )
)
@trace_and_scenario
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="x.svg or x.png")
@click.option("--expectation", type=click.IntRange(1), help="Mark what this one looked at, counted from 1.")
@click.option("--events", type=click.IntRange(1), default=1_500, show_default=True, help="The most of one recording.")
@click.option("--width", type=click.IntRange(300, 10_000), default=1_200, show_default=True, help="In pixels.")
def draw(
    trace: Path,
    scenario: str,
    expression: str,
    arm: str,
    output: Path,
    expectation: int | None,
    events: int,
    width: int,
) -> int:
    """Draw the evidence in a stored trace as SVG, or as PNG by a Chromium that is here.

    TRACE is a file, or the folder of an attempt that traceproof stored: then its arms stand one above the other on one
    scale. What the expectations looked at is filled, their controls are framed, near misses are dashed.
    """
    from harness.evidence import draw_attempt
    from harness.report.picture import to_svg
    from harness.store import write_atomic

    if output.suffix not in (".svg", ".png"):
        raise UsageError(Problem(f"cannot draw {output}", expected="a name that ends in .svg or .png"))
    case, recordings, findings, _ = _attempt(trace, scenario, expression, arm)
    if expectation is not None and expectation > len(case.expect):
        raise UsageError(
            Problem(f"{case.name} has {len(case.expect)} expectations", found=f"--expectation {expectation}")
        )
    drawings = draw_attempt(case, recordings, findings, {}, most=events)
    build = next(iter(recordings.values())).context
    where = " ".join(part for part in (build.build, build.mode) if part)
    title = f"{case.name}{f' on {where}' if where else ''}"
    svg = to_svg(drawings, title=title, finding=None if expectation is None else expectation - 1, width=width)
    write_atomic(output, _png(svg) if output.suffix == ".png" else svg.encode())
    click.echo(output)
    return 0


@click.command(
    epilog=example(
        "traceproof annotate trace.json.gz parse-html.gaps",
        "traceproof annotate trace.json.gz my.scenario.yaml -o for-devtools.json.gz",
    )
)
@click.argument("trace", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("scenario")
@expression_option
@arm_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: TRACE with .annotated in its name.",
)
def annotate(trace: Path, scenario: str, expression: str, arm: str, output: Path | None) -> int:
    """Write a copy of a trace with step marks and findings in it, to look at in DevTools or Perfetto.

    Each expectation becomes a track of its own, with the events that it looked at, its controls and near misses; step
    marks become lines. The recording itself stays as it is.
    """
    from harness.evidence.annotate import notes_of, write_annotated
    from harness.evidence.selected import looked_at
    from harness.store import devtools_metadata, manifest_beside, write_atomic

    case, recordings, findings, path = _attempt(trace, scenario, expression, arm)
    ((name, recording),) = recordings.items()
    manifest = manifest_beside(path)
    looked = looked_at(case, recordings, findings)[name]
    notes = list(notes_of(recording, looked, {one.index: one for one in findings}))
    target = output or trace.with_name(re.sub(r"(\.json)?(\.gz|\.zst)?$", ".annotated.json.gz", trace.name, count=1))
    told = devtools_metadata(manifest) if manifest else {}
    write_atomic(target, write_annotated(path, notes, told, recording.context.page))
    click.echo(f"{target}  {len(notes)} notes")
    return 0


def _attempt(
    trace: Path, scenario: str, expression: str, arm: str
) -> tuple[Case, dict[str, Recording], list[Finding], Path]:
    """The case, one recording of each arm (of the block that says most), what was found, and the first file."""
    from harness.cli.stored import load_recordings
    from harness.expect import evaluate
    from harness.run.which import one_case, traces_in
    from harness.verdict import Outcome

    cases, _ = find_cases([scenario], expression)
    files = traces_in(trace)
    case = one_case(cases, files[0])
    every = load_recordings(files, case, arm)
    findings = evaluate(case, every)
    block = next((one.block for one in findings if one.outcome is Outcome.UNMET), 0)
    chosen = {name: of_arm[min(block, len(of_arm) - 1)] for name, of_arm in every.items()}
    return case, chosen, findings, files[0]


def _png(svg: str) -> bytes:
    from harness.browser.picture import rasterise
    from harness.run.builds import find_builds

    size = re.search(r'width="(\d+)" height="(\d+)"', svg)
    assert size is not None
    return rasterise(svg, int(size[1]), int(size[2]), find_builds((), lambda line: click.echo(line, err=True))[0])
