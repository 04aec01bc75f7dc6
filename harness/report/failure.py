"""Why a claim got its verdict in one case, as lines of plain text for a console, a pytest report or a JUnit file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from harness.events import Attempt, CaseResult, EventView, Finding
from harness.report.words import build_label
from harness.units import format_us
from harness.verdict import Outcome, Verdict
from harness.wording import plural

_EVENTS = 5  # of each kind in one explanation
_ARGS = 160  # characters


def explain(case: CaseResult, claim: str, *, says: str = "", folder: str = "") -> list[str]:
    """The verdict, the expectation as written, what was found, the nearest misses, where to look and how to repeat."""
    return next(explain_case(case, [claim], says={claim: says}, folder=folder))


def explain_case(
    case: CaseResult, claims: Iterable[str], *, says: Mapping[str, str] | None = None, folder: str = ""
) -> Iterator[list[str]]:
    """The same for several claims; those of which there is nothing different to say are told together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for claim in claims:
        met, valid = case.tallies.get(claim, (0, 0))
        counted = f"  ({met} of {valid} valid attempts met it, {len(case.attempts)} run)" if valid else ""
        alike.setdefault((case.verdicts[claim], counted, *_body(case, claim, folder)), []).append(claim)
    for (verdict, counted, *body), named in alike.items():
        told = named[0] if len(named) == 1 else plural(len(named), "claim")
        head = f"{verdict}  {told}  on {build_label(*case.lab)}{counted}"
        yield [head, *_claims(named, says or {}), *body]


def _claims(named: list[str], says: Mapping[str, str]) -> Iterator[str]:
    if len(named) == 1:
        said = [says.get(named[0], "")]
    else:
        said = [": ".join(part for part in (claim, says.get(claim, "")) if part) for claim in named]
    for label, text in zip(["claim" if len(named) == 1 else "claims", *[""] * len(said)], said, strict=False):
        if text:
            yield f"  {label:<10} {text}"


def _body(case: CaseResult, claim: str, folder: str) -> Iterator[str]:
    yield f"  scenario   {case.name}  {case.place}"
    if reason := case.reasons.get(claim) or case.reason:
        yield f"  reason     {reason}"
    yield from _cause(case, claim, case.verdicts[claim])
    if traces := _evidence(case, claim, folder):
        yield f"  evidence   {traces[0]}"
        yield from (f"             {trace}" for trace in traces[1:])
    if case.repeat:
        yield f"  repeat     {case.repeat}"


def _cause(case: CaseResult, claim: str, verdict: Verdict) -> Iterator[str]:
    told: dict[str, list[int]] = {}
    for attempt in case.attempts:
        if attempt.error:
            told.setdefault(f"failed: {_indent(attempt.error)}", []).append(attempt.number)
        elif not attempt.valid:
            for reason in attempt.reasons:
                told.setdefault(f"is no evidence: {_indent(reason)}", []).append(attempt.number)
    for text, numbers in told.items():
        yield f"  attempt{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}  {text}"
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
