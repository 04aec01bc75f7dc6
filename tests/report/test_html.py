"""The HTML report as a file: whole in itself, with nothing of a trace in it that could be taken for markup."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from harness.cli import cli
from harness.events import RunResult
from harness.evidence import ClaimWords, Reported
from harness.report.html import to_html
from harness.verdict import Verdict
from tests.report.pages import MADE, changed_report, report_of
from tests.samples import mixed, result, verdict


class Elements(HTMLParser):
    """Tags with their attributes, and the text of each script by its id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = (dict(attrs).get("id") or "program") if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self._script = ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data

    def index(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.scripts["index"])
        return told

    def block(self, number: int) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(self.scripts[f"block-{number}"])))
        return told


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return changed_report(tmp_path_factory.mktemp("report"))


def test_nothing_hostile_becomes_an_element(page: str) -> None:
    tags = Elements(page).tags
    assert not [tag for tag, _ in tags if tag == "img"]
    assert [attributes.get("type") for tag, attributes in tags if tag == "script"] == [
        "application/json",
        None,
        "application/octet-stream",
    ]
    assert "onerror=" not in page.partition('id="index">')[0]


def test_it_names_no_other_file(page: str) -> None:
    for tag, attributes in Elements(page).tags:
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    assert "@import" not in page
    assert "url(" not in page


def test_only_its_own_script_may_run(page: str) -> None:
    """What the policy names is the script as the browser will see it."""
    found = Elements(page)
    digest = base64.b64encode(hashlib.sha256(found.scripts["program"].encode()).digest()).decode()
    (policy,) = [one["content"] or "" for tag, one in found.tags if one.get("http-equiv")]
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_program_makes_no_html_of_text() -> None:
    assets = Path(__file__).parents[2] / "harness" / "report" / "html" / "assets"
    risky = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function"
    for script in assets.glob("*.js"):
        assert not re.search(risky, script.read_text())


def test_the_index_has_each_verdict_and_each_text_once(page: str) -> None:
    told = Elements(page).index()
    assert told["claims"]["id"] == ["parsing.end-line", "parsing.once"]
    assert [column["version"] for column in told["columns"]] == ["153.0.1.2", "156.0.1.2"]
    cells = [told["words"][word] for word in told["cells"]["word"]]
    assert cells == ["HOLDS", "HOLDS", "HOLDS", "REFUTED"]
    assert told["cells"]["cases"] == [[0], [1], [0], [1]]
    assert len(told["texts"]) == len(set(told["texts"]))


def test_a_block_has_findings_drawings_and_the_scenario(page: str) -> None:
    block = Elements(page).block(0)
    old, new = block["cases"]["0"], block["cases"]["1"]
    assert [one["outcome"] for one in new["attempts"][0]["findings"]] == ["met", "unmet"]
    assert "ParseHTML" in old["drawings"][0]["names"]
    assert "scenario: parsing.one" in block["files"][new["file"]]
    assert new["attempts"][0]["findings"][1]["place"].endswith("one.scenario.yaml:13:5")


def test_events_are_told_once_and_then_counted(page: str) -> None:
    first, second = Elements(page).block(0)["cases"]["1"]["attempts"]
    assert isinstance(first["findings"][1]["matched"], list)
    assert second["findings"][1]["matched"] == 2


def again(one: RunResult, started: str) -> RunResult:
    return msgspec.structs.replace(one, header=msgspec.structs.replace(one.header, started=started))


def test_of_two_runs_on_one_build_the_latest_counts() -> None:
    before = again(result([], [verdict("a.b", Verdict.REFUTED, 0)]), "2026-01-01T00:00:00")
    after = again(result([], [verdict("a.b", Verdict.HOLDS)]), "2026-02-01T00:00:00")
    for runs in ([before, after], [after, before]):
        told = Elements(to_html([Reported(one) for one in runs], {}, made=MADE)).index()
        assert [told["words"][word] for word in told["cells"]["word"]] == ["HOLDS"]
        assert [told["words"][word] for word in told["earlier"]["word"]] == ["REFUTED"]
        assert told["cells"]["run"] == [1]


def test_what_the_claims_file_says_is_there() -> None:
    words = {"parse-html.holds": ClaimWords(kind="trap", refuted_by="Two of them.")}
    told = Elements(to_html([Reported(mixed())], words, made=MADE)).index()
    place = told["claims"]["id"].index("parse-html.holds")
    assert told["texts"][told["claims"]["kind"][place]] == "trap"
    assert told["texts"][told["claims"]["refutedBy"][place]] == "Two of them."


def test_every_verdict_and_no_evidence() -> None:
    told = Elements(report_of(mixed())).index()
    assert sorted(told["words"][word] for word in told["cells"]["word"]) == sorted(Verdict)


def test_the_command_writes_one_file(tmp_path: Path) -> None:
    changed_report(tmp_path)  # stores the two runs
    target = tmp_path / "r.html"
    said = CliRunner().invoke(cli, ["report", str(tmp_path), "-o", str(target), "--json"])
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert (told["claims"], told["runs"]) == (2, 2)
    assert told["bytes"] == target.stat().st_size
    assert len(Elements(target.read_text()).index()["columns"]) == 2


def test_a_folder_without_a_ledger_is_a_mistake(tmp_path: Path) -> None:
    said = CliRunner().invoke(cli, ["report", str(tmp_path)], standalone_mode=False)
    assert "there is no ledger" in str(said.exception)
