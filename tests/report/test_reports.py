"""The same results, told to a person, a CI server and a program."""

from __future__ import annotations

import io
import json
from xml.etree import ElementTree as ET

import msgspec
import orjson
import pytest
from rich.console import Console

from harness.events import Planned, Progressed, Started
from harness.report import ConsoleReport, explain, explain_case, to_json, to_junit, to_markdown
from harness.verdict import Outcome, Verdict
from tests.samples import attempt, case, finding, mixed, result, verdict

CLAIM = "parse-html.refuted"


def console(*, terminal: bool = False) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=terminal, width=100, highlight=False, color_system=None), out


def test_an_explanation_has_all_that_a_person_needs() -> None:
    failing = attempt(1, finding(CLAIM, Outcome.UNMET))
    one = case({CLAIM: Verdict.REFUTED}, [failing], tallies={CLAIM: (0, 1)})
    text = "\n".join(explain(one, CLAIM, says="It writes three events.", folder="out/now"))
    for needed in (
        "REFUTED  parse-html.refuted  on Chromium 156.0.8078.108 headless  (0 of 1 valid attempts met it, 1 run)",
        "It writes three events.",
        "count: {of: parsed, is: 3}",
        "scenarios/parse-html/one.scenario.yaml:14:5",
        "count of parsed is 2, not 3",
        "nearest misses",
        "on page.main",
        "RunTask > EvaluateScript",
        "dur 12.5 us is not >= 100 us",
        "out/now/recordings/parse-html.one/156.0.8078.108-headless/1/main.json.gz",
        "traceproof run parse-html.one --browser /usr/bin/chromium --mode headless --attempts 2",
    ):
        assert needed in text


def test_a_failed_attempt_and_a_refused_one_are_told() -> None:
    attempts = [attempt(1, reasons=("data loss",)), attempt(2, error="the browser went away")]
    text = "\n".join(explain(case({CLAIM: Verdict.ERROR}, attempts), CLAIM))
    assert "attempt 1  is no evidence: data loss" in text
    assert "attempt 2  failed: the browser went away" in text


def test_the_console_explains_what_is_unsupported() -> None:
    """It ends the run with status 1 where something else was expected, so it is said why."""
    out, text = console()
    ConsoleReport(out)(case({CLAIM: Verdict.UNSUPPORTED}, [], reason="no GPU here"))
    assert "reason     no GPU here" in text.getvalue()


def test_plain_lines_where_there_is_no_terminal() -> None:
    out, text = console()
    everything = mixed()
    with ConsoleReport(out, folder="out/now") as report:
        report(Planned(1, 2))
        report(Started("parse-html.one", 1))
        report(Progressed("parse-html.one", everything.cases[0].attempts[0]))
        report(everything.cases[0])
    report.finish(everything)
    lines = text.getvalue().splitlines()
    assert "1 case, 2 attempts" in lines
    assert any(line.startswith("[1/1] parse-html.one on Chromium 156.0.8078.108 headless: HOLDS 1,") for line in lines)
    assert "\x1b" not in text.getvalue()
    assert "evidence   out/now" in lines


def test_a_terminal_shows_a_bar() -> None:
    out, text = console(terminal=True)
    with ConsoleReport(out) as report:
        report(Planned(1, 2))
        report(Started("parse-html.one", 1))
        report(Progressed("parse-html.one", attempt(1)))
        report(case({CLAIM: Verdict.HOLDS}, [attempt(1)]))
        report(Started("parse-html.one", 2))
        report._live._live.refresh()
    assert "━" in text.getvalue()


def test_the_first_failure_is_told_at_once() -> None:
    out, text = console()
    with ConsoleReport(out) as report:
        report(mixed().cases[0])
        assert "nearest misses" in text.getvalue()


