"""A run that was cut short, wherever that was, and gone on with: the same as one that was not."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import msgspec
import pytest

from harness.browser import Build
from harness.cli import cli
from harness.errors import StoreError, UsageError, UserError
from harness.events import (
    Attempt,
    AttemptDone,
    CaseResult,
    ClaimVerdict,
    Finding,
    LedgerLine,
    RunResult,
    RunResumed,
    Sampling,
)
from harness.run import job as job_module
from harness.run import resume as resume_module
from harness.run.catalog import Catalog, load_catalog
from harness.run.engine import run_cases
from harness.run.options import RunOptions
from harness.run.plan import Job
from harness.run.resume import Earlier, compare_asked, find_run, look_again
from harness.run.sampling import sequential
from harness.store import Ledger, RunFolder, read_ledger
from harness.verdict import Outcome
from tests.run.cases import BUILD
from tests.stored import write_scenarios

OTHER = replace(BUILD, path=Path("/no/such/other"))
BUILDS = (BUILD, OTHER)  # of one version
ATTEMPTS = 3


class Lab:
    """Attempts that no browser makes. `made` says which; `full` is the one at which the disk is."""

    def __init__(self, folder: Path) -> None:
        self.scenarios = write_scenarios(folder / "own")
        page = self.scenarios / "page.html"
        page.write_text("<p>")
        file = self.scenarios / "one.scenario.yaml"
        file.write_text(file.read_text().replace("steps:", "fixture: page.html\nsteps:"))
        self.out = folder / "out" / "run"
        self.made: list[tuple[str, int]] = []
        self.places: list[Path] = []
        self.full: tuple[str, int] | None = None
        self.sampling: Sampling | None = None

    @cached_property
    def catalog(self) -> Catalog:
        return load_catalog([self.scenarios])

    @property
    def ledger(self) -> Path:
        return self.out / "ledger.jsonl"

    async def attempt(self, job: Job, number: int, folder: RunFolder) -> Attempt:
        binary = str(job.build.path)
        files = folder.recording(job.case.name, job.build.version, job.mode, number, "main", 0, binary=binary)
        self.places.append(files.trace)
        if (binary, number) == self.full:
            raise StoreError("no space")
        self.made.append((binary, number))
        outcome = Outcome.MET if number != 2 else Outcome.UNMET
        findings = [
            Finding(index=0, claims=[claim], form="count", text="x", outcome=outcome, summary="y")
            for claim in job.case.claims
        ]
        return Attempt(number=number, valid=True, findings=findings)

    def run(self, earlier: Earlier | None = None, builds: Sequence[Build] = BUILDS) -> RunResult:
        catalog = self.catalog
        options = RunOptions(
            RunFolder(self.out),
            catalog.claims,
            catalog.baselines,
            attempts=ATTEMPTS,
            sampling=self.sampling,
            command=("traceproof", "run"),
            catalog=catalog.cases,
            paths=catalog.paths,
        )
        return asyncio.run(run_cases(catalog.cases, builds, ["headless"], options, lambda event: None, earlier))


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    lab = Lab(tmp_path)
    monkeypatch.setattr(job_module, "run_attempt", lab.attempt)
    monkeypatch.setattr(job_module, "shared_driver", contextlib.nullcontext)
    monkeypatch.setattr(resume_module, "find_builds", lambda: list(BUILDS))
    return lab


def told(lines: Sequence[LedgerLine]) -> list[object]:
    """What a ledger says, but for clocks and for the notes that it was resumed."""
    return [
        msgspec.structs.replace(line, elapsed_s=0)
        if isinstance(line, AttemptDone)
        else msgspec.to_builtins(line) | {"seconds": 0, "started": "", "machine": {}}
        for line in lines
        if not isinstance(line, RunResumed)
    ]


def test_wherever_the_ledger_is_cut_the_rest_of_the_run_makes_it_whole(lab: Lab) -> None:
    lab.run()
    whole, lines = lab.ledger.read_bytes(), read_ledger(lab.ledger)
    unbroken, everything = told(lines), list(lab.made)
    assert sum(isinstance(line, AttemptDone) for line in lines) == len(everything) == ATTEMPTS * len(BUILDS)
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    chance = random.Random(4)
    cuts = {*ends[:-1], *(end - 1 for end in ends[1:]), *(chance.randrange(ends[0], len(whole)) for _ in range(6))}
    for cut in sorted(cuts):
        lab.ledger.write_bytes(whole[:cut])
        kept = [one.attempt for one in read_ledger(lab.ledger) if isinstance(one, AttemptDone)]
        lab.made.clear()
        lab.run(Earlier.read(lab.out))
        assert told(read_ledger(lab.ledger)) == unbroken, cut
        assert lab.made == everything[len(kept) :], cut


def test_a_run_until_decided_goes_on_by_the_rule_in_its_header(lab: Lab) -> None:
    lab.sampling = sequential(60)
    lab.run()
    lines = lab.ledger.read_bytes().splitlines(keepends=True)
    unbroken = told(read_ledger(lab.ledger))
    assert [number for _, number in lab.made] == [1, 2, 1, 2]  # one met, one not: that is decided
    lab.made.clear()
    lab.ledger.write_bytes(b"".join(lines[:2]))
    earlier = Earlier.read(lab.out)
    assert earlier.plan.sampling == lab.sampling
    lab.run(earlier)
    assert told(read_ledger(lab.ledger)) == unbroken
    assert len(lab.made) == 3


def test_a_full_disk_ends_the_run_and_is_no_attempt(lab: Lab) -> None:
    lab.full = (str(BUILD.path), 2)
    with pytest.raises(StoreError):
        lab.run()
    assert [type(line).__name__ for line in read_ledger(lab.ledger)] == ["RunHeader", "AttemptDone"]
    lab.full = None
    result = lab.run(Earlier.read(lab.out))
    assert [one.number for one in result.cases[0].attempts] == [1, 2, 3]
    assert len(lab.made) == ATTEMPTS * len(BUILDS)


def test_a_binary_keeps_its_folder_when_another_of_its_version_goes_first(lab: Lab) -> None:
    lab.run()
    first = {path.parents[1] for path in lab.places[:ATTEMPTS]}
    lines = read_ledger(lab.ledger)
    trace = lab.places[0].relative_to(lab.out).as_posix()
    folder = RunFolder(lab.out)
    folder.reserve(trace, str(BUILD.path))
    again = folder.recording("parsing.one", BUILD.version, "headless", 1, "main", 0, binary=str(OTHER.path)).trace
    assert lines and again.parents[1] not in first


def cut(lab: Lab) -> None:
    """Leave a ledger with one attempt."""
    lab.run()
    lab.ledger.write_bytes(b"".join(lab.ledger.read_bytes().splitlines(keepends=True)[:2]))


def test_what_has_changed_is_named_and_nothing_is_touched(lab: Lab) -> None:
    cut(lab)
    before = lab.ledger.read_bytes()
    page, scenario = lab.scenarios / "page.html", lab.scenarios / "one.scenario.yaml"

    def refused() -> str:
        with contextlib.closing(Earlier.read(lab.out)) as earlier, pytest.raises(UsageError) as error:
            look_again(earlier.plan, lab.ledger)
        return str(error.value)

    page.write_text("<p>other")
    assert "the scenario parsing.one or its page has changed since" in refused()
    page.write_text("<p>")
    text = scenario.read_text()
    scenario.write_text(text + "# more\n")
    assert "or its page has changed since" in refused()
    scenario.write_text(text.replace("parsing.one\n", "parsing.two\n"))
    assert "there is no scenario parsing.one any more" in refused()
    scenario.write_text(text)
    with contextlib.closing(Earlier.read(lab.out)) as earlier:
        again = look_again(earlier.plan, lab.ledger)
        assert [case.name for case in again.cases] == ["parsing.one"] and again.builds == list(BUILDS)
        with pytest.raises(UsageError, match="the command line means other modes than the run: headless, shell"):
            compare_asked(lab.ledger, {"modes": (["headless"], ["shell"])})
    assert lab.ledger.read_bytes() == before


def test_another_build_is_refused(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    cut(lab)
    monkeypatch.setattr(resume_module, "find_builds", lambda: [replace(BUILD, version="157.0.0.1"), OTHER])
    with (
        contextlib.closing(Earlier.read(lab.out)) as earlier,
        pytest.raises(UsageError, match=r"/no/such/chromium is 157\.0\.0\.1 now, and was 156\.0\.1\.2"),
    ):
        look_again(earlier.plan, lab.ledger)


def test_what_would_count_twice_is_refused(lab: Lab) -> None:
    cut(lab)
    before = lab.ledger.read_bytes()
    with pytest.raises(UsageError, match=r"the run has parsing\.one on /no/such/chromium"):
        lab.run(Earlier.read(lab.out), [OTHER])
    assert lab.ledger.read_bytes() == before


def test_one_at_a_time(lab: Lab) -> None:
    cut(lab)
    with contextlib.closing(Earlier.read(lab.out)), pytest.raises(UserError, match="another run is writing here"):
        Earlier.read(lab.out)


def test_latest_is_the_newest_that_was_cut_short_and_goes_on_no_more(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="there is no run below out/ to go on with"):
        find_run("latest")
    lab.run()
    with pytest.raises(UsageError, match="no run below out/ was cut short"):
        find_run("latest")
    cut(lab)
    running = tmp_path / "out" / "running"
    running.mkdir()
    (running / "ledger.jsonl").write_bytes(lab.ledger.read_bytes())
    with Ledger(running / "ledger.jsonl"):
        assert find_run("latest") == Path("out/run")
    assert find_run("out/run/ledger.jsonl") == find_run("latest", Path("out/run")) == Path("out/run")
    with pytest.raises(UsageError, match="there is no ledger in parse-html"):
        find_run("parse-html")


def test_a_run_that_has_ended_is_told_again_and_not_written_to(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    result = lab.run()
    before = lab.ledger.read_bytes()
    status = cli.main(["run", "--resume", str(lab.out)], standalone_mode=False)
    said = capsys.readouterr()
    assert status == result.exit_code == 1
    assert "has ended; nothing is left to do" in said.err and "SOMETIMES" in said.out
    assert lab.ledger.read_bytes() == before


def test_a_ledger_without_a_plan_cannot_be_resumed(lab: Lab) -> None:
    cut(lab)
    header, *rest = read_ledger(lab.ledger)
    lab.ledger.unlink()
    with Ledger(lab.ledger) as ledger:
        for line in (msgspec.structs.replace(header, plan=None), *rest):
            ledger.append(line)
    with pytest.raises(UsageError, match="does not say what its run was to do"):
        Earlier.read(lab.out)


def test_verdicts_are_those_of_all_attempts(lab: Lab) -> None:
    cut(lab)
    result = lab.run(Earlier.read(lab.out))
    lines = read_ledger(lab.ledger)
    assert [line for line in lines if isinstance(line, ClaimVerdict)] == result.verdicts
    assert {(one.met, one.valid) for one in result.verdicts} == {(2, 3)}
    assert [line for line in lines if isinstance(line, CaseResult)] == result.cases
