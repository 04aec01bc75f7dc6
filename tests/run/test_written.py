"""Which builds write an event: only recordings count that could have shown it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.written import written
from harness.run.catalog import load_catalog
from tests.stored import store_run, write_scenarios
from tests.traces import Json, slice

NEW = "Commit@disabled-by-default-devtools.timeline"
PARSED = slice("ParseHTML", ts=1, dur=5, args={"endData": {"endLine": 1}})


def composed(name: str, category: str = "disabled-by-default-devtools.timeline", **fields: object) -> Json:
    return {**slice(name, ts=20, dur=5), "cat": category, **fields}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The old name on 110, the new one on 111, in one of two recordings each; a namesake on another thread of 110."""
    catalog = load_catalog([write_scenarios(tmp_path / "parsing")])
    elsewhere = composed("Commit", "cc,benchmark", tid=77)
    old = [[PARSED, composed("CompositeLayers"), elsewhere], [PARSED]]
    store_run(tmp_path / "out" / "a", catalog, old, majors=(110,))
    store_run(tmp_path / "out" / "b", catalog, [[PARSED, composed("Commit")], [PARSED]], majors=(111,))
    for ledger in (tmp_path / "out").rglob("ledger.jsonl"):
        asked = '"categories":["devtools.timeline","disabled-by-default-devtools.timeline"]'
        ledger.write_text(ledger.read_text().replace('"categories":["devtools.timeline"]', asked))
    return tmp_path / "out"


def told(*words: str) -> str:
    return CliRunner().invoke(written, list(words), standalone_mode=False, catch_exceptions=False).output


def test_one_column_ends_where_another_begins(out: Path) -> None:
    lines = told("CompositeLayers", NEW, "ParseHTML", "Gone", "--out", str(out)).splitlines()
    assert lines == [
        "build      mode   CompositeLayers  Commit  ParseHTML  Gone",
        "110.0.1.2  shell  1 of 2           – of 2  2 of 2     never seen",
        "111.0.1.2  shell  – of 2           1 of 2  2 of 2     never seen",
    ]


def test_a_recording_without_the_category_cannot_show_the_event(out: Path) -> None:
    ledger = out / "b" / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace(',"disabled-by-default-devtools.timeline"', ""))
    (old, new) = json.loads(told("CompositeLayers", "--out", str(out), "--json"))["builds"]
    assert old["events"]["CompositeLayers"] == {"wrote": 1, "could": 2}
    assert new["events"]["CompositeLayers"] == {"wrote": 0, "could": 0}


def test_a_table_for_a_document(out: Path) -> None:
    lines = told("ParseHTML", "--out", str(out), "--markdown").splitlines()
    assert lines[:3] == ["| build | mode | `ParseHTML` |", "|---|---|---|", "| 110.0.1.2 | shell | 2 of 2 |"]


def test_recordings_that_are_gone_are_told(out: Path) -> None:
    for trace in (out / "a").rglob("*.json.gz"):
        trace.unlink()
    said = CliRunner().invoke(written, ["ParseHTML", "--out", str(out)], standalone_mode=False)
    assert "2 recordings not there any more" in said.output and "110.0.1.2" not in said.stdout
