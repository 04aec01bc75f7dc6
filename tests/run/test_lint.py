"""One look tells every mistake: a file that is wrong in one place is still read in all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.run.lint import lint

CLAIMS = """\
event: X
slug: bad
claims:
  - {id: bad.one, says: a, refuted_by: b}
  - {id: bad.two, says: a, refuted_by: b, kindd: trap}
  - {id: bad.three, says: a, refuted_by: b}
"""
TORN = """\
scenario: bad.torn
titel: one key is misspelt
claims: [bad.one, bad.tow]
needs: [two-core]
record:
  categories: [timelin, blinkcc]
  recorder: cdp-brwser
steps:
  - goto: about:blank
  - setle: 3s
select:
  a: {name: Layout, on: page.mian}
  b: {name: Paint}
expect:
  - claim: bad.one
    count: {of: b, is: ">= 0"}
  - claim: bad.one
    count: {of: a, is: ">= 1"}
    control: {count: {of: cc, is: 1}}
"""
WITHOUT_NAMES = """\
scenario: bad.nameless
title: let is wrong, and so nothing that rests on it can be told
claims: [bad.two]
let: {n: [1], page: x.html}
record:
  categories: [timeline, blnk]
fixture: nowhere.html
steps:
  - goto: "${page}"
  - settle: "${n}s"
select:
  a: {name: "${n}"}
expect:
  - count: {of: b, is: "${n}"}
"""
BASELINE = """\
- {claim: bad.one, verdict: REFUTD, reason: r, date: 2026-01-31}
- {claim: bad.on, verdict: REFUTED, reason: r, date: 2026-01-31}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bad"
    folder.mkdir()
    for name, text in {
        "claims.yaml": CLAIMS,
        "a.scenario.yaml": TORN,
        "b.scenario.yaml": WITHOUT_NAMES,
        "my.baseline.yaml": BASELINE,
    }.items():
        (folder / name).write_text(text)
    return folder


def test_every_mistake_is_told_at_once(folder: Path) -> None:
    told = [(Path(one.file).name, one.line, one.message.partition(":")[0]) for one in lint([folder]).problems]
    assert told == [
        ("a.scenario.yaml", 2, 'unknown key "titel" in scenario'),
        ("a.scenario.yaml", 3, 'there is no claim "bad.tow"'),
        ("a.scenario.yaml", 4, 'unknown need "two-core"'),
        ("a.scenario.yaml", 6, 'the category "timelin" is unknown'),
        ("a.scenario.yaml", 6, 'the category "blinkcc" is unknown'),
        ("a.scenario.yaml", 7, '"cdp-brwser" is not a recorder'),
        ("a.scenario.yaml", 10, 'unknown step "setle"'),
        ("a.scenario.yaml", 12, '"mian" is not the role of a thread; did you mean "main"?'),
        ("a.scenario.yaml", 15, "an empty selection meets this test"),
        ("a.scenario.yaml", 15, "a test that everything meets"),
        ("a.scenario.yaml", 19, 'there is no selection "cc"'),
        ("b.scenario.yaml", 4, "expected text, a number, true, false or null"),
        ("b.scenario.yaml", 6, 'the category "blnk" is unknown'),
        ("b.scenario.yaml", 7, 'there is no fixture "nowhere.html"'),
        ("b.scenario.yaml", 14, 'there is no selection "b"'),
        ("claims.yaml", 5, 'unknown key "kindd" in claim'),
        ("my.baseline.yaml", 1, '"REFUTD" is not a verdict'),
        ("my.baseline.yaml", 2, 'there is no claim "bad.on"'),
    ]


def test_what_no_scenario_names_is_told_where_all_say_what_they_decide(folder: Path) -> None:
    scenario = folder / "a.scenario.yaml"
    scenario.write_text(scenario.read_text().replace("bad.tow", "bad.two"))
    assert "nothing decides bad.three, and no reason is stated" in [one.message for one in lint([folder]).problems]


def test_a_claims_file_that_is_no_yaml_makes_no_claim_unknown(folder: Path) -> None:
    (folder / "claims.yaml").write_text("event: [")
    assert not [one for one in lint([folder]).problems if "there is no claim" in one.message and "scenario" in one.file]


def test_a_broken_file_beside_a_fixture_is_told_before_a_server_reads_it(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("x")
    (tmp_path / "page.html.server.yaml").write_text("defaults: {dealy: 20ms}\nroutes: {late.css: {delay: 20}}\n")
    (tmp_path / "pag.server.yaml").write_text("default: {}\n")
    told = [(Path(one.file).name, one.line, one.message.partition(";")[0]) for one in lint([tmp_path]).problems]
    assert told == [
        ("pag.server.yaml", 0, "no fixture pag stands beside it"),
        ("pag.server.yaml", 1, "unknown key 'default'"),
        ("page.html.server.yaml", 1, "unknown control 'dealy'"),
        ("page.html.server.yaml", 2, "malformed delay: '20' is not a duration"),
    ]
