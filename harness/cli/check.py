"""`traceproof check`"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import console, echo_json, example, find_cases, json_option, trace_and_scenario

if TYPE_CHECKING:
    from harness.events import CaseResult


@click.command(
    epilog=example(
        "traceproof check trace.json.gz parse-html.gaps",
        "traceproof check out/2026-01-31T12-00-00/recordings/NAME/156.0.1.2-headless/1 my.scenario.yaml",
        "traceproof check trace.json my.scenario.yaml --arm plain --json",
    )
)
@trace_and_scenario
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
    shown = console(stderr=as_json)
    report = ConsoleReport(shown, says=says, folder=result.folder)
    for case in result.cases:
        report(case)
        for line in _left_as_found(case):
            shown.print(line, markup=False, soft_wrap=True)
    report.finish(result)
    if as_json:
        echo_json(to_json(result))
    return result.exit_code


def _left_as_found(case: CaseResult) -> Iterator[str]:
    """What the gate counted in each recording and did not repair; it is evidence all the same."""
    for recording in (one for attempt in case.attempts for one in attempt.recordings if one.anomalies):
        counts = ", ".join(f"{count:,} {kind}" for kind, count in recording.anomalies.items())
        yield f"counted and left as found in {recording.trace}: {counts}"
