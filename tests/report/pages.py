"""Reports for tests: of a run with hostile names in it, and of one that changed from one build to the next."""

from __future__ import annotations

from pathlib import Path

import msgspec

from harness.events import RunResult
from harness.evidence import CaseEvidence, ClaimWords, Drawing, Reported
from harness.report.html import to_html
from harness.run.catalog import load_catalog, scenarios_of
from harness.run.reporting import claim_words, reported
from tests.stored import store_run, write_scenarios
from tests.traces import Json, slice

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>{{script}}"
BEYOND = 9_007_199_254_740_993  # no number of JavaScript's
MADE = "2026-01-31T12:00:00.000+00:00"


def parse(ts: float, name: str = "ParseHTML", **end: object) -> Json:
    return slice(name, ts=ts, dur=50, args={"endData": end, "url": HOSTILE, "id": BEYOND})


def changed_runs(tmp_path: Path) -> list[RunResult]:
    """`parsing.once` holds on 153 and not on 156; every name that a page can choose is hostile."""
    scenarios = write_scenarios(tmp_path / "parsing")
    file = scenarios / "one.scenario.yaml"
    file.write_text(f"# {HOSTILE}\n{file.read_text()}")
    catalog = load_catalog([scenarios])
    around = [slice(HOSTILE, ts=500, dur=900), slice("Layout", ts=1_500, dur=400)]
    once, twice = [parse(1_000, endLine=3), *around], [parse(1_000, endLine=3), parse(1_200, endLine=4), *around]
    old = store_run(tmp_path / "old", catalog, [once, once], majors=(153,))
    new = store_run(tmp_path / "new", catalog, [twice, twice], majors=(156,))
    odd = [msgspec.structs.replace(one, reason=f"{one.reason} {HOSTILE}") for one in new.verdicts]
    return [old, msgspec.structs.replace(new, verdicts=odd)]


def changed_report(tmp_path: Path) -> str:
    runs = changed_runs(tmp_path)
    catalog, cases = scenarios_of([case for run in runs for case in run.cases])
    return to_html(reported(runs, cases, 1_500), claim_words(catalog.claims), made=MADE)


def report_of(result: RunResult, drawing: Drawing | None = None) -> str:
    """A report without files: every case has the drawing."""
    evidence = {id(case): CaseEvidence([drawing] if drawing else []) for case in result.cases}
    return to_html([Reported(result, evidence)], {}, made=MADE)


__all__ = ["BEYOND", "HOSTILE", "ClaimWords", "changed_report", "changed_runs", "report_of"]