def test_a_failure_of_the_lab_is_told_once_for_all_claims_and_attempts() -> None:
    names = ["parse-html.one", "parse-html.two", "parse-html.three"]
    attempts = [attempt(number, error="the browser went away\nits log") for number in (1, 2, 3)]
    one = case(dict.fromkeys(names, Verdict.ERROR), attempts)
    every = result([one], [verdict(name, Verdict.ERROR, reason="the browser went away") for name in names])
    out, text = console()
    with ConsoleReport(out) as report:
        report(one)
        told = text.getvalue()
    report.finish(every)
    assert told.count("the browser went away") == 1
    assert "attempts 1, 2, 3  failed: the browser went away" in told
    assert "ERROR  3 claims  on" in told
    assert all(name in told for name in names)
    assert text.getvalue().removeprefix(told).count("the browser went away") == 1
    table, evidence = to_markdown(every).split("<details>", 1)
    assert (table.count("the browser went away"), table.count("as above")) == (1, 2)
    assert evidence.split("</details>")[0].count("the browser went away") == 1


def test_claims_that_fail_for_different_reasons_are_told_apart() -> None:
    failing = attempt(1, finding(CLAIM, Outcome.UNMET), finding("parse-html.other", Outcome.MET))
    one = case({CLAIM: Verdict.REFUTED, "parse-html.other": Verdict.HOLDS}, [failing])
    assert [lines[0].split()[:2] for lines in explain_case(one, list(one.verdicts))] == [
        ["REFUTED", CLAIM],
        ["HOLDS", "parse-html.other"],
    ]


def test_a_run_that_was_cut_short_says_so() -> None:
    out, text = console()
    with ConsoleReport(out) as report:
        report(Planned(5, 15))
    report.finish(mixed(), cut_short="SIGTERM")
    assert "CUT SHORT by SIGTERM: 1 of 5 cases had finished" in text.getvalue()
    assert "so far" in text.getvalue()


def test_what_is_expected_is_not_told_as_a_failure() -> None:
    out, text = console()
    expected = case({CLAIM: Verdict.REFUTED}, [attempt(1)], expected={CLAIM: Verdict.REFUTED})
    with ConsoleReport(out) as report:
        report(expected)
    assert "repeat" not in text.getvalue()


def test_a_case_that_holds_where_another_may_refute_is_no_failure() -> None:
    out, text = console()
    with ConsoleReport(out) as report:
        report(case({CLAIM: Verdict.HOLDS}, [attempt(1)], expected={CLAIM: Verdict.REFUTED}))
        assert "repeat" not in text.getvalue()
        report(case({CLAIM: Verdict.SOMETIMES}, [attempt(1)], expected={CLAIM: Verdict.HOLDS}))
    assert "repeat" in text.getvalue()


def test_quiet_says_only_what_differs() -> None:
    out, text = console()
    fine = result([], [verdict("parse-html.holds", Verdict.HOLDS)])
    ConsoleReport(out, quiet=True).finish(fine)
    assert text.getvalue().splitlines() == ["HOLDS 1: as expected. 3.0 s", "evidence   out/now"]


def test_brackets_in_texts_are_not_markup() -> None:
    out, text = console()
    odd = msgspec.structs.replace(finding(CLAIM, Outcome.UNMET), text="count: {of: [red]parsed[/red], is: 3}")
    with ConsoleReport(out) as report:
        report(case({CLAIM: Verdict.REFUTED}, [attempt(1, odd)]))
    assert "[red]parsed[/red]" in text.getvalue()


@pytest.mark.parametrize(
    ("word", "child"),
    [
        (Verdict.HOLDS, ""),
        (Verdict.SOMETIMES, "failure"),
        (Verdict.REFUTED, "failure"),
        (Verdict.INCONCLUSIVE, "error"),
        (Verdict.ERROR, "error"),
        (Verdict.NOT_APPLICABLE, "skipped"),
        (Verdict.UNSUPPORTED, "skipped"),
    ],
)
def test_junit_says_each_verdict_in_its_way(word: Verdict, child: str) -> None:
    root = ET.fromstring(to_junit(mixed()))
    found = next(one for one in root.iter("testcase") if one.get("name") == f"parse-html.{word.lower()}")
    outcomes = [one.tag for one in found if one.tag != "properties"]
    assert outcomes == ([child] if child else [])
    properties = {one.get("name"): one.get("value") for one in found.iter("property")}
    assert properties["verdict"] == word
    assert found.get("file") == "scenarios/parse-html/one.scenario.yaml"


