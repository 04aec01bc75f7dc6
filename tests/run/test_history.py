"""The line of verdicts of one claim over stored ledgers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.claims import claims
from harness.cli.history import history
from harness.errors import UserError
from harness.run.catalog import load_catalog
from tests.golden import same_as_golden
from tests.stored import store_run, write_scenarios
from tests.traces import Json, slice


def parse(ts: float) -> Json:
    return slice("ParseHTML", ts=ts, dur=5, args={"endData": {"endLine": 1}})


GOOD, TWICE = [parse(1)], [parse(1), parse(9)]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Four runs; that of 153 came out otherwise the first time."""
    catalog = load_catalog([write_scenarios(tmp_path / "parsing")])
    runs = {"a": (110, GOOD), "b": (153, GOOD), "c": (153, TWICE), "d": (156, GOOD)}
    for name, (major, events) in runs.items():
        store_run(tmp_path / "out" / name, catalog, [events, events], majors=(major,))
        ledger = tmp_path / "out" / name / "ledger.jsonl"
        started = f'"started":"2026-01-31T12:00:0{list(runs).index(name)}'
        ledger.write_text(re.sub(r'"started":"[^.]*', started, ledger.read_text(), count=1))
    return tmp_path / "out"


def invoke(*words: str) -> str:
    return CliRunner().invoke(history, list(words), standalone_mode=False, catch_exceptions=False).output


def test_a_line_for_each_mode_with_what_was_before(out: Path) -> None:
    told = invoke("parsing.once", "--out", str(out)).replace(str(out), "OUT")
    same_as_golden(Path(__file__).with_name("golden") / "history.txt", told)


def test_json(out: Path) -> None:
    (mode,) = json.loads(invoke("parsing.once", "--out", str(out), "--json"))["modes"]
    assert (mode["mode"], mode["turns"]) == ("shell", 2)
    assert [(one["major"], one["verdict"]) for one in mode["latest"]] == [
        (110, "HOLDS"),
        (153, "REFUTED"),
        (156, "HOLDS"),
    ]
    assert [(one["major"], one["verdict"]) for one in mode["earlier"]] == [(153, "HOLDS")]


def test_several_claims_are_told_by_where_they_turned(out: Path) -> None:
    told = invoke("parsing.once", "parsing.end-line", "--out", str(out)).splitlines()
    assert told == [
        "parsing.once: It is written once.",
        "  shell     HOLDS 110 → REFUTED 153 → HOLDS 156  goes back and forth: 2 changes",
        "parsing.end-line: It has an end line.",
        "  shell     HOLDS 110..156",
    ]
    both = json.loads(invoke("parsing.once", "parsing.end-line", "--out", str(out), "--json"))["claims"]
    assert [one["claim"] for one in both] == ["parsing.once", "parsing.end-line"]


def test_raster_paths_have_lines_of_their_own_and_old_ledgers_are_of_software(out: Path) -> None:
    newest, oldest = out / "d" / "ledger.jsonl", out / "a" / "ledger.jsonl"
    newest.write_text(newest.read_text().replace('"raster":"software"', '"raster":"gpu"'))
    oldest.write_text(oldest.read_text().replace('"raster":"software",', ""))
    heads = [line for line in invoke("parsing.once", "--out", str(out)).splitlines() if line.startswith("  shell")]
    assert heads == ["  shell, gpu raster HOLDS 156", "  shell     HOLDS 110 → REFUTED 153"]
    modes = json.loads(invoke("parsing.once", "--out", str(out), "--json"))["modes"]
    assert [(one["raster"], len(one["latest"])) for one in modes] == [("gpu", 1), ("software", 2)]


def test_two_binaries_of_one_version_in_one_run_are_two(out: Path) -> None:
    """A distribution's chromium and its headless shell, say: neither takes the other's answer away."""
    ledger = out / "d" / "ledger.jsonl"
    verdict = next(line for line in ledger.read_text().splitlines() if '"claim":"parsing.once"' in line)
    other = verdict.replace('"/b/156"', '"/b/other"').replace("HOLDS", "REFUTED", 1)
    ledger.write_text(ledger.read_text() + other + "\n")
    (mode,) = json.loads(invoke("parsing.once", "--out", str(out), "--json"))["modes"]
    assert [(one["binary"], one["verdict"]) for one in mode["latest"]][-2:] == [
        ("/b/156", "HOLDS"),
        ("/b/other", "REFUTED"),
    ]
    told = invoke("parsing.once", "--out", str(out))
    assert told.count("by /b/other") == told.count("by /b/156") == 1 and "/b/153" not in told


def test_a_claim_that_was_never_tested_is_told(out: Path) -> None:
    with pytest.raises(UserError, match=r'has no verdict in the 4 ledgers(.|\n)*did you mean "parse-html\.'):
        invoke("parse-html.argument-shap", "--out", str(out))


def test_a_claim_is_shown_with_what_was_last_seen(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = load_catalog([out.parent / "parsing"])
    monkeypatch.setattr("harness.run.catalog.load_catalog", lambda paths=(): catalog)
    (out / "broken").mkdir()
    (out / "broken" / "ledger.jsonl").write_text('"parsing.once" no json\n')

    def show(*words: str) -> str:
        monkeypatch.setattr("harness.scenario.own_checklist", lambda: None)
        return CliRunner().invoke(claims, ["show", "parsing.once", *words], catch_exceptions=False).output

    told = [line.split(maxsplit=2)[2] for line in show("--out", str(out)).splitlines() if "last seen" in line]
    assert [(line.split()[0], "DIFFERS" in line) for line in told] == [
        ("HOLDS", False),
        ("REFUTED", True),
        ("HOLDS", False),
        ("1", False),
        ("not", False),
    ]
    assert "1 older verdict: traceproof history parsing.once" in told[3]
    assert "broken/ledger.jsonl:1:1 is no ledger" in told[4]
    assert "nowhere: no ledger in" in show("--out", str(out / "none"))
    assert [one["major"] for one in json.loads(show("--out", str(out), "--json"))["seen"]] == [156, 153, 153, 110]


def test_what_is_not_applicable_takes_no_answer_back(out: Path) -> None:
    """A later run of scenarios that are not made for a version."""
    later = out / "e" / "ledger.jsonl"
    later.parent.mkdir()
    text = (out / "d" / "ledger.jsonl").read_text().replace('"HOLDS"', '"NOT_APPLICABLE"')
    later.write_text(re.sub(r'"started":"[^.]*', '"started":"2026-01-31T13:00:00', text, count=1))
    assert "REFUTED 153 → HOLDS 156" in invoke("parsing.once", "--out", str(out))
