"""Ledgers of earlier runs: found on disk, and read into results again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from harness.errors import Problem, UsageError, UserError
from harness.events import CaseResult, ClaimVerdict, RunFooter, RunHeader, RunResult
from harness.paths import below
from harness.run.baselines import Baselines
from harness.run.catalog import Catalog
from harness.run.judging import conclude
from harness.store import LEDGER, read_ledger

_LEDGERS = "a ledger.jsonl, the folder of a run, or a folder of runs"


def ledgers_in(path: Path) -> list[Path]:
    """A ledger itself, that of a run's folder, or all below a folder of runs, by name. `UsageError` without any."""
    found = any_ledgers(path)
    if not found:
        message = f"there is no ledger in {path}" if path.exists() else f"{path} does not exist"
        raise UsageError(Problem(message, expected=_LEDGERS, remedy="`traceproof run` writes one; name its folder"))
    return found


def any_ledgers(path: Path) -> list[Path]:
    """The same for those who can do without: none where nothing was run yet."""
    if path.is_file():
        return [path]
    found = [path / LEDGER] if (path / LEDGER).is_file() else below(path, LEDGER)
    return [one for one in found if one.stat().st_size] or found  # a run that was killed before its first line


def ledger_in(path: Path) -> Path:
    """The one ledger that a path means. `UsageError` without any, and where there are several."""
    found = ledgers_in(path)
    if len(found) > 1:
        told = ", ".join(str(one) for one in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        message = f"{path} holds {len(found)} ledgers: {told}{more}"
        raise UsageError(Problem(message, expected="the folder of one run", remedy="name one"))
    return found[0]


def mentions(ledger: Path, word: str) -> bool:
    """Whether a ledger says anything of a claim or a scenario: quicker than to read what says nothing of it."""
    try:
        return f'"{word}"'.encode() in ledger.read_bytes()
    except OSError as error:
        raise UserError(Problem(f"cannot be read: {error.strerror}", file=str(ledger))) from error


def read_result(ledger: Path, catalog: Catalog) -> RunResult:
    """A run as its ledger tells it. From one that was cut short, what its cases say. `UserError` for a broken one."""
    lines = read_ledger(ledger)
    header = next((line for line in lines if isinstance(line, RunHeader)), None)
    if header is None:
        raise UsageError(Problem("has no line of the type `run`, so it is no ledger", file=str(ledger)))
    cases = [line for line in lines if isinstance(line, CaseResult)]
    verdicts = [line for line in lines if isinstance(line, ClaimVerdict)]
    footer = next((line for line in lines if isinstance(line, RunFooter)), None)
    folder = str(ledger.parent)
    if footer is not None:
        return RunResult(
            header=header, cases=cases, verdicts=verdicts, footer=footer, folder=folder, ledger=str(ledger)
        )
    return conclude(
        cases,
        catalog.claims,
        catalog.baselines,
        folder=folder,
        command=header.command,
        seconds=0,
        header=header,
        ledger=str(ledger),
        catalog=catalog.cases,
    )


def expecting(result: RunResult, baselines: Baselines, claims: Collection[str] | None = None) -> RunResult:
    """The result with the verdicts that are expected now, not those of its day; only of `claims` if given."""
    verdicts = []
    for one in result.verdicts:
        if claims is None or one.claim in claims:
            entry = baselines.find(one.claim, one.build.major, one.mode, one.raster)
            expected = baselines.expected(one.claim, one.build.major, one.mode, one.raster)
            reason = entry.reason if entry else ""
            verdicts.append(msgspec.structs.replace(one, expected=expected, baseline_reason=reason))
    return msgspec.structs.replace(result, verdicts=verdicts)
