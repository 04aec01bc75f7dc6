"""What CI servers and manuals are given: JUnit XML, the Markdown summary, the schema of the ledger, badges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import msgspec
import orjson
import pytest
from markdown_it import MarkdownIt

from harness.cli import cli
from harness.events import BuildView, RunResult
from harness.report import to_badge, to_junit, to_markdown
from harness.run.catalog import load_catalog
from harness.store import ledger_schema
from harness.verdict import Outcome, Verdict
from tests.golden import same_as_golden
from tests.report.large import large
from tests.samples import BUILD, attempt, case, finding, mixed, result, verdict
from tests.stored import store_run, write_scenarios
from tests.traces import slice as complete

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = Path(__file__).parents[2] / "docs" / "ledger.schema.json"
OLD = BuildView(product="Chromium", version="153.0.8010.0", major=153, path="/old", source="cache")

# What the schemas of JUnit files in use (Jenkins' xUnit plugin, Ant, Surefire, testmo's common form) agree on.
COUNTS = {"tests", "failures", "errors", "skipped", "time"}
RESULT = {"message", "type"}
ATTRIBUTES = {
    "testsuites": ({"name"}, COUNTS | {"timestamp"}),
    "testsuite": ({"name"} | COUNTS, {"timestamp", "hostname", "id", "package", "file"}),
    "testcase": ({"name", "classname"}, {"time", "file", "line", "assertions", "status"}),
    "properties": (set(), set()),
    "property": ({"name", "value"}, set()),
    "skipped": (set(), RESULT),
    "failure": (set(), RESULT),
    "error": (set(), RESULT),
    "flakyFailure": (set(), RESULT),
    "stackTrace": (set(), set()),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "testcase": ["properties", "skipped", "error", "failure", "flakyFailure"],  # in this order
    "properties": ["property"],
    "flakyFailure": ["stackTrace"],
}


def broken_rules(element: ET.Element) -> Iterator[str]:
    """What a strict reader of JUnit files would refuse."""
    needed, allowed = ATTRIBUTES[element.tag]
    if lacking := needed - set(element.keys()):
        yield f"{element.tag} lacks {lacking}"
    if strange := set(element.keys()) - needed - allowed:
        yield f"{element.tag} has {strange}"
    for name in ({"tests", "failures", "errors", "skipped", "line"}) & set(element.keys()):
        if not re.fullmatch(r"\d+", element.get(name, "")):
            yield f"{name} is no number"
    if not re.fullmatch(r"\d+\.\d{3}", element.get("time", "0.000")):
        yield "time is no decimal number of seconds"
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.get("timestamp", "2026-01-31T12:00:00")):
        yield "timestamp has more than Ant's schema takes"
    order = [CHILDREN.get(element.tag, []).index(child.tag) for child in element]
    if order != sorted(order):
        yield f"the children of {element.tag} are in another order"
    if element.tag == "testcase" and len([child for child in element if child.tag != "properties"]) > 1:
        yield "a test case has two outcomes"
    for child in element:
        yield from broken_rules(child)


def everything() -> RunResult:
    """Each verdict as a drift, on two builds; one that is expected to be SOMETIMES; text that is markup elsewhere."""
    base = mixed()
    odd = "a|b `code` <b>bold</b> *x* [link](http://x) & \\ ~~~"
    flaky = "parse-html.flaky"
    met = attempt(1, finding(flaky), finding("parse-html.odd", Outcome.UNMET))
    some = case(
        {flaky: Verdict.SOMETIMES, "parse-html.odd": Verdict.REFUTED},
        [met, attempt(2, finding(flaky, Outcome.UNMET))],
        expected={flaky: Verdict.SOMETIMES},
        tallies={flaky: (1, 2), "parse-html.odd": (0, 1)},
    )
    text = msgspec.structs.replace(some.attempts[0].findings[1], text=f"count: {{of: x}} # ```` {odd}")
    first = msgspec.structs.replace(some.attempts[0], findings=[some.attempts[0].findings[0], text])
    some = msgspec.structs.replace(some, attempts=[first, some.attempts[1]])
    verdicts = [
        *base.verdicts,
        verdict(flaky, Verdict.SOMETIMES, 1, 2, low=0.1, high=0.9, expected=Verdict.SOMETIMES, baseline_reason="races"),
        verdict("parse-html.odd", Verdict.REFUTED, 0, 1, reason=odd),
        msgspec.structs.replace(verdict("parse-html.refuted", Verdict.HOLDS), build=OLD),
    ]
    return result([*base.cases, some], verdicts)


def test_junit_keeps_to_what_its_schemas_agree_on() -> None:
    told = to_junit(everything())
    assert list(broken_rules(ET.fromstring(told))) == []
    same_as_golden(GOLDEN / "junit.xml", told.decode())


def test_junit_keeps_flaky_skipped_and_broken_apart() -> None:
    root = ET.fromstring(to_junit(everything()))
    outcomes = {
        (one.get("name"), child.tag, child.get("type"))
        for one in root.iter("testcase")
        for child in one
        if child.tag != "properties"
    }
    assert outcomes == {
        ("parse-html.sometimes", "failure", "SOMETIMES"),
        ("parse-html.flaky", "flakyFailure", "SOMETIMES"),
        ("parse-html.refuted", "failure", "REFUTED"),
        ("parse-html.odd", "failure", "REFUTED"),
        ("parse-html.inconclusive", "error", "INCONCLUSIVE"),
        ("parse-html.error", "error", "ERROR"),
        ("parse-html.not_applicable", "skipped", "NOT_APPLICABLE"),
        ("parse-html.unsupported", "skipped", "UNSUPPORTED"),
    }
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "10",
        "failures": "3",
        "errors": "2",
        "skipped": "2",
    }


def test_junit_names_the_line_of_what_was_not_met() -> None:
    found = {one.get("name"): one.get("line") for one in ET.fromstring(to_junit(mixed())).iter("testcase")}
    assert (found["parse-html.holds"], found["parse-html.refuted"]) == ("1", "14")


def test_the_time_of_a_case_is_shared_among_its_claims() -> None:
    root = ET.fromstring(to_junit(mixed()))
    seconds = sum(one.seconds for one in mixed().cases[0].attempts)
    assert float(root.get("time", 0)) == pytest.approx(seconds, abs=0.01)


def test_markdown_shows_what_changed_first() -> None:
    told = to_markdown(everything())
    same_as_golden(GOLDEN / "summary.md", told)
    places = [told.index(head) for head in ("## Differs from the baseline", "## Builds answer", "## Every verdict")]
    assert places == sorted(places)
    assert told.count("<details>") == told.count("</details>") > 2


def test_markdown_leaves_no_markup_of_a_trace_alive() -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(to_markdown(everything()))
    assert "a|b `code` &lt;b&gt;bold&lt;/b&gt; *x* [link](http://x) &amp; \\ ~~~" in html
    assert "<b>" not in html and "<em>" not in html and "<a " not in html
    assert all(row.count("<td") in (0, 5) for row in html.split("</tr>") if "odd" in row)
    (block,) = [part for part in html.split("<pre>") if "# ````" in part]
    assert "misses" in block.partition("</pre>")[0]  # the fence in the text did not end the block


def test_a_summary_fits_where_a_ci_page_takes_it() -> None:
    told = to_markdown(large(1_500, 8))
    assert len(told.encode()) < 1_000_000
    assert re.search(r"The evidence of [\d,]+ more is in `out/large`", told)
    assert told.count("<details>") == told.count("</details>")


def test_the_schema_of_the_ledger_is_the_published_one(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["schema", "ledger"], standalone_mode=False)
    told = capsys.readouterr().out
    jsonschema.Draft202012Validator.check_schema(json.loads(told))
    same_as_golden(SCHEMA, told)


def test_a_ledger_is_valid_and_a_broken_line_is_not(tmp_path: Path) -> None:
    catalog = load_catalog([write_scenarios(tmp_path / "own")])
    store_run(tmp_path / "run", catalog, [[complete("ParseHTML", ts=0, dur=10)]], majors=(153, 156))
    validator = jsonschema.Draft202012Validator(ledger_schema())
    lines = [json.loads(line) for line in (tmp_path / "run" / "ledger.jsonl").read_text().splitlines()]
    assert {line["type"] for line in lines} == {"run", "case", "verdict", "end"}
    assert all(validator.is_valid(line) for line in lines)
    for line in lines:
        assert not validator.is_valid({key: value for key, value in line.items() if key != "type"})
    (bad, *_) = [line for line in lines if line["type"] == "verdict"]
    assert not validator.is_valid({**bad, "verdict": "MAYBE"})
    assert not validator.is_valid({**bad, "met": "2"})


def test_what_a_run_of_every_verdict_says_is_valid() -> None:
    validator = jsonschema.Draft202012Validator(ledger_schema())
    told = everything()
    for line in (told.header, *told.cases, *told.verdicts, told.footer):
        validator.validate(orjson.loads(msgspec.json.encode(line)))


@pytest.mark.parametrize("word", list(Verdict))
def test_a_badge_says_claim_verdict_and_version(word: Verdict) -> None:
    told = to_badge([verdict("parse-html.once", word, 1, 2, low=0.1, high=0.9)])
    same_as_golden(GOLDEN / "badges" / f"{word.lower()}.svg", told)
    root = ET.fromstring(told)
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "parse-html.once" and texts[2] == "Chromium 156" and str(word) in (texts[1] or "")
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None and title.text == root.get("aria-label")
    assert "156.0.8078.108 headless" in (title.text or "")


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("word", list(Verdict))
def test_a_badge_can_be_read(word: Verdict) -> None:
    colours = re.findall(r'fill="(#[0-9a-f]{6})"', to_badge([verdict("a.b", word)]))
    assert len(colours) == 3
    assert all(1.05 / (luminance(colour) + 0.05) >= 4.5 for colour in colours)


def test_a_badge_hides_no_mode_and_no_scenario_that_was_left_out() -> None:
    holds = verdict("a.b", Verdict.HOLDS)
    shell = msgspec.structs.replace(verdict("a.b", Verdict.REFUTED), mode="shell")
    assert "✗ HOLDS headless; REFUTED shell" in to_badge([holds, shell])
    assert "✓ HOLDS<" in to_badge([holds, msgspec.structs.replace(holds, mode="shell")])
    assert "HOLDS in 1 of 2 scenarios" in to_badge([msgspec.structs.replace(holds, left_out=["other"])])
    assert BUILD.version in to_badge([holds])


def test_badges_of_the_newest_version_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = load_catalog([write_scenarios(tmp_path / "own")])
    once, twice = (
        [complete("ParseHTML", ts=0, dur=10)],
        [complete("ParseHTML", ts=0, dur=10), complete("ParseHTML", ts=20, dur=10)],
    )
    store_run(tmp_path / "old", catalog, [once], majors=(9, 153))
    store_run(tmp_path / "new", catalog, [twice], majors=(156,))

    def badge(*words: str) -> str:
        ledgers = ("--ledger", str(tmp_path / "old"), "--ledger", str(tmp_path / "new"))
        assert cli.main(["badge", *words, *ledgers, "-o", str(tmp_path / "one.svg")], standalone_mode=False) == 0
        return (tmp_path / "one.svg").read_text()

    assert "REFUTED" in badge("parsing.once")
    assert "HOLDS" in badge("parsing.once", "--browser", "153")
    cli.main(["badge", "parsing.*", "--ledger", str(tmp_path), "-o", str(tmp_path / "all")], standalone_mode=False)
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["parsing.end-line.svg", "parsing.once.svg"]
    with pytest.raises(Exception, match="has no verdict in these ledgers") as error:
        badge("parsing.onec")
    assert 'did you mean "parsing.once"' in str(error.value)
    with pytest.raises(Exception, match="2 claims do not fit into"):
        badge("parsing.*")
    assert "one.svg" in capsys.readouterr().out
