"""Why a claim got its verdict in one case, as lines of plain text for a console, a pytest report or a JUnit file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from harness.events import Attempt, CaseResult, EventView, Finding
from harness.report.words import build_label
from harness.units import format_us
from harness.verdict import Outcome, Verdict

_EVENTS = 5  # of each kind in one explanation
_ARGS = 160  # characters


def explain(case: CaseResult, claim: str, *, says: str = "", folder: str = "") -> list[str]:
    """The verdict, the expectation as written, what was found, the nearest misses, where to look and how to repeat."""
    verdict = case.verdicts[claim]
    met, valid = case.tallies.get(claim, (0, 0))
    head = f"{verdict}  {claim}  on {build_label(*case.lab)}"
    if valid:
        head += f"  ({met} of {valid} valid attempts met it, {len(case.attempts)} run)"
    lines = [head]
    if says:
        lines.append(f"  claim      {says}")
    lines.append(f"  scenario   {case.name}  {case.place}")
    if reason := case.reasons.get(claim) or case.reason:
        lines.append(f"  reason     {reason}")
    lines += _cause(case, claim, verdict)
    if traces := _evidence(case, claim, folder):
        lines.append(f"  evidence   {traces[0]}")
        lines += [f"             {trace}" for trace in traces[1:]]
    if case.repeat:
        lines.append(f"  repeat     {case.repeat}")
    return lines


def _cause(case: CaseResult, claim: str, verdict: Verdict) -> Iterator[str]:
    for attempt in case.attempts:
        if attempt.error:
            yield f"  attempt {attempt.number}  failed: {_indent(attempt.error)}"
        elif not attempt.valid:
            for reason in attempt.reasons:
                yield f"  attempt {attempt.number}  is no evidence: {_indent(reason)}"
    if verdict is Verdict.HOLDS:
        return
    number, findings = _telling(case, claim)
    for finding in findings:
        yield from _finding(finding, number)


def _telling(case: CaseResult, claim: str) -> tuple[int, list[Finding]]:
    """The first attempt that says most against the claim, and what it says."""
    for outcome in (Outcome.UNMET, Outcome.ERROR, Outcome.INVALID):
        for attempt in case.attempts:
            found = [one for one in attempt.findings if claim in one.claims and one.outcome is outcome]
            if found:
                return attempt.number, found
    return 0, []


def _finding(finding: Finding, attempt: int) -> Iterator[str]:
    where = f"attempt {attempt}"
    if finding.arm and finding.arm != "main":
        where += f", arm {finding.arm}"
    yield f"  expected   {_indent(finding.text)}"
    yield f"    at       {finding.place}"
    yield f"  found      {_indent(finding.summary)}  ({where}, {finding.population} events looked at)"
    for detail in finding.details:
        yield f"             {_indent(detail)}"
    if finding.misses:
        yield "  nearest misses"
        yield from _events(finding.misses)
    elif finding.matched:
        yield "  events"
        yield from _events(finding.matched)


def _events(events: list[EventView]) -> Iterator[str]:
    for event in events[:_EVENTS]:
        duration = "" if event.dur_us is None else f" for {format_us(event.dur_us)}"
        yield f"    #{event.seq} {event.name} ({event.ph}) at {event.ts_us:.0f} us{duration}  on {event.thread or '?'}"
        if event.parents:
            yield f"        in {' > '.join(event.parents)}"
        if event.args:
            yield f"        args {_shorten(event.args)}"
        if event.note:
            yield f"        {event.note}"
    if len(events) > _EVENTS:
        yield f"    and {len(events) - _EVENTS} more in the ledger"


def _evidence(case: CaseResult, claim: str, folder: str) -> list[str]:
    """Paths of the recordings of the attempt that was explained, else of the last one."""
    number, _ = _telling(case, claim)
    attempts: list[Attempt] = [one for one in case.attempts if one.number == number] or case.attempts[-1:]
    prefix = f"{folder}/" if folder else ""
    return [f"{prefix}{recording.trace}" for one in attempts for recording in one.recordings]


def _shorten(args: dict[str, Any]) -> str:
    text = orjson.dumps(args, default=str).decode()
    return text if len(text) <= _ARGS else f"{text[:_ARGS]}…"


def _indent(text: str) -> str:
    return text.strip().replace("\n", "\n             ")
