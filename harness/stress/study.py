"""A case that was run many times, as a whole: its claims, its numbers, and what its failures have that others lack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.compare import Dependents, Difference, dependents
from harness.events import Attempt, CaseResult
from harness.scenario.model import Case
from harness.store import context_beside
from harness.stress.contrast import Contrast, Seen, contrasts, inner_differences, joined, look
from harness.stress.flips import Flips, flips_of
from harness.stress.quantities import Quantity, quantities
from harness.trace import load, resolve_page
from harness.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Cause:
    """What differs where one claim is not met. lost: recordings that are not there any more, so were not looked at."""

    claim: str
    contrasts: tuple[Contrast, ...]
    inner: tuple[Difference, ...]
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """One case on one build, mode and raster path."""

    result: CaseResult
    claims: tuple[Flips, ...]
    quantities: tuple[Quantity, ...]
    causes: tuple[Cause, ...]

    @property
    def flaky(self) -> tuple[Flips, ...]:
        """Claims that some attempts met and some did not."""
        return tuple(one for one in self.claims if one.flaky)


def to_read(result: CaseResult) -> int:
    """How many recordings `study` will read: none where no claim is flaky."""
    flaky = any(flips_of(claim, verdict, result.attempts).flaky for claim, verdict in result.verdicts.items())
    return sum(len(attempt.recordings) for attempt in result.attempts if attempt.valid) if flaky else 0


def study(
    result: CaseResult, folder: Path, case: Case | None = None, on_recording: Callable[[], None] = lambda: None
) -> Study:
    """What a case's line in the ledger and its recordings below `folder` tell. `case`: for what its claims look at.

    `on_recording` hears of each recording that has been read. `TraceFileError` for one that does not parse.
    """
    claims = tuple(flips_of(claim, verdict, result.attempts) for claim, verdict in result.verdicts.items())
    flaky = [one for one in claims if one.flaky]
    lost: list[str] = []
    seen: dict[int, Seen] = {}
    for attempt in result.attempts if flaky else ():
        if attempt.valid and (one := _look(attempt, folder, lost, on_recording)):
            seen[attempt.number] = one
    looks = dependents([case] if case else [])
    causes = tuple(_cause(one, result.attempts, seen, looks, tuple(lost)) for one in flaky)
    return Study(result, claims, tuple(quantities(result.attempts)), causes)


def _cause(
    flips: Flips, attempts: Sequence[Attempt], seen: Mapping[int, Seen], looks: Dependents, lost: tuple[str, ...]
) -> Cause:
    outcomes = {attempt.number: said for attempt, said in zip(attempts, flips.outcomes, strict=True)}
    met, unmet = (
        [one for number, one in seen.items() if outcomes[number] is wanted] for wanted in (Outcome.MET, Outcome.UNMET)
    )
    if not met or not unmet:
        return Cause(flips.claim, (), (), lost)
    found = contrasts(met, unmet, lambda name: flips.claim in looks.of(name))
    return Cause(flips.claim, tuple(found), tuple(inner_differences(met, unmet)), lost)


def _look(attempt: Attempt, folder: Path, lost: list[str], on_recording: Callable[[], None]) -> Seen | None:
    """All recordings of an attempt, one in memory at a time; None where one is lost."""
    parts = []
    for one in attempt.recordings:
        path = folder / one.trace
        context = context_beside(path) if path.is_file() else None
        if context is None:
            lost.append(one.trace)
            return None
        trace = load(path)
        parts.append(look(trace, resolve_page(trace, context), one.arm))
        on_recording()
    return joined(parts)
