"""A run in parts on several machines, and the parts joined: the same as if it had never been divided."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli import cli
from harness.errors import UsageError, UserError
from harness.events import (
    Attempt,
    AttemptDone,
    CaseResult,
    ClaimVerdict,
    LedgerLine,
    RunFooter,
    RunHeader,
    RunResult,
    Shard,
)
from harness.run import job as job_module
from harness.run import resume as resume_module
from harness.run.catalog import Catalog, load_catalog
from harness.run.durations import read_durations
from harness.run.engine import run_cases
from harness.run.merge import Merged, merge
from harness.run.mixture import read_part
from harness.run.options import RunOptions
from harness.run.plan import Job, plan, share_of
from harness.run.rederive import rederive
from harness.run.resume import Earlier, look_again
from harness.run.shards import make_shard, parse_shard
from harness.run.views import build_view
from harness.store import RunFolder, read_ledger, write_lines
from harness.verdict import Verdict
from tests import stored
from tests.run.cases import BUILD
from tests.stored import SCENARIO, write_scenarios
from tests.traces import slice as complete

OTHER = replace(BUILD, path=Path("/no/such/other"))
BUILDS = (BUILD, OTHER)  # of one version, so that their recordings would lie in one folder
ONCE = [complete("ParseHTML", ts=0, dur=10, args={"endData": {"endLine": 3}})]
TWICE = [*ONCE, complete("ParseHTML", ts=20, dur=10)]


class Lab:
    """Four cases on two builds, recorded without a browser: the scenario `parsing.two` sees two events, others one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scenarios = write_scenarios(folder / "own")
        two = SCENARIO.replace("parsing.one", "parsing.two").replace("1ms", '"${n}ms"')
        two = two.replace("steps:", "matrix: {n: [1, 2, 3]}\nsteps:")
        (self.scenarios / "two.scenario.yaml").write_text(two)

    @cached_property
    def catalog(self) -> Catalog:
        return load_catalog([self.scenarios])

    async def attempt(self, job: Job, number: int, folder: RunFolder) -> Attempt:
        events = TWICE if job.case.id == "parsing.two" and job.build is OTHER else ONCE
        return stored._attempt(folder, job.case, events, build_view(job.build), job.mode, number, "")

    def options(self, out: str, **more: Any) -> RunOptions:
        catalog = self.catalog
        return RunOptions(
            RunFolder(self.folder / out),
            catalog.claims,
            catalog.baselines,
            **{"attempts": 2, "command": ("traceproof", "run"), **more},
            catalog=catalog.cases,
            paths=catalog.paths,
        )

    def run(self, out: str, part: str = "", **more: Any) -> RunResult:
        cases, attempts = self.catalog.cases, more.get("attempts", 2)
        if part:
            more["shard"] = make_shard(plan(cases, BUILDS, ["headless"], attempts), *parse_shard(part))
        work = run_cases(cases, BUILDS, ["headless"], self.options(out, **more), lambda event: None)
        return asyncio.run(work)

    def shards(self, of: int = 3) -> list[Path]:
        for number in range(1, of + 1):
            self.run(f"shard-{number}", f"{number}/{of}")
        return [self.folder / f"shard-{number}" for number in range(1, of + 1)]

    def merge(self, shards: Sequence[Path], out: str = "merged", *, partial: bool = False) -> Merged:
        parts = [read_part(folder / "ledger.jsonl") for folder in shards]
        return merge(parts, self.folder / out, ("traceproof", "merge"), partial=partial)


