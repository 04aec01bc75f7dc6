"""What `traceproof verify` prints of a run on two builds, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.verify import verify
from harness.errors import UserError
from harness.run.catalog import load_catalog
from tests.golden import same_as_golden
from tests.stored import build, store_run, write_scenarios
from tests.traces import Json, slice


def parse(ts: float, **end: object) -> Json:
    return slice("ParseHTML", ts=ts, dur=5, args={"endData": end})


GOOD, TWICE = [parse(1, endLine=3)], [parse(1, endLine=3), parse(9, endLine=4)]


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    return write_scenarios(tmp_path / "parsing")


def invoke(*words: str) -> tuple[int, str]:
    said = CliRunner().invoke(verify, list(words), standalone_mode=False, catch_exceptions=False)
    return said.return_value, said.output


def two_builds(tmp_path: Path, scenarios: Path) -> Path:
    """One ledger with 153 that holds and 156 that does not."""
    catalog = load_catalog([scenarios])
    old = store_run(tmp_path / "old", catalog, [GOOD, GOOD, GOOD], majors=(153,))
    new = store_run(tmp_path / "new", catalog, [TWICE, TWICE, TWICE], majors=(156,))
    ledger = tmp_path / "both" / "ledger.jsonl"
    ledger.parent.mkdir()
    lines = [(tmp_path / one / "ledger.jsonl").read_text().splitlines(keepends=True) for one in ("old", "new")]
    ledger.write_text("".join([lines[0][0], *lines[0][1:-1], *lines[1][1:]]))
    assert (old.exit_code, new.exit_code) == (0, 1)
    return ledger.parent


def test_one_screen_of_what_changed(tmp_path: Path, scenarios: Path) -> None:
    status, told = invoke(str(scenarios), "--ledger", str(two_builds(tmp_path, scenarios)))
    same_as_golden(Path(__file__).with_name("golden") / "verify.txt", told.replace(str(tmp_path), "TMP"))
    assert status == 1


def test_nothing_differs(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD], majors=(153, 156))
    status, told = invoke(str(scenarios), "--ledger", str(tmp_path / "run"))
    assert (status, "changed between builds: 0, not as the baseline expects: 0" in told) == (0, True)


def test_what_the_baseline_knows_is_told_and_may_be_allowed(tmp_path: Path, scenarios: Path) -> None:
    both = two_builds(tmp_path, scenarios)
    (scenarios / "my.baseline.yaml").write_text(
        '- {claim: parsing.once, verdict: REFUTED, versions: ">=156", reason: Bursts., date: 2026-01-31}\n'
    )
    status, told = invoke(str(scenarios), "--ledger", str(both))
    assert status == 1
    assert "parsing.once: changed, as the baseline says" in told
    assert "changed between builds: 1, not as the baseline expects: 0" in told
    assert invoke(str(scenarios), "--ledger", str(both), "--known-ok")[0] == 0


def test_json(tmp_path: Path, scenarios: Path) -> None:
    status, told = invoke(str(scenarios), "--ledger", str(two_builds(tmp_path, scenarios)), "--json")
    answer = json.loads(told)
    assert (status, answer["totals"]) == (1, {"claims": 2, "changed": 1, "drifted": 1})
    (difference,) = answer["differences"]
    assert [one["verdict"] for one in difference["verdicts"]] == ["HOLDS", "REFUTED"]
    assert difference["verdicts"][1]["trace"].endswith("156.0.1.2-shell/1/main.json.gz")
    assert [one["major"] for one in answer["builds"]] == [build(153).major, build(156).major]


def test_a_stored_run_and_a_browser_exclude_each_other(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [GOOD])
    with pytest.raises(UserError, match="--ledger runs nothing"):
        invoke("--ledger", str(tmp_path / "run"), "--browser", "156")
