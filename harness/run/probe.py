"""New recordings of one case on one build, inside or outside the versions that it is bound to."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence

import msgspec

from harness.browser import Build
from harness.events import CaseResult, ProgressEvent
from harness.run.applies import applies_elsewhere
from harness.run.baselines import Baselines
from harness.run.catalog import Catalog
from harness.run.engine import close_ledger, open_ledger
from harness.run.job import run_job
from harness.run.judging import conclude
from harness.run.options import RunOptions
from harness.run.plan import plan_one
from harness.run.verdicts import settle_case
from harness.scenario.model import Case
from harness.store import RunFolder
from harness.verdict import Verdict
from harness.versions import EVERY


async def probe(
    case: Case,
    build: Build,
    mode: str,
    attempts: int,
    catalog: Catalog,
    folder: RunFolder,
    command: Sequence[str],
    on_event: Callable[[ProgressEvent], None],
) -> CaseResult:
    """Attempts of a case on a build, with a ledger of their own in `folder`.

    Where the case is not made for that version, its verdicts are NOT_APPLICABLE as in any run, so that nobody takes
    them for answers about the claim; what the attempts found is there all the same.
    """
    began = time.monotonic()
    options = RunOptions(folder, catalog.claims, Baselines(), attempts, command=tuple(command))
    job = plan_one(dataclasses.replace(case, versions=EVERY), build, mode, attempts)
    ledger, header = open_ledger(options)
    with ledger:
        result = await run_job(job, options, on_event, keep=ledger.append, began=began)
        if result.attempts and (elsewhere := applies_elsewhere(case, build.major, mode)):
            result = _outside(result, f"{elsewhere}; asked all the same", catalog)
        ledger.append(result)
        seconds = time.monotonic() - began
        done = conclude(
            [result],
            catalog.claims,
            catalog.baselines,
            folder=str(folder.path),
            command=command,
            seconds=seconds,
            header=header,
            ledger=str(ledger.path),
            catalog=catalog.cases,
        )
        close_ledger(ledger, done)
    return result


def _outside(result: CaseResult, reason: str, catalog: Catalog) -> CaseResult:
    verdicts, tallies, _ = settle_case(
        result.claims, result.attempts, result.build.major, catalog.claims, Verdict.NOT_APPLICABLE
    )
    return msgspec.structs.replace(result, verdicts=verdicts, tallies=tallies, reason=reason, reasons={})
