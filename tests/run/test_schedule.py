"""The order in which workers take cases: the longest first, and what must be alone with nothing beside it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.events import Attempt, CaseResult, RunResult
from harness.run import job as job_module
from harness.run.catalog import Catalog, load_catalog
from harness.run.durations import Durations, read_durations, recent_durations
from harness.run.engine import run_cases
from harness.run.options import RunOptions
from harness.run.plan import Job
from harness.run.views import build_view
from harness.store import RunFolder
from tests import stored
from tests.run.cases import BUILD
from tests.stored import SCENARIO, write_scenarios
from tests.traces import slice as complete

ONCE = [complete("ParseHTML", ts=0, dur=10, args={"endData": {"endLine": 3}})]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """`parsing.one` and five cells of `parsing.two`, of which some tests make a few exclusive."""
    scenarios = write_scenarios(tmp_path / "own")
    two = SCENARIO.replace("parsing.one", "parsing.two").replace("1ms", '"${n}ms"')
    (scenarios / "two.scenario.yaml").write_text(two.replace("steps:", "matrix: {n: [1, 2, 3, 4, 5]}\nsteps:"))
    return load_catalog([scenarios])


class Watch:
    """Which cases were begun in what order, and which ran beside which."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.beside: dict[str, set[str]] = {}
        self._now: set[str] = set()

    async def attempt(self, job: Job, number: int, folder: RunFolder) -> Attempt:
        name = job.case.name
        self.begun.append(name)
        self._now.add(name)
        for one in self._now:
            self.beside.setdefault(one, set()).update(self._now - {one})
        for _ in range(20):
            await asyncio.sleep(0)
        self._now.remove(name)
        return stored._attempt(folder, job.case, ONCE, build_view(job.build), job.mode, number, "")


def run(
    catalog: Catalog,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    workers: int,
    durations: Durations | None = None,
    exclusive: Callable[[str], bool] = lambda name: False,
) -> tuple[Watch, RunResult]:
    watch = Watch()
    monkeypatch.setattr(job_module, "run_attempt", watch.attempt)
    cases = [replace(case, exclusive=exclusive(case.name)) for case in catalog.cases]
    options = RunOptions(
        RunFolder(out), catalog.claims, catalog.baselines, attempts=1, workers=workers, durations=durations
    )
    work = run_cases(cases, [BUILD], ["headless"], options, lambda event: None)
    return watch, asyncio.run(work)


LONG = {
    ("parsing.two[n=1]", ""): 2.0,
    ("parsing.two[n=3]", ""): 30.0,
    ("parsing.two[n=5]", ""): 20.0,
    ("parsing.one", ""): 1.0,
}


def test_several_workers_take_the_longest_first(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, result = run(catalog, tmp_path / "out" / "a", monkeypatch, workers=2, durations=LONG)
    assert watch.begun[:2] == ["parsing.two[n=3]", "parsing.two[n=5]"] and watch.begun[-1] == "parsing.one"
    assert [case.name for case in result.cases] == [case.name for case in catalog.cases]


def test_one_worker_keeps_the_order_that_was_asked_for(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, _ = run(catalog, tmp_path / "out" / "a", monkeypatch, workers=1, durations=LONG)
    assert watch.begun == [case.name for case in catalog.cases]


def test_nothing_runs_beside_what_must_be_alone(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = {"parsing.two[n=1]", "parsing.two[n=4]"}
    watch, _ = run(catalog, tmp_path / "out" / "a", monkeypatch, workers=3, exclusive=alone.__contains__)
    assert all(not watch.beside[name] for name in alone)
    assert any(watch.beside[name] for name in watch.beside.keys() - alone)
    assert set(watch.begun[-2:]) == alone and len(watch.begun) == 6


def test_the_runs_beside_tell_how_long_a_case_takes(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert recent_durations(out / "next") == {}
    for number, seconds in enumerate((5.0, 9.0)):
        run(catalog, out / str(number), monkeypatch, workers=1)
        _slowed(out / str(number) / "ledger.jsonl", "parsing.two[n=2]", seconds)
        os.utime(out / str(number) / "ledger.jsonl", (number, number))
    (out / "broken").mkdir()
    (out / "broken" / "ledger.jsonl").write_text("{\n")
    assert recent_durations(out / "next")["parsing.two[n=2]", ""] == 9
    assert read_durations([out / "0", out / "1"])["parsing.two[n=2]", ""] == 7
    watch, _ = run(catalog, out / "next", monkeypatch, workers=2)
    assert watch.begun[0] == "parsing.two[n=2]"


def _slowed(ledger: Path, name: str, seconds: float) -> None:
    from harness.store import read_ledger, write_lines

    def slow(line: Any) -> Any:
        if not (isinstance(line, CaseResult) and line.name == name):
            return line
        attempts = [msgspec.structs.replace(one, seconds=seconds) for one in line.attempts]
        return msgspec.structs.replace(line, attempts=attempts)

    write_lines(ledger, [slow(line) for line in read_ledger(ledger)])
