"""`traceproof check`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.shared import arm_option, console, echo_json, example, expression_option, find_cases, json_option


@click.command(
    epilog=example(
        "traceproof check trace.json.gz parse-html.gaps",
        "traceproof check out/2026-01-31T12-00-00/recordings/NAME/156.0.1.2-headless/1 my.scenario.yaml",
        "traceproof check trace.json my.scenario.yaml --arm plain --json",
    )
)
@click.argument("trace", type=click.Path(path_type=Path, exists=True))
@click.argument("scenario")
@expression_option
@arm_option
@json_option
def check(trace: Path, scenario: str, expression: str, arm: str, as_json: bool) -> int:
    """Test a stored trace against a scenario, with no browser.

    TRACE is a file (JSON or Perfetto, .gz and .zst too) or the folder of an attempt that traceproof stored, with all
    arms. What the steps of a scenario know and a bare trace does not (marks, values, the server's log) is read from the
    context file beside it; expectations that need what is not there are INVALID, and their claims INCONCLUSIVE.
    """
    from harness.report import ConsoleReport, to_json
    from harness.run.check import check_trace

    cases, catalog = find_cases([scenario], expression)
    result = check_trace(trace, cases, arm, catalog, ("traceproof", *sys.argv[1:]))
    says = {claim.id: claim.says for claim in catalog.claims.values()}
    report = ConsoleReport(console(stderr=as_json), says=says, folder=result.folder)
    for case in result.cases:
        report(case)
    report.finish(result)
    if as_json:
        echo_json(to_json(result))
    return result.exit_code
