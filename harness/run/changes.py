"""What is not the same when a ledger's verdicts are derived again, down to the words of each finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from harness.events import Attempt, CaseResult, ClaimVerdict, Finding, Lab

NONE = "none"


@dataclass(frozen=True, slots=True)
class Change:
    """One verdict, attempt or finding that comes out otherwise. `expectation`: as it is written now, with its `place`.

    claims: those that it is about. attempt: 0 for what is about all.
    """

    about: str  # "verdict", "attempt" or "finding"
    claims: tuple[str, ...]
    scenario: str
    build: str
    mode: str
    stored: str
    derived: str
    attempt: int = 0
    expectation: str = ""
    place: str = ""


def case_changes(stored: CaseResult, derived: CaseResult) -> Iterator[Change]:
    """Verdicts of one case, then the attempts and findings that they come from."""
    for claim in dict.fromkeys((*stored.verdicts, *derived.verdicts)):
        was, now = (_verdict(case, claim) for case in (stored, derived))
        if was != now:
            yield _change(stored, "verdict", (claim,), was, now)
    for old, new in zip_longest(stored.attempts, derived.attempts):
        if old is not None and new is not None:
            yield from _attempt_changes(stored, old, new)


def _verdict(case: CaseResult, claim: str) -> str:
    if claim not in case.verdicts:
        return NONE
    met, valid = case.tallies.get(claim, (0, 0))
    reason = case.reasons.get(claim, "")
    return f"{case.verdicts[claim]} {met} of {valid}" + (f" ({reason})" if reason else "")


def _attempt_changes(case: CaseResult, old: Attempt, new: Attempt) -> Iterator[Change]:
    if (old.valid, old.reasons) != (new.valid, new.reasons):
        yield _change(case, "attempt", tuple(case.claims), _validity(old), _validity(new), old.number)
        return
    for was, now in _aligned(old.findings, new.findings):
        if _words(was) != _words(now):
            one = now or was
            assert one is not None
            yield _change(case, "finding", tuple(one.claims), _told(was, now), _told(now, was), old.number, one)


def _aligned(old: Sequence[Finding], new: Sequence[Finding]) -> Iterator[tuple[Finding | None, Finding | None]]:
    """Findings of the same expectation; between two that are written alike, those in the same place."""
    texts = [one.text for one in old], [one.text for one in new]
    for _, a, b, c, d in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        yield from zip_longest(old[a:b], new[c:d])


def _validity(attempt: Attempt) -> str:
    return "valid" if attempt.valid else "; ".join(attempt.reasons)


def _words(finding: Finding | None) -> tuple[object, ...]:
    if finding is None:
        return ()
    return finding.claims, finding.text, finding.outcome, finding.summary, finding.details


def _told(finding: Finding | None, other: Finding | None) -> str:
    """Outcome and summary; the expectation or the details too where these are what differs."""
    if finding is None:
        return NONE
    told = f"{finding.outcome}: {finding.summary}"
    if other is None or _words(finding)[2:4] != _words(other)[2:4]:
        return told
    if finding.text != other.text:
        return f"{told}; written {finding.text}"
    if finding.details != other.details:
        return "; ".join([told, *finding.details])
    return f"{told}; for {', '.join(finding.claims)}"


def _change(
    case: CaseResult,
    about: str,
    claims: tuple[str, ...],
    stored: str,
    derived: str,
    attempt: int = 0,
    finding: Finding | None = None,
) -> Change:
    text, place = (finding.text, finding.place) if finding else ("", "")
    return Change(about, claims, case.name, case.build.version, case.mode, stored, derived, attempt, text, place)


def verdict_changes(
    stored: Sequence[ClaimVerdict], derived: Sequence[ClaimVerdict], told: Sequence[Change]
) -> Iterator[Change]:
    """Verdicts of claims that differ although nothing was `told` of their cases: what is made of these differs."""
    named = {claim for change in told for claim in change.claims}
    was, now = ({_key(one): one for one in side} for side in (stored, derived))
    for key in dict.fromkeys((*was, *now)):
        old, new = was.get(key), now.get(key)
        if key[0] not in named and _said(old) != _said(new):
            one = old or new
            assert one is not None
            scenarios = ", ".join(one.scenarios)
            yield Change("verdict", (one.claim,), scenarios, one.build.version, one.mode, _said(old), _said(new))


def _key(one: ClaimVerdict) -> tuple[str, Lab]:
    return one.claim, one.lab


def _said(one: ClaimVerdict | None) -> str:
    if one is None:
        return NONE
    said = f"{one.verdict} {one.met} of {one.valid} valid of {one.attempts}"
    return f"{said} ({one.reason})" if one.reason else said
