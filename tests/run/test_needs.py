"""What a case needs of a trace: read so, a stored recording gives the same answers to the word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.report import to_json
from harness.run import needs
from harness.run.catalog import load_catalog
from harness.run.check import check_trace
from harness.scenario.load import load_file
from harness.trace.context import RecordingContext
from harness.trace.sift import Sifted

RECORDING = Path(__file__).parent.parent / "trace" / "recordings" / "chromium-156.json.gz"
BENCH = Path(__file__).parent.parent.parent / "bench"
CATALOG = load_catalog([])
CASES = [case for case in CATALOG.cases if len(case.arms) == 1]


def answer(case_name: str) -> dict[str, object]:
    case = next(case for case in CASES if case.name == case_name)
    result = check_trace(RECORDING, [case], "", CATALOG, ["check"])
    return to_json(result)["cases"][0] | {"seconds": 0}


def plain(value: object) -> str:
    return re.sub(r"'seconds': [\d.e-]+", "", str(value))


@pytest.mark.parametrize("name", [case.name for case in CASES][::5])
def test_a_sifted_trace_gives_the_same_findings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = answer(name)
    monkeypatch.setattr(needs, "LARGE", 0)
    assert plain(answer(name)) == plain(whole)


def test_most_cases_name_their_events() -> None:
    wanted = [needs.wanted_by(case, RecordingContext()) for case in CASES]
    assert sum(one is not None for one in wanted) > len(wanted) / 2


def test_a_small_file_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in CASES if needs.wanted_by(case, RecordingContext()))
    assert not isinstance(needs.load_for(RECORDING, case, RecordingContext()), Sifted)
    monkeypatch.setattr(needs, "LARGE", 0)
    assert isinstance(needs.load_for(RECORDING, case, RecordingContext()), Sifted)


QUERY = """\
scenario: parse-html.asked
title: Asks
claims: [parse-html.renderer-main-thread]
record: {categories: [blink]}
steps: [{settle: 1ms}]
select:
  layouts: {name: Layout}
PAINTS
expect:
  - query: |
      SQL
    rows: none
    over: layouts
"""


def asked(sql: str, tmp_path: Path) -> needs.Wanted | None:
    path = tmp_path / "asked.scenario.yaml"
    paints = "  paints: {name_matches: Paint}\n" if "paints" in sql else ""
    path.write_text(QUERY.replace("PAINTS\n", paints).replace("SQL", sql.replace("\n", "\n      ")))
    return needs.wanted_by(load_file(path)[0], RecordingContext())


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 as \"it's\" from events where name = 'a'",
        "select 1 -- it's\nfrom events -- 'a'",
        "select 1 /* it's */ from events where name = 'a'",
        "select $$'$$ from events where name = 'a'",
        "select e'\\'' from events where name = 'a'",
        "select 1 from FLOWS",
    ],
)
def test_a_query_over_everything_needs_everything_however_it_is_written(sql: str, tmp_path: Path) -> None:
    assert asked(sql, tmp_path) is None


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 as \"it's\" from paints where name = 'a'",
        "select 1 /* it's */ from paints where name = 'a'",
        "select $$'$$ from paints where name = 'a'",
        "select e'\\'' from paints where name = 'a'",
        'select 1 as "a--b" from "paints"',
    ],
)
def test_a_selection_that_only_sql_names_is_read(sql: str, tmp_path: Path) -> None:
    wanted = asked(sql, tmp_path)
    assert wanted is not None and "PrePaint" in wanted


def test_arguments_are_not_held_of_what_only_holds_others() -> None:
    wanted = {case.name: needs.wanted_by(case, RecordingContext()) for case in load_catalog([BENCH]).cases}[
        "bench.busy"
    ]
    assert wanted is not None
    assert wanted.bare == {"FunctionCall"}
    assert {"Layout", "FireAnimationFrame", "FunctionCall", "CommitLoad"} <= wanted.names