def test_junit_counts_and_passes_what_the_baseline_expects() -> None:
    fine = verdict(CLAIM, Verdict.REFUTED, 0, 2, expected=Verdict.REFUTED, baseline_reason="Chrome differs")
    suite = ET.fromstring(to_junit(result([], [fine]))).find("testsuite")
    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "1", "failures": "0", "errors": "0", "skipped": "0"}


def test_junit_survives_what_xml_cannot_hold() -> None:
    bad = verdict(CLAIM, Verdict.REFUTED, 0, 2, reason="a\x00b\x1b[31m\ud800 & <c>")
    assert ET.fromstring(to_junit(result([], [bad]))) is not None


def test_sometimes_shows_k_of_n_and_the_interval() -> None:
    some = verdict("parse-html.sometimes", Verdict.SOMETIMES, 2, 3, low=0.208, high=0.939)
    assert "2 of 3 (95 %: 21% to 94%)" in to_markdown(result([], [some]))


def test_json_is_one_object_with_what_programs_ask_for() -> None:
    told = json.loads(orjson.dumps(to_json(mixed())))
    assert {"header", "verdicts", "cases", "drifts", "totals"} <= told.keys()
    assert told["totals"]["verdicts"] == dict.fromkeys(Verdict, 1)
    assert {one["claim"]: one["verdict"] for one in told["verdicts"]}[CLAIM] == "REFUTED"
    assert [one["claim"] for one in told["drifts"]] == [
        f"parse-html.{word.lower()}" for word in Verdict if word not in (Verdict.HOLDS, Verdict.NOT_APPLICABLE)
    ]


def test_gpu_raster_is_told_everywhere_and_software_nowhere() -> None:
    one = case({"parse-html.one": Verdict.REFUTED}, [attempt(1, finding("parse-html.one", Outcome.UNMET))])
    gpu = msgspec.structs.replace(one, raster="gpu")
    verdicts = [verdict("parse-html.one", Verdict.REFUTED, raster=raster) for raster in ("software", "gpu")]
    told = result([one, gpu], verdicts)
    suites = ET.fromstring(to_junit(told)).findall("testsuite")
    label = "Chromium 156.0.8078.108 headless"
    assert [suite.get("name") for suite in suites] == [label, f"{label}, gpu raster"]
    explained = [suite.find("testcase/failure") for suite in suites]
    assert ["gpu" in (text.text or "") for text in explained if text is not None] == [False, True]
    markdown = to_markdown(told)
    assert f"| {label} |" in markdown and f"| {label}, gpu raster |" in markdown
    assert [one["raster"] for one in to_json(told)["cases"]] == ["software", "gpu"]
    out = io.StringIO()
    ConsoleReport(Console(file=out, width=120)).finish(told)
    table = out.getvalue()
    assert "gpu raster" in table and "software" not in table
    assert f"on {label}, gpu raster: REFUTED" in table


def test_exit_codes() -> None:
    assert result([], [verdict("a.b", Verdict.HOLDS)]).exit_code == 0
    assert result([], [verdict("a.b", Verdict.NOT_APPLICABLE)]).exit_code == 0
    assert result([], [verdict("a.b", Verdict.REFUTED)]).exit_code == 1
    assert result([], [verdict("a.b", Verdict.REFUTED, expected=Verdict.REFUTED)]).exit_code == 0
    assert result([], [verdict("a.b", Verdict.REFUTED), verdict("a.c", Verdict.ERROR)]).exit_code == 3


def test_markdown_escapes_pipes() -> None:
    text = to_markdown(result([], [verdict(CLAIM, Verdict.REFUTED, reason="a|b\nc")]))
    assert "a\\|b c" in text
