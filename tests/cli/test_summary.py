"""The Markdown summary of a run with pictures of what differs, beside it on disk."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from harness.cli.shared import write_reports
from harness.run.catalog import load_catalog
from tests.stored import store_run, write_scenarios
from tests.traces import Json, slice

ONE: list[Json] = [slice("ParseHTML", ts=10, dur=5, args={"endData": {"endLine": 3}})]
TWICE: list[Json] = [*ONE, slice("ParseHTML", ts=20, dur=5, args={"endData": {"endLine": 4}})]


def summary_of(tmp_path: Path, events: list[Json]) -> Path:
    catalog = load_catalog([write_scenarios(tmp_path / "own")])
    result = store_run(tmp_path / "run", catalog, [events, events])
    summary = tmp_path / "ci" / "summary.md"
    summary.parent.mkdir()
    write_reports(result, None, summary, None, quiet=True)
    return summary


def test_what_differs_is_drawn_beside_the_summary(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, TWICE)
    (picture,) = summary.with_name("summary-pictures").iterdir()
    assert f"![Evidence of parsing.one](<summary-pictures/{picture.name}>)" in summary.read_text()
    assert ElementTree.parse(picture).getroot().get("aria-label") == "parsing.one on 156.0.1.2-shell"


def test_a_run_that_is_as_expected_draws_nothing(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, ONE)
    assert [file.name for file in summary.parent.iterdir()] == ["summary.md"]
    assert "![" not in summary.read_text()
