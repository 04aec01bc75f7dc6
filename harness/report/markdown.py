"""A summary for a CI page (`$GITHUB_STEP_SUMMARY` and the like)."""

from __future__ import annotations

from collections import defaultdict

from harness.events import ClaimVerdict, RunResult
from harness.report.failure import explain_case
from harness.report.words import build_label, counted, note, tally
from harness.wording import plural


def to_markdown(result: RunResult) -> str:
    """Totals, what differs with its explanation, then every verdict by event."""
    state = "as expected" if result.exit_code == 0 else f"{len(result.drifts)} differ from the baseline"
    counts = counted(verdict.verdict for verdict in result.verdicts) or "No verdicts"
    attempts = f"{plural(sum(len(case.attempts) for case in result.cases), 'attempt')} in {result.footer.seconds:.1f} s"
    lines = [f"# traceproof: {state}", "", f"{counts}. {attempts}. Evidence: `{result.folder}`."]
    if result.drifts:
        lines += ["", "## Differs from the baseline", "", *_table(result.drifts)]
        lines += ["", "<details><summary>Evidence</summary>", ""]
        says = {drift.claim: drift.says for drift in result.drifts}
        for case in result.cases:
            claims = [one.claim for one in result.drifts if one.claim in case.verdicts and one.lab == case.lab]
            for evidence in explain_case(case, claims, says=says, folder=result.folder):
                lines += ["````text", *evidence, "````", ""]
        lines.append("</details>")
    by_event: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in result.verdicts:
        by_event[verdict.event].append(verdict)
    for event, verdicts in sorted(by_event.items()):
        lines += ["", f"## {event}", "", *_table(verdicts)]
    return "\n".join(lines) + "\n"


def _table(verdicts: list[ClaimVerdict]) -> list[str]:
    lines = ["| claim | build and mode | verdict | met | note |", "|---|---|---|---|---|"]
    above = ""
    for verdict in verdicts:
        said = _cell(note(verdict))
        lines.append(
            f"| `{verdict.claim}` | {build_label(*verdict.lab)} | {verdict.verdict} | {tally(verdict)} "
            f"| {'as above' if said and said == above else said} |"
        )
        above = said
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
