"""A summary for a CI page (`$GITHUB_STEP_SUMMARY`, a comment on a merge request and the like): what changed first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from harness.events import CaseResult, ClaimVerdict, Lab, RunResult
from harness.report.failure import explain_case
from harness.report.verify import changes
from harness.report.words import build_label, counted, note, tally
from harness.verdict import Verdict
from harness.wording import plural

# GitHub refuses a summary of more than 1 MiB as a whole; what nobody looks at first has to go.
_MOST = 900_000
_MOST_EVIDENCE = 400_000
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")


def to_markdown(result: RunResult, pictures: Mapping[int, str] | None = None) -> str:
    """What differs from the baseline with its evidence, what builds answer differently, then every verdict by event.

    pictures: of a case's evidence, by `id(case)`, as paths from where the summary will lie. At most 900 kB; what is
    left out is told.
    """
    state = "as expected" if result.exit_code == 0 else f"{len(result.drifts)} differ from the baseline"
    attempts = f"{plural(sum(len(case.attempts) for case in result.cases), 'attempt')} in {result.footer.seconds:.1f} s"
    lines = [f"# traceproof: {state}", "", *_totals(result.verdicts), ""]
    lines += [f"{attempts}. Evidence: {_code(result.folder)}."]
    if result.drifts:
        lines += ["", "## Differs from the baseline", "", *_table(result.drifts), *_evidence(result, pictures or {})]
    changed = [one.verdicts for one in changes(result) if one.changed]
    if changed:
        lines += ["", "## Builds answer differently", ""]
        lines += _table([verdict for verdicts in changed for verdict in verdicts])
    lines += _by_event(result.verdicts, _MOST - _size(lines))
    return "\n".join(lines) + "\n"


def _totals(verdicts: list[ClaimVerdict]) -> list[str]:
    """One row for each build, mode and raster path, one column for each verdict that there is."""
    if not verdicts:
        return ["No verdicts."]
    words = [word for word in Verdict if any(one.verdict is word for one in verdicts)]
    labs: dict[Lab, list[ClaimVerdict]] = defaultdict(list)
    for one in verdicts:
        labs[one.lab].append(one)
    lines = [_row("build and mode", *words, "differ"), _row(*("---",), *("--:" for _ in words), "--:")]
    for lab, found in labs.items():
        counts = [str(sum(one.verdict is word for one in found) or "") for word in words]
        lines.append(_row(_text(build_label(*lab)), *counts, str(sum(one.drift for one in found) or "")))
    return lines


def _evidence(result: RunResult, pictures: Mapping[int, str]) -> Iterator[str]:
    """What each drift stands on, folded up. What one case says of several claims alike is said once."""
    says = {drift.claim: drift.says for drift in result.drifts}
    claims: dict[Lab, set[str]] = defaultdict(set)
    for drift in result.drifts:
        claims[drift.lab].add(drift.claim)
    left, skipped = _MOST_EVIDENCE, 0
    for case in result.cases:
        differing = [claim for claim in case.verdicts if claim in claims[case.lab]]
        for told in explain_case(case, differing, says=says, folder=result.folder):
            block = _folded(_headline(case, told[0]), [*_picture(case, pictures), *_fenced(told)])
            left -= _size(block)
            if left < 0:
                skipped += 1
            else:
                yield from block
    if skipped:
        yield from ("", f"The evidence of {skipped} more is in {_code(result.ledger or result.folder)}.")


def _picture(case: CaseResult, pictures: Mapping[int, str]) -> list[str]:
    path = pictures.get(id(case))
    return [f"![Evidence of {_text(case.name)}](<{path}>)", ""] if path else []


def _headline(case: CaseResult, first: str) -> str:
    """`REFUTED parse-html.once, scenario parse-html.one`"""
    return f"{' '.join(first.partition('  on ')[0].split())}, scenario {case.name}"


def _by_event(verdicts: list[ClaimVerdict], room: int) -> Iterator[str]:
    by_event: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in verdicts:
        by_event[verdict.event].append(verdict)
    skipped = 0
    for number, (event, found) in enumerate(sorted(by_event.items())):
        counts = counted(one.verdict for one in found)
        block = _folded(f"{event}: {counts}", _table(found))
        if not number:
            block = ["", "## Every verdict", *block]
        room -= _size(block)
        if room < 0:
            skipped += 1
        else:
            yield from block
    if skipped:
        yield from ("", f"{plural(skipped, 'more event')} did not fit in here.")


def _folded(title: str, inside: Iterable[str]) -> list[str]:
    escaped = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return ["", f"<details><summary>{escaped}</summary>", "", *inside, "", "</details>"]


def _fenced(lines: list[str]) -> list[str]:
    """A block of text, within a fence that is longer than any in it."""
    longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def _table(verdicts: list[ClaimVerdict]) -> list[str]:
    lines = [_row("claim", "build and mode", "verdict", "met", "note"), _row(*["---"] * 5)]
    above = ""
    for verdict in verdicts:
        said = _text(note(verdict))
        shown = "as above" if said and said == above else said
        lab = _text(build_label(*verdict.lab))
        lines.append(_row(_code(verdict.claim), lab, verdict.verdict, _text(tally(verdict)), shown))
        above = said
    return lines


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """Text on one line that no reader of Markdown takes for markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """A code span; a name that such a span cannot hold in a table becomes text."""
    return _text(text) if {"`", "|"} & set(text) else f"`{text}`"


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)
