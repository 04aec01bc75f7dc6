"""What one case says of one claim on one build, whatever versions the claim and the case are bound to.

Verdicts of a ledger count while the scenario file and its pages are those of now; where only the scenario file has
changed, the recordings are asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import UserError
from harness.events import Attempt, BuildView, CaseResult
from harness.run.ledgers import mentions
from harness.run.rederive import Lost, derive_attempt
from harness.run.verdicts import settle_case
from harness.scenario.model import Case
from harness.store import manifest_beside, read_ledger, sha256_file
from harness.verdict import Outcome, Verdict

LEDGER, RECORDINGS, NOW = "ledger", "recordings", "recorded now"


@dataclass(frozen=True, slots=True)
class Answer:
    """All attempts of one case on one version and mode, together. `why`: where they give no answer about Chrome.

    sources: where they come from, each once: `LEDGER`, `RECORDINGS` (derived again), `NOW`.
    """

    build: BuildView
    met: int
    valid: int
    attempts: int
    verdict: Verdict
    why: str = ""
    sources: tuple[str, ...] = ()
    places: tuple[Path, ...] = ()  # ledgers

    @property
    def says(self) -> Verdict | None:
        """The verdict; None where the lab failed. INCONCLUSIVE is one: what a control needs may be what changed."""
        return self.verdict if self.verdict.says_of_chrome or self.verdict is Verdict.INCONCLUSIVE else None


@dataclass(frozen=True, slots=True)
class Told:
    """Attempts of one build that one ledger has, with the source that says what they found."""

    build: BuildView
    attempts: tuple[Attempt, ...]
    source: str
    ledger: Path
    why: str = ""  # nothing was run


def answer_of(claim: str, told: Sequence[Told]) -> Answer:
    """One answer from all that is known of a build; a build of which nothing is known is not asked for one.

    A ledger in which an attempt failed is left out where another one has none that did.
    """
    clean = [one for one in told if one.attempts and not any(attempt.error for attempt in one.attempts)]
    used = clean or [one for one in told if one.attempts]
    attempts = [attempt for one in used for attempt in one.attempts]
    build = told[-1].build
    verdicts, tallies, reasons = settle_case([claim], attempts, build.major, {})  # bound to no versions
    verdict = verdicts[claim] if attempts else Verdict.UNSUPPORTED
    met, valid = tallies[claim]
    why = "" if verdict.says_of_chrome else reasons.get(claim) or _why(claim, attempts, told)
    sources = tuple(dict.fromkeys(one.source for one in used))
    places = tuple(dict.fromkeys(one.ledger for one in used))
    return Answer(build, met, valid, len(attempts), verdict, why, sources, places)


def _why(claim: str, attempts: Sequence[Attempt], told: Sequence[Told]) -> str:
    for attempt in attempts:
        if attempt.error or attempt.reasons:
            return attempt.error.splitlines()[0] if attempt.error else attempt.reasons[0]
        for finding in attempt.findings:
            if claim in finding.claims and finding.outcome is Outcome.INVALID:
                return finding.summary
    return next((one.why for one in told if one.why), "")


def stored(case: Case, claim: str, mode: str, ledgers: Iterable[Path], notes: list[str]) -> Iterator[Told]:
    """What ledgers have of a case in a mode. `notes` gets one line for each thing that could not be used."""
    for ledger in ledgers:
        try:
            lines = read_ledger(ledger) if mentions(ledger, case.id) else []
        except UserError as error:
            notes.append(f"not read: {error.problems[0]}".splitlines()[0])
            continue
        for line in lines:
            if isinstance(line, CaseResult) and _is_of(line, case, mode):
                yield from _told(line, case, claim, ledger, notes)


def _is_of(line: CaseResult, case: Case, mode: str) -> bool:
    wanted = (case.id, case.cell, mode, case.raster)
    return bool(line.attempts) and (line.scenario, line.cell, line.mode, line.raster) == wanted


def _told(line: CaseResult, case: Case, claim: str, ledger: Path, notes: list[str]) -> Iterator[Told]:
    kept: dict[str, list[Attempt]] = {}
    for attempt in line.attempts:
        if (source := _source(attempt, case, ledger.parent, notes)) is None:
            continue
        if source == RECORDINGS or not any(claim in finding.claims for finding in attempt.findings):
            try:
                attempt = derive_attempt(attempt, case, ledger.parent)
            except Lost as lost:
                notes.append(f"{ledger.parent}: {lost}".splitlines()[0])
                continue
        kept.setdefault(source, []).append(attempt)
    yield from (Told(line.build, tuple(attempts), source, ledger) for source, attempts in kept.items())


def _source(attempt: Attempt, case: Case, folder: Path, notes: list[str]) -> str | None:
    """How an attempt can be used, by the manifests of its recordings; None when it is of other pages."""
    if attempt.error or not attempt.recordings:
        return LEDGER
    same = True
    for one in attempt.recordings:
        try:
            manifest = manifest_beside(folder / one.trace)
        except UserError:
            manifest = None
        arm = case.arms.get(one.arm)
        if manifest is None or arm is None:
            otherwise = "nothing says which scenario file it was made with"
        elif manifest.fixture_sha256 != sha256_file(arm.fixture):
            otherwise = f"it is of another page than {case.name} has now"
        elif manifest.recorder != arm.record.recorder:
            otherwise = f"it was made by {manifest.recorder}"
        else:
            same = same and manifest.scenario_sha256 == sha256_file(case.file)
            continue
        notes.append(f"{folder / one.trace} is left out: {otherwise}")
        return None
    if not same:
        notes.append(f"{folder}: made with another version of {case.at.file}; the recordings were asked again")
    return LEDGER if same else RECORDINGS
