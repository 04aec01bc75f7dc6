"""Where along the versions an answer changes, with made-up browsers and stored runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as some

from harness.browser import Build
from harness.browser.build import shell_build
from harness.cli.bisect import bisect
from harness.errors import BrowserError, UserError
from harness.events import Attempt
from harness.run.answers import Answer
from harness.run.bisect import SPREAD, Point, edges, next_point, releases
from harness.run.catalog import Catalog, load_catalog
from harness.run.history import verdicts_of
from harness.run.plan import Job
from harness.run.views import build_view
from harness.store import RunFolder
from harness.verdict import Outcome, Verdict
from tests.golden import same_as_golden
from tests.samples import attempt, finding
from tests.stored import store_run, write_scenarios
from tests.traces import Json, slice

GOLDEN = Path(__file__).with_name("golden")


def a_build(version: str) -> Build:
    return shell_build(version, Path(f"/b/{version}"), "cache")


def point(version: str) -> Point:
    return Point(version, a_build(version))


def answer(version: str, verdict: Verdict, met: int = 0, valid: int = 0) -> Answer:
    return Answer(build_view(a_build(version)), met, valid, valid, verdict)


# --- which build is asked next -------------------------------------------------------------------------------------


def asked(words: list[Verdict], spread: int = SPREAD) -> tuple[list[Point], dict[str, Answer]]:
    """Points of majors from 83 on, asked until nothing is left to ask."""
    points = [point(f"{83 + number}.0.1.0") for number in range(len(words))]
    answers: dict[str, Answer] = {}
    while chosen := next_point(points, answers, spread):
        assert chosen.version not in answers
        answers[chosen.version] = answer(chosen.version, words[chosen.major - 83])
    return points, answers


WORDS = some.lists(some.sampled_from([Verdict.HOLDS, Verdict.REFUTED, Verdict.SOMETIMES, Verdict.ERROR]), max_size=25)


@given(WORDS)
def test_neighbours_that_differ_have_no_unasked_build_between_them(words: list[Verdict]) -> None:
    points, answers = asked(words)
    told = [number for number, one in enumerate(points) if (said := answers.get(one.version)) and said.says]
    for left, right in pairwise(told):
        between = [one for one in points[left + 1 : right] if one.version not in answers]
        assert len(between) <= (SPREAD if words[left] is words[right] else 0)
    if told:
        assert not [one for one in [*points[: told[0]], *points[told[-1] + 1 :]] if one.version not in answers]


@given(WORDS)
def test_all_leaves_no_build_unasked(words: list[Verdict]) -> None:
    points, answers = asked(words, 0)
    assert len(answers) == len(points)


def test_an_edge_takes_few_questions() -> None:
    _, answers = asked([Verdict.HOLDS] * 13 + [Verdict.REFUTED] * 12)
    assert len(answers) <= 12


def test_a_history_that_goes_back_and_forth_is_found_without_being_expected() -> None:
    points, answers = asked([*[Verdict.HOLDS] * 8, *[Verdict.REFUTED] * 5, *[Verdict.HOLDS] * 8])
    assert [(edge.before.major, edge.after.major) for edge in edges(points, answers)] == [(90, 91), (95, 96)]


def test_a_build_that_gives_no_answer_does_not_hide_the_edge() -> None:
    points, answers = asked([Verdict.HOLDS, Verdict.HOLDS, Verdict.ERROR, Verdict.REFUTED])
    (edge,) = edges(points, answers)
    assert [one.major for one in edge.unasked] == [85]


@pytest.mark.parametrize(
    ("before", "after", "first"),
    [
        ("110.0.5478.0", "111.0.5555.0", (110, 111)),  # 110 left main at 5481
        ("110.0.5481.77", "111.0.5563.64", (111,)),
        ("106.0.5249.0", "110.0.5478.0", (107, 108, 109, 110)),  # cut at the branch point itself
        ("92.0.4512.0", "102.0.5002.0", tuple(range(92, 103))),
        ("150.0.7800.0", "151.0.7900.0", (150, 151)),  # nobody looked up where 150 left main
        ("150.0.7800.55", "151.0.7900.12", (151,)),
        ("156.0.8000.0", "156.0.8078.108", (156,)),
    ],
)
def test_a_build_cut_before_its_branch_point_decides_no_release(
    before: str, after: str, first: tuple[int, ...]
) -> None:
    assert releases(point(before), point(after)) == first


# --- with ledgers --------------------------------------------------------------------------------------------------


def parse(ts: float) -> Json:
    return slice("ParseHTML", ts=ts, dur=5, args={"endData": {"endLine": 1}})


GOOD, TWICE = [parse(1)], [parse(1), parse(9)]


class Lab:
    """A folder of runs, and the builds of a made-up machine."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scenarios, self.out, self._patch = write_scenarios(folder / "parsing"), folder / "out", monkeypatch
        monkeypatch.chdir(folder)
        monkeypatch.setattr("harness.run.bisecting.catalogue", tuple)
        self.install()

    @property
    def catalog(self) -> Catalog:
        return load_catalog([self.scenarios])

    def install(self, *versions: str) -> None:
        builds = [a_build(version) for version in versions]
        self._patch.setattr("harness.run.bisecting.find_builds", lambda: builds)
        self._patch.setattr("harness.browser.find.find_builds", lambda: builds)

    def run(self, name: str, major: int, *attempts: list[Json]) -> None:
        store_run(self.out / name, self.catalog, attempts, majors=(major,))

    def answers(self, outcome: Callable[[int, int], Outcome]) -> list[int]:
        """Make browsers answer; the majors that are asked, one for each attempt, are in the list that is returned."""
        made: list[int] = []

        async def run_attempt(job: Job, number: int, folder: RunFolder) -> Attempt:
            made.append(job.build.major)
            return attempt(number, finding("parsing.once", outcome(job.build.major, made.count(job.build.major))))

        self._patch.setattr("harness.run.job.run_attempt", run_attempt)
        return made

    def bisect(self, *words: str) -> Result:
        given = ["parsing.once", str(self.scenarios), *words]
        return CliRunner().invoke(bisect, given, standalone_mode=False, catch_exceptions=False)

    def told(self, *words: str) -> dict[str, object]:
        (line,) = json.loads(self.bisect(*words, "--json").stdout)["lines"]
        return dict(line)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    yield Lab(tmp_path, monkeypatch)


