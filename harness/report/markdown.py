"""A summary for a CI page (`$GITHUB_STEP_SUMMARY` and the like)."""

from __future__ import annotations

from collections import defaultdict

from harness.events import ClaimVerdict, RunResult
from harness.report.failure import explain
from harness.report.words import build_label, counted, note, tally


def to_markdown(result: RunResult) -> str:
    """Totals, what differs with its explanation, then every verdict by event."""
    state = "as expected" if result.exit_code == 0 else f"{len(result.drifts)} differ from the baseline"
    counts = counted(verdict.verdict for verdict in result.verdicts) or "No verdicts"
    attempts = f"{sum(len(case.attempts) for case in result.cases)} attempts in {result.footer.seconds:.1f} s"
    lines = [f"# traceproof: {state}", "", f"{counts}. {attempts}. Evidence: `{result.folder}`."]
    if result.drifts:
        lines += ["", "## Differs from the baseline", "", *_table(result.drifts)]
        lines += ["", "<details><summary>Evidence</summary>", ""]
        for drift in result.drifts:
            for case in result.cases:
                if drift.claim in case.verdicts and case.lab == drift.lab:
                    evidence = explain(case, drift.claim, says=drift.says, folder=result.folder)
                    lines += ["````text", *evidence, "````", ""]
        lines.append("</details>")
    by_event: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in result.verdicts:
        by_event[verdict.event].append(verdict)
    for event, verdicts in sorted(by_event.items()):
        lines += ["", f"## {event}", "", *_table(verdicts)]
    return "\n".join(lines) + "\n"


def _table(verdicts: list[ClaimVerdict]) -> list[str]:
    head = ["| claim | build and mode | verdict | met | note |", "|---|---|---|---|---|"]
    return head + [
        f"| `{verdict.claim}` | {build_label(*verdict.lab)} | {verdict.verdict} | {tally(verdict)} "
        f"| {_cell(note(verdict))} |"
        for verdict in verdicts
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