@contextlib.contextmanager
def no_browser(lab: Lab) -> Iterator[Lab]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_module, "run_attempt", lab.attempt)
        patch.setattr(job_module, "shared_driver", contextlib.nullcontext)
        patch.setattr(resume_module, "find_builds", lambda: list(BUILDS))
        yield lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with no_browser(Lab(tmp_path)) as lab:
        yield lab


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards of a run, to be copied."""
    with no_browser(Lab(tmp_path_factory.mktemp("shards"))) as lab:
        lab.shards()
        return lab.folder


@pytest.fixture
def shards(made: Path, lab: Lab) -> list[Path]:
    """Copies of the three, in the folder of the lab."""
    return [shutil.copytree(made / f"shard-{number}", lab.folder / f"shard-{number}") for number in (1, 2, 3)]


def told(folder: Path) -> list[object]:
    """What a ledger says of cases and claims, but for clocks and the seconds that something took."""
    lines: list[object] = []
    for line in read_ledger(folder / "ledger.jsonl"):
        if isinstance(line, AttemptDone):
            lines.append((line.key, _timeless(line.attempt)))
        elif isinstance(line, CaseResult):
            lines.append(msgspec.structs.replace(line, attempts=[_timeless(one) for one in line.attempts]))
        elif isinstance(line, ClaimVerdict):
            lines.append(line)
        elif isinstance(line, RunFooter):
            lines.append((line.verdicts, line.drifts))
    return lines


def _timeless(attempt: Attempt) -> Attempt:
    """Without the hashes of files that were packed at different times."""
    recordings = [msgspec.structs.replace(one, sha256="", bytes=0) for one in attempt.recordings]
    return msgspec.structs.replace(attempt, recordings=recordings)


def change(folder: Path, edit: Callable[[list[Any]], list[Any]]) -> None:
    """Write the ledger of a folder anew as `edit` makes it of its lines."""
    ledger = folder / "ledger.jsonl"
    lines: list[LedgerLine] = edit(read_ledger(ledger))
    ledger.unlink()
    write_lines(ledger, lines)


def replan(**changes: Any) -> Callable[[list[Any]], list[Any]]:
    def edit(lines: list[Any]) -> list[Any]:
        header, *rest = lines
        return [msgspec.structs.replace(header, plan=msgspec.structs.replace(header.plan, **changes)), *rest]

    return edit


def test_shards_that_are_joined_say_what_one_run_says(lab: Lab) -> None:
    whole = lab.run("whole")
    merged = lab.merge(list(reversed(lab.shards())))
    assert told(lab.folder / "merged") == told(lab.folder / "whole")
    assert merged.result.verdicts == whole.verdicts and merged.notes == []
    assert merged.result.exit_code == whole.exit_code == 1
    (header,) = [line for line in read_ledger(lab.folder / "merged" / "ledger.jsonl") if isinstance(line, RunHeader)]
    assert header.plan is not None and whole.header.plan is not None
    assert header.plan == msgspec.structs.replace(whole.header.plan, store=header.plan.store)
    assert [one.number for one in header.merged] == [1, 2, 3]
    assert recorded(lab.folder / "merged") == recorded(lab.folder / "whole")


def recorded(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in (folder / "recordings").rglob("*.*") if path.is_file()}


def test_claims_are_judged_again_from_the_cases_of_all_shards(lab: Lab) -> None:
    shards = lab.shards(8)  # a job each
    alone = [
        one
        for folder in shards
        for one in read_part(folder / "ledger.jsonl").result.verdicts
        if one.claim == "parsing.once" and one.build.path == str(OTHER.path)
    ]
    assert {one.verdict for one in alone} == {Verdict.HOLDS, Verdict.REFUTED}
    assert all(one.left_out for one in alone)
    found = {(one.claim, one.build.path): one for one in lab.merge(shards).result.verdicts}
    once = found["parsing.once", str(OTHER.path)]
    assert (once.verdict, once.left_out, len(once.scenarios)) == (Verdict.REFUTED, [], 4)
    assert found["parsing.once", str(BUILD.path)].verdict is Verdict.HOLDS
    assert once.says == "It is written once."


def test_other_commands_read_what_was_joined(lab: Lab, shards: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    lab.merge(shards)
    shutil.rmtree(lab.folder / "shard-1")  # nothing is needed of the shards any more
    again = rederive(lab.folder / "merged" / "ledger.jsonl")
    assert (again.changes, again.notes, again.cases, again.recordings) == ([], [], 8, 16)
    folder = str(lab.folder / "merged")

    def status(*words: str) -> int:
        return int(cli.main(list(words), standalone_mode=False) or 0)

    assert status("store", "verify", "--store", folder) == 0
    assert status("verify", "--ledger", folder) == 1
    assert status("history", "parsing.once", "--out", folder) == 0
    assert status("stress", str(lab.scenarios / "one.scenario.yaml"), "--from", folder) in (0, 1)
    assert status("report", folder, "-o", str(lab.folder / "report.html")) == 0
    assert status("run", "--resume", folder) == 1
    assert "has ended; nothing is left to do" in capsys.readouterr().err


def test_the_command_joins_and_reports(lab: Lab, shards: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    junit, summary = lab.folder / "junit.xml", lab.folder / "summary.md"
    words = [*map(str, shards), "-o", str(lab.folder / "merged"), "--junit", str(junit), "--markdown", str(summary)]
    assert cli.main(["merge", *words], standalone_mode=False) == 1
    assert "of 4 verdicts differ from the baseline" in capsys.readouterr().out
    assert junit.is_file() and summary.is_file()
    with pytest.raises(UsageError, match="is there already"):
        cli.main(["merge", *words], standalone_mode=False)


MIXTURES: dict[str, tuple[Callable[[list[Any]], list[Any]], str]] = {
    "version": (lambda lines: [msgspec.structs.replace(lines[0], traceproof="0.0.9"), *lines[1:]], "the version of"),
    "schema": (lambda lines: [msgspec.structs.replace(lines[0], schema=2), *lines[1:]], "is of another schema"),
    "attempts": (replan(attempts=7), "the number of attempts is not that of shard 1/3"),
    "modes": (replan(modes=["shell"]), "the modes is not that"),
    "builds": (replan(builds=[build_view(BUILD)]), "the builds is not that"),
    "recorder": (replan(recorder="startup"), "the recorder is not that"),
    "scenario": (
        replan(cases={"parsing.one": "0" * 64}),
        r"these scenarios, or their pages, are not those of shard 1/3\n *found: +parsing.one",
    ),
    "fewer": (replan(cases={}), "it was to run other scenarios than shard 1/3"),
    "divided": (
        replan(shard=Shard(number=2, of=3, jobs=[0, 1, 2], planned=8)),
        r"of its jobs are those of shard 1/3 too\n *remedy: +give all shards the same --durations",
    ),
    "of": (replan(shard=Shard(number=2, of=4, jobs=[1], planned=8)), "the number of shards is not that"),
    "no plan": (lambda lines: [msgspec.structs.replace(lines[0], plan=None), *lines[1:]], "is not a shard of a run"),
    "baseline": (
        lambda lines: [
            msgspec.structs.replace(line, expected=Verdict.REFUTED) if isinstance(line, ClaimVerdict) else line
            for line in lines
        ],
        "or what is expected of it, is not what it is in shard 1/3",
    ),
    "unfinished": (lambda lines: lines[:2], r"shard 2/3 was cut short: \d jobs lack"),
}


@pytest.mark.parametrize("mixture", MIXTURES)
def test_what_does_not_belong_together_is_refused(mixture: str, lab: Lab, shards: list[Path]) -> None:
    edit, why = MIXTURES[mixture]
    change(shards[1], edit)
    with pytest.raises(UserError, match=why):
        lab.merge(shards)
    assert not (lab.folder / "merged").exists()


def test_a_shard_twice_and_one_that_is_missing(lab: Lab, shards: list[Path]) -> None:
    copy = shutil.copytree(shards[0], lab.folder / "copy")
    with pytest.raises(UsageError, match=r"shard 1/3 is also in .*shard-1"):
        lab.merge([*shards, copy])
    with pytest.raises(UsageError, match=r"missing: shard 2/3\n *remedy: +say --partial"):
        lab.merge([shards[0], shards[2]])
    some = lab.merge([shards[0], shards[2]], partial=True)
    assert some.notes == ["shard 2/3 is missing"]
    assert any(one.left_out for one in some.result.verdicts)


def test_another_binary_in_the_same_place_of_the_plan_is_refused(lab: Lab, shards: list[Path]) -> None:

    def elsewhere(line: Any) -> Any:
        if isinstance(line, AttemptDone | CaseResult | ClaimVerdict):
            return msgspec.structs.replace(line, build=msgspec.structs.replace(line.build, path="/else/where"))
        return line

    change(shards[1], lambda lines: [elsewhere(line) for line in lines])
    with pytest.raises(UsageError, match="ran in other binaries or modes"):
        lab.merge(shards)


def test_an_unfinished_shard_only_when_told(lab: Lab, shards: list[Path]) -> None:
    lines = read_ledger(shards[1] / "ledger.jsonl")
    cut = next(place for place, line in enumerate(lines) if isinstance(line, CaseResult)) + 2
    change(shards[1], lambda lines: lines[:cut])  # one whole case, and an attempt of the next
    merged = lab.merge(shards, partial=True)
    (note,) = merged.notes
    assert note.startswith("shard 2/3 lacks")
    assert len(merged.result.cases) < 8
    assert rederive(lab.folder / "merged" / "ledger.jsonl").changes == []


def test_a_recording_that_is_lost_or_another(lab: Lab, shards: list[Path]) -> None:
    trace = next((shards[0] / "recordings").rglob("*.json.gz"))
    trace.unlink()
    with pytest.raises(UsageError, match="recordings are missing"):
        lab.merge(shards)
    merged = lab.merge(shards, "some", partial=True)
    assert [note.startswith("the recording recordings/") for note in merged.notes] == [True]
    trace.write_bytes(b"other")
    with pytest.raises(UsageError, match="not those that the ledgers name"):
        lab.merge(shards, partial=True)


def test_a_shard_goes_on_where_it_was_cut_short(lab: Lab) -> None:
    shards = lab.shards()
    before = told(shards[1])
    change(shards[1], lambda lines: lines[:3])
    earlier = Earlier.read(shards[1])
    again = look_again(earlier.plan, shards[1] / "ledger.jsonl")
    options = lab.options("shard-2", shard=earlier.plan.shard)
    asyncio.run(run_cases(again.cases, BUILDS, ["headless"], options, lambda event: None, earlier))
    assert told(shards[1]) == before
    assert lab.merge(shards).notes == []


@given(of=st.integers(1, 12), attempts=st.integers(1, 9))
def test_every_job_is_in_one_shard_and_none_has_much_more(of: int, attempts: int) -> None:
    jobs = plan(load_catalog().cases[:40], [BUILD, replace(BUILD, version="90.0.1.2")], ["headless"], attempts)
    shards = [make_shard(jobs, number, of) for number in range(1, of + 1)]
    assert sorted(place for shard in shards for place in shard.jobs) == list(range(len(jobs)))
    loads = [sum(_recordings(job) for job in share_of(jobs, shard)) for shard in shards]
    assert max(loads) - min(loads) <= max(map(_recordings, jobs))


def _recordings(job: Job) -> int:
    if not job.case.applies_to(job.build.major, job.mode):
        return 0
    return job.attempts * len(job.case.arms) * (job.case.paired.blocks if job.case.paired else 1)


def test_what_a_machine_lacks_does_not_divide_otherwise() -> None:
    jobs = plan(load_catalog().cases[:30], [BUILD], ["headless"], 2)
    here = [make_shard(jobs, number, 4) for number in range(1, 5)]
    poor = [replace(job, verdict=Verdict.UNSUPPORTED, reason="no GPU") for job in jobs]
    assert here == [make_shard(poor, number, 4) for number in range(1, 5)]


def test_durations_even_out_the_shards(lab: Lab) -> None:
    whole = lab.run("whole")

    def slow(line: Any) -> Any:
        if not isinstance(line, CaseResult):
            return line
        seconds = 30 if line.scenario == "parsing.one" else 10
        attempts = [msgspec.structs.replace(one, seconds=seconds) for one in line.attempts]
        return msgspec.structs.replace(line, attempts=attempts)

    change(lab.folder / "whole", lambda lines: [slow(line) for line in lines])
    durations = read_durations([lab.folder / "whole"])
    jobs = plan(lab.catalog.cases, [BUILD], ["headless"], 2)
    names = [sorted(job.case.id for job in share_of(jobs, make_shard(jobs, part, 2, durations))) for part in (1, 2)]
    assert names == [["parsing.one"], ["parsing.two"] * 3]
    assert whole.header.plan is not None and whole.header.plan.shard is None


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "1/0", "-1/3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not the part of a run"):
        parse_shard(text)


def test_the_plan_that_was_divided_is_the_one_that_is_run() -> None:
    with pytest.raises(UsageError, match="has 0 jobs now, and had 5"):
        share_of([], Shard(number=1, of=2, jobs=[0, 2, 4], planned=5))