def bind(lab: Lab, versions: str) -> None:
    scenario = lab.scenarios / "one.scenario.yaml"
    scenario.write_text(scenario.read_text() + f'versions: "{versions}"\nreason: it was changed\n')


def test_stored_verdicts_are_enough(lab: Lab) -> None:
    for name, (major, events) in {"a": (92, GOOD), "b": (105, GOOD), "c": (110, TWICE), "d": (153, GOOD)}.items():
        lab.run(name, major, events, events, events)
    said = lab.bisect("--stored")
    assert said.return_value == 0
    same_as_golden(GOLDEN / "bisect.txt", said.stdout.replace(str(lab.scenarios.parent), "TMP"))


def test_few_attempts_are_no_answer_that_one_can_rely_on(lab: Lab) -> None:
    lab.run("a", 92, GOOD)
    lab.run("b", 105, TWICE)
    assert lab.bisect("--stored").return_value == 1
    assert "TOO CLOSE TO TELL" in lab.bisect("--stored").stdout


def test_runs_of_one_build_count_together(lab: Lab) -> None:
    for number in range(3):
        lab.run(f"a{number}", 92, GOOD)
        lab.run(f"b{number}", 105, TWICE)
    assert lab.bisect("--stored").return_value == 0


def test_a_changed_scenario_is_asked_of_stored_recordings(lab: Lab) -> None:
    lab.run("a", 92, GOOD, GOOD, GOOD)
    lab.run("b", 105, TWICE, TWICE, TWICE)
    scenario = lab.scenarios / "one.scenario.yaml"
    scenario.write_text(scenario.read_text().replace("count: {of: parsed, is: 1}", "count: {of: parsed, is: 2}"))
    told = lab.told("--stored")
    assert [(one["verdict"], one["sources"]) for one in told["answers"]] == [  # type: ignore[attr-defined]
        ("REFUTED", ["recordings"]),
        ("HOLDS", ["recordings"]),
    ]
    (lab.out / "a").rename(lab.out / "elsewhere")  # a run may be moved as a whole
    assert len(lab.told("--stored")["answers"]) == 2  # type: ignore[arg-type]


