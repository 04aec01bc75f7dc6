"""What many attempts tell: flips and their rate, the distribution of numbers, and what failures have."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from harness.cli.stress import stress as command
from harness.errors import UsageError
from harness.events import Attempt, Measure
from harness.run.catalog import Catalog, load_catalog
from harness.run.rederive import rederive
from harness.stress import Study, study, to_read, told
from harness.stress.flips import flips_of
from harness.stress.quantities import quantities
from harness.verdict import Outcome, Verdict
from tests.golden import same_as_golden
from tests.lab import SHELL, build_at
from tests.samples import attempt, finding
from tests.stored import store_run, write_scenarios
from tests.traces import COMPOSITOR, Json, instant, slice

CLAIM = "parse-html.one"
GOLDEN = Path(__file__).with_name("golden")
SIGNS = {"+": Outcome.MET, "-": Outcome.UNMET, "?": Outcome.INVALID, "!": Outcome.ERROR}


def attempts(signs: str, loads: list[float] | None = None, numbers: list[float] | None = None) -> list[Attempt]:
    """One attempt for each sign, with its load and the number that it counted."""
    found = []
    for number, sign in enumerate(signs, 1):
        told = finding(CLAIM, SIGNS[sign])
        if numbers:
            value = numbers[number - 1]
            measures = [Measure(name="count", values=[value], median=value, unit="events")]
            told = msgspec.structs.replace(told, measures=measures)
        one = attempt(number, told, error="it broke" if sign == "!" else "")
        found.append(msgspec.structs.replace(one, load=(loads or [0.0] * len(signs))[number - 1]))
    return found


@pytest.mark.parametrize(
    ("signs", "met", "valid", "flips", "longest"),
    [
        ("++++", 4, 4, 0, 0),
        ("----", 0, 4, 0, 4),
        ("++-+", 3, 4, 2, 1),
        ("+?--!-+", 2, 5, 2, 3),  # what is no answer neither flips nor ends a row
        ("??", 0, 0, 0, 0),
        ("+-+-+-", 3, 6, 5, 1),
    ],
)
def test_flips_and_rows(signs: str, met: int, valid: int, flips: int, longest: int) -> None:
    found = flips_of(CLAIM, Verdict.SOMETIMES, attempts(signs))
    assert (found.met, found.valid, found.flips, found.longest) == (met, valid, flips, longest)
    assert found.outcomes == tuple(SIGNS[sign] for sign in signs)
    assert found.flaky == (0 < met < valid)
    assert (found.halves is None) == (found.loads is None) or found.flaky


def test_the_rate_has_wilsons_interval_since_the_number_was_fixed() -> None:
    found = flips_of(CLAIM, Verdict.SOMETIMES, attempts("++++++++--"))
    assert (found.low, found.high) == pytest.approx((0.490162, 0.943318), abs=1e-6)


def test_a_change_on_the_way_is_told_and_a_steady_flake_is_not() -> None:
    changed = flips_of(CLAIM, Verdict.SOMETIMES, attempts("+" * 10 + "-" * 10)).halves
    steady = flips_of(CLAIM, Verdict.SOMETIMES, attempts("+-" * 10)).halves
    assert changed and steady
    assert (changed.first, changed.second) == ((10, 10), (0, 10))
    assert changed.p < 0.001
    assert steady.p == pytest.approx(1)


def test_the_load_of_failures_against_that_of_the_others() -> None:
    loads = [1.0, 9.0] * 10
    found = flips_of(CLAIM, Verdict.SOMETIMES, attempts("+-" * 10, loads)).loads
    assert found
    assert (found.met, found.unmet) == (1, 9)
    assert found.p < 0.001
    assert flips_of(CLAIM, Verdict.SOMETIMES, attempts("+-+-")).loads is None  # nobody knows of any difference


def test_whole_numbers_get_a_bar_each_with_the_failures_in_it() -> None:
    (one,) = quantities(attempts("+-+++", numbers=[3, 2, 3, 4, 3]))
    assert one.five == (2, 3, 3, 3, 4)
    assert [(bar.low, bar.count, bar.unmet) for bar in one.bars] == [(2, 1, 1), (3, 3, 0), (4, 1, 0)]
    assert (one.unit, one.varies) == ("events", True)


def test_large_whole_numbers_that_hardly_repeat_share_bars() -> None:
    (one,) = quantities(attempts("+" * 8, numbers=[1000.0 + 37 * n for n in range(8)]))
    assert one.bars[0].low < one.bars[0].high


def test_other_numbers_share_bars_of_equal_width() -> None:
    values = [0.5, 1.5, 2.25, 7.75, 8.5]
    (one,) = quantities(attempts("+++++", numbers=values))
    assert sum(bar.count for bar in one.bars) == len(values)
    assert (one.bars[0].low, one.bars[-1].high) == (0.5, 8.5)
    assert [bar.count for bar in one.bars] == [1, 2, 0, 0, 0, 0, 0, 2]


def test_a_number_that_never_varies_is_one_line() -> None:
    (one,) = quantities(attempts("+++", numbers=[3, 3, 3]))
    assert not one.varies
    assert [(bar.low, bar.high, bar.count) for bar in one.bars] == [(3, 3, 3)]


# --- with recordings ----------------------------------------------------------------------------------------------


def parse(ts: float, **args: object) -> Json:
    return slice("ParseHTML", ts=ts, dur=5, args={"endData": {"endLine": 3}, **args})


GOOD = [slice("RunTask", ts=0, dur=8), parse(1), slice("Tick", ts=20, dur=1, tid=COMPOSITOR)]
# The second parse is what fails; the idle task and the argument go with it; the tick is chance.
BAD = [*GOOD, slice("IdleTask", ts=49, dur=9), parse(50, reason="idle"), instant("Woken", ts=48, tid=COMPOSITOR)]
TICKED = [*GOOD, slice("Tick", ts=30, dur=1, tid=COMPOSITOR)]
RUN = [GOOD, GOOD, BAD, TICKED, GOOD, BAD, GOOD, TICKED, GOOD, GOOD, BAD, GOOD]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return load_catalog([write_scenarios(tmp_path / "parsing")])


@pytest.fixture
def studied(tmp_path: Path, catalog: Catalog) -> Study:
    result = store_run(tmp_path / "run", catalog, RUN)
    (case,) = result.cases
    read: list[int] = []
    found = study(case, tmp_path / "run", catalog.cases[0], lambda: read.append(1))
    assert len(read) == to_read(case) == len(RUN)
    return found


def test_what_failures_have_is_named_with_its_thread_and_parent(studied: Study) -> None:
    (cause,) = studied.causes
    assert cause.claim == "parsing.once"
    clear = {(one.where.name, one.where.thread, one.where.parent): one for one in cause.contrasts}
    second = clear["ParseHTML", "page.main", "IdleTask"]
    assert (second.met, second.unmet, second.needed, second.may_be_chance) == ((0, 9), (3, 3), True, False)
    woken = clear["Woken", "page.compositor", ""]
    assert (woken.met, woken.unmet, woken.needed) == ((0, 9), (3, 3), False)
    assert cause.contrasts[0].where.name == "ParseHTML"  # what the claim looks at comes first
    assert ("ParseHTML", "page.main", "RunTask") not in clear  # once in every attempt


def test_what_varies_without_the_claim_is_chance(tmp_path: Path, catalog: Catalog) -> None:
    """The median of both sides is one tick, or with so few attempts nothing can be told for sure."""
    run = [GOOD, BAD, TICKED, GOOD, [*BAD, instant("Late", ts=90)]]
    (case,) = store_run(tmp_path / "run", catalog, run).cases
    (cause,) = study(case, tmp_path / "run").causes
    found = {one.where.name: one for one in cause.contrasts}
    assert "Tick" not in found
    assert (found["Late"].met, found["Late"].unmet, found["Late"].may_be_chance) == ((0, 3), (1, 2), True)


def test_an_argument_that_only_failures_have_is_named(studied: Study) -> None:
    (cause,) = studied.causes
    assert [(one.kind, one.name, one.what) for one in cause.inner] == [("path", "ParseHTML", "args.reason")]


def test_the_text(studied: Study) -> None:
    same_as_golden(GOLDEN / "study.txt", "\n".join(told(studied)) + "\n")


def test_no_recording_is_read_where_nothing_flips(tmp_path: Path, catalog: Catalog) -> None:
    result = store_run(tmp_path / "run", catalog, [GOOD, GOOD])
    assert to_read(result.cases[0]) == 0
    for trace in tmp_path.glob("run/recordings/*/*/*/main.json.gz"):
        trace.unlink()
    assert study(result.cases[0], tmp_path / "run").causes == ()


def test_a_lost_recording_is_told_and_the_others_are_compared(tmp_path: Path, catalog: Catalog) -> None:
    result = store_run(tmp_path / "run", catalog, [GOOD, BAD, GOOD, BAD])
    lost = tmp_path / "run" / result.cases[0].attempts[0].recordings[0].trace
    lost.unlink()
    (cause,) = study(result.cases[0], tmp_path / "run").causes
    assert cause.lost == (result.cases[0].attempts[0].recordings[0].trace,)
    assert cause.contrasts[0].met[1] == 1


def asked(*words: str) -> Result:
    return CliRunner().invoke(command, list(words), standalone_mode=False)


def test_a_stored_run_is_told_of_without_a_browser(tmp_path: Path, catalog: Catalog) -> None:
    store_run(tmp_path / "run", catalog, RUN)
    said = asked(str(tmp_path / "parsing"), "--from", str(tmp_path / "run"), "--json")
    answer = json.loads(said.stdout)
    (one,) = answer["stress"]
    assert said.return_value == 1  # as `run` would: SOMETIMES is not what is expected
    assert [(claim["claim"], claim["met"], claim["flaky"]) for claim in one["claims"]] == [
        ("parsing.end-line", 12, False),
        ("parsing.once", 9, True),
    ]
    assert [(quantity["name"], quantity["min"], quantity["max"]) for quantity in one["quantities"]] == [
        ("failed", 0, 0),
        ("count of `parsed`", 1, 2),
        ("count", 1, 2),
    ]
    assert answer["totals"]["attempts"] == len(RUN)


def test_a_run_without_the_scenario_is_a_mistake(tmp_path: Path, catalog: Catalog) -> None:
    store_run(tmp_path / "run", catalog, [GOOD])
    other = write_scenarios(tmp_path / "other")
    file = other / "one.scenario.yaml"
    file.write_text(file.read_text().replace("parsing.one", "parsing.other"))
    with pytest.raises(UsageError, match="none of these scenarios"):
        CliRunner().invoke(
            command, [str(other), "--from", str(tmp_path / "run")], standalone_mode=False, catch_exceptions=False
        )


@pytest.mark.browser
@pytest.mark.slow
def test_three_real_attempts_make_an_ordinary_run(tmp_path: Path) -> None:
    words = ["parse-html.arguments", "--runs", "3"]
    words += ["--browser", str(build_at(SHELL).path), "--mode", "shell", "--out", str(tmp_path / "run"), "--json"]
    answer = json.loads(asked(*words).stdout)
    (one,) = answer["stress"]
    assert one["attempts"] == 3
    assert all(claim["valid"] + claim["outcomes"].count("invalid") == 3 for claim in one["claims"])
    assert all(quantity["values"] for quantity in one["quantities"])
    again = rederive(tmp_path / "run" / "ledger.jsonl")
    assert again.changes == []