def test_recordings_of_another_page_or_without_a_manifest_are_left_out(lab: Lab) -> None:
    lab.run("a", 92, GOOD)
    (manifest,) = (lab.out / "a").rglob("*.manifest.json")
    text = manifest.read_text()
    for changed in (text.replace('"fixture_sha256": ""', '"fixture_sha256": "0"'), "{", None):
        manifest.unlink() if changed is None else manifest.write_text(changed)
        said = lab.bisect("--stored")
        assert said.return_value == 3
        assert "is left out" in said.stdout


def test_new_recordings_are_made_where_nothing_is_stored_and_found_again(lab: Lab) -> None:
    lab.run("a", 92, GOOD, GOOD, GOOD)
    lab.install("92.0.1.2", "103.0.5058.0", "110.0.5478.0", "111.0.5555.0", "156.0.8078.108")
    made = lab.answers(lambda major, number: Outcome.UNMET if major >= 111 else Outcome.MET)
    told = lab.told()
    (change,) = told["changes"]  # type: ignore[misc]
    assert (change["before"], change["after"], change["releases"]) == ("110.0.5478.0", "111.0.5555.0", [110, 111])
    assert told["not_asked"] == ["103.0.5058.0"]
    assert told["settled"]
    assert sorted(set(made)) == [110, 111, 156]  # 92 had its answer


def test_a_bound_scenario_is_asked_beyond_its_bound_and_nobody_takes_that_for_a_verdict(lab: Lab) -> None:
    bind(lab, ">=111")
    lab.install("110.0.5478.0", "111.0.5555.0")
    lab.answers(lambda major, number: Outcome.UNMET if major < 111 else Outcome.MET)
    told = lab.told()
    assert [one["verdict"] for one in told["answers"]] == ["REFUTED", "HOLDS"]  # type: ignore[attr-defined]
    seen = verdicts_of("parsing.once", lab.out.rglob("ledger.jsonl"), lab.catalog)
    assert {(one.verdict.build.major, one.verdict.verdict) for one in seen} == {
        (110, Verdict.NOT_APPLICABLE),
        (111, Verdict.HOLDS),
    }


def test_a_flaky_claim_gets_the_attempts_that_it_takes(lab: Lab) -> None:
    lab.install("110.0.5478.0", "111.0.5555.0")
    made = lab.answers(lambda major, number: Outcome.MET if (number % 4 == 2) == (major == 111) else Outcome.UNMET)
    told = lab.told()
    assert told["settled"]
    (change,) = told["changes"]  # type: ignore[misc]
    assert change["sure"]
    assert min(made.count(110), made.count(111)) > 10


def test_a_build_that_cannot_be_had_is_told(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.browser.catalogue import Package

    def refuse(package: Package, echo: Callable[[str], None]) -> Build:
        raise BrowserError("npm is not reached")

    monkeypatch.setattr("harness.run.bisecting.catalogue", lambda: (Package("x@1.0.0", "103.0.5058.0", ""),))
    monkeypatch.setattr("harness.run.bisecting.install_package", refuse)
    lab.install("92.0.4512.0", "110.0.5478.0")
    lab.answers(lambda major, number: Outcome.UNMET if major >= 110 else Outcome.MET)
    said = lab.bisect()
    assert "it could not be installed: npm is not reached" in said.stdout
    assert "no answer from 103 (5058), which lie between" in said.stdout
    assert "no build of 93..109 to ask" not in said.stdout


def test_mistakes_are_told(lab: Lab) -> None:
    with pytest.raises(UserError, match=r"is no claim(.|\n)*did you mean \"parsing.once\""):
        CliRunner().invoke(bisect, ["parsing.onc", str(lab.scenarios)], standalone_mode=False, catch_exceptions=False)
    with pytest.raises(UserError, match="is not older than"):
        lab.bisect("--from", "111", "--to", "110")
