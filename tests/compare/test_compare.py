"""Vocabularies, differences between sides, the claims that depend on them, and what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.compare import compare
from harness.compare import Difference, Side, compare_sides, dependents
from harness.compare.sides import Recorded
from harness.compare.vocabulary import survey
from harness.errors import UsageError
from harness.scenario import load_folder
from harness.trace.argpaths import parent_path, typed_paths
from tests.golden import same_as_golden
from tests.traces import Json, instant, make, names, slice, write_trace

SCENARIO = """
scenario: parsing.one
title: t
claims: [parsing.end-line, parsing.frame]
record: {categories: [devtools.timeline]}
steps: [{settle: 1ms}]
select:
  parsed: {name: ParseHTML}
  styled: {name_matches: "^Parse.*Sheet$"}
expect:
  - claim: parsing.end-line
    each: {of: parsed, has: {args.endData.endLine: {type: integer}}}
  - claim: parsing.frame
    query: select count(*) from parsed where args->'beginData'->>'frame' is null
    rows: [[0]]
  - claim: parsing.frame
    count: {of: styled, is: "<= 9"}
"""
CLAIMS = """
event: Parsing
slug: parsing
claims:
  - {id: parsing.end-line, says: It has an end line., refuted_by: none}
  - {id: parsing.frame, says: It has a frame., refuted_by: none}
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    folder = tmp_path / "parsing"
    folder.mkdir()
    (folder / "one.scenario.yaml").write_text(SCENARIO)
    (folder / "claims.yaml").write_text(CLAIMS)
    return folder


def parse(ts: float, *, line: bool = True, **args: object) -> Json:
    end = {"endData": {"endLine": 4}} if line else {}
    return slice("ParseHTML", ts=ts, dur=5, args={"beginData": {"frame": "F", "url": "u"}, **end, **args})


def side(label: str, *recordings: list[Json], group: str = "") -> Side:
    made = [Recorded(Path(f"{n}.json"), group, "", survey(make(events).events)) for n, events in enumerate(recordings)]
    return Side(label, tuple(made))


def differences(left: Side, right: Side) -> dict[tuple[str, str, str, str], Difference]:
    found = compare_sides(left, right, lambda name, path: ()).differences
    return {(one.sign, one.kind, one.name, one.what): one for one in found}


def test_paths_have_types_lists_and_quoted_keys() -> None:
    args = {"data": {"stackTrace": [{"url": "u"}, {"url": None}], "a.b": 1.5}, "0x1f": True}
    assert typed_paths(args) == {
        ("args.data", "object"),
        ("args.data.stackTrace", "list"),
        ("args.data.stackTrace[]", "object"),
        ("args.data.stackTrace[].url", "string"),
        ("args.data.stackTrace[].url", "null"),
        ('args.data."a.b"', "number"),
        ("args.*", "boolean"),
    }
    assert parent_path('args.data."a.b"') == "args.data"
    assert parent_path("args.data.list[].x") == "args.data.list[]"
    assert parent_path("args.data.list[]") == "args.data.list"


def test_the_same_recordings_do_not_differ() -> None:
    one = side("l", [parse(1), instant("Mark", ts=2)], [parse(1), instant("Mark", ts=2)])
    assert differences(one, one) == {}


def test_a_name_on_one_side_is_told_once_without_its_arguments() -> None:
    found = differences(side("l", [parse(1)]), side("r", [instant("Mark", ts=2)]))
    assert set(found) == {("-", "name", "ParseHTML", ""), ("+", "name", "Mark", "")}


def test_the_topmost_missing_argument_stands_for_those_below() -> None:
    left = side("l", [parse(1)] * 3, [parse(1)], [parse(1)])
    found = differences(left, side("r", [parse(1, line=False)]))
    (one,) = found.values()
    assert (one.sign, one.what, one.below, one.unstable) == ("-", "args.endData", 1, False)
    assert (one.left.recordings, one.left.of, one.left.share, one.right.recordings) == (3, 3, 1.0, 0)


def test_what_only_some_recordings_have_is_unstable_and_comes_last() -> None:
    left = side("l", [instant("Rare", ts=1), parse(1)], [parse(1)])
    right = side("r", [instant("New", ts=1), parse(1)], [instant("New", ts=1), parse(1)])
    found = compare_sides(left, right, lambda name, path: ()).differences
    assert [(one.name, one.unstable) for one in found] == [("New", False), ("Rare", True)]


def test_types_phases_categories_shares_and_counts() -> None:
    left = side("l", *[[parse(1, x=1, y=2), parse(9, z=1), slice("Many", ts=20, dur=1)]] * 2)
    other = [parse(1, x=1.5, y="2", cat="blink"), parse(9), parse(10), {**parse(11), "cat": "blink"}]
    many = [instant("Many", ts=ts) for ts in range(30, 36)]
    found = differences(left, side("r", *[[*other, *many]] * 2))
    assert ("~", "type", "ParseHTML", "args.x: integer → number") in found
    assert ("~", "type", "ParseHTML", "args.y: integer → string") in found
    assert ("+", "category", "ParseHTML", "blink") in found
    assert ("-", "path", "ParseHTML", "args.z") in found
    assert ("~", "share", "ParseHTML", "args.x") in found  # one in two events, then one in four
    assert ("~", "count", "Many", "") in found
    assert {("-", "phase", "Many", "X"), ("+", "phase", "Many", "I")} <= set(found)


def test_only_like_groups_are_compared() -> None:
    left = Side("l", (*side("", [parse(1)], group="a main").recordings, *side("", [], group="b main").recordings))
    right = side("r", [parse(1)], group="a main")
    comparison = compare_sides(left, right, lambda name, path: ())
    assert (comparison.differences, comparison.groups, comparison.left_only) == ((), ("a main",), ("b main",))


def test_sides_that_share_no_group_are_compared_whole() -> None:
    comparison = compare_sides(
        side("l", [parse(1)], group="a plain"), side("r", [], group="a other"), lambda name, path: ()
    )
    assert comparison.groups == ()
    assert [one.name for one in comparison.differences] == ["ParseHTML"]


def test_claims_depend_on_what_their_expectations_look_at(scenarios: Path) -> None:
    needs = dependents(load_folder(scenarios).cases)
    assert needs.of("ParseHTML") == ("parsing.end-line", "parsing.frame")
    assert needs.of("ParseHTML", "args.endData") == ("parsing.end-line",)
    assert needs.of("ParseHTML", "args.endData.endLine") == ("parsing.end-line",)
    assert needs.of("ParseHTML", "args.endData.other") == ()
    assert needs.of("ParseHTML", "args.beginData.frame") == ("parsing.frame",)
    assert needs.of("ParseAuthorSheet") == ("parsing.frame",)
    assert needs.of("Layout") == ()


def write_sets(tmp_path: Path) -> tuple[str, str]:
    """Three recordings of an old browser and three of a new one."""
    for number in range(3):
        chance = [instant("Rare", ts=3)] if number == 1 else []
        for name, events in (
            ("old", [parse(1), slice("Layout", ts=10, dur=1), *chance]),
            ("new", [parse(1, line=False), parse(7, line=False), instant("Mark", ts=2)]),
        ):
            (tmp_path / name).mkdir(exist_ok=True)
            write_trace(tmp_path / name / f"{number}.json.gz", [*names(), *events])
    return str(tmp_path / "old"), str(tmp_path / "new")


def test_one_screen_as_people_read_it(tmp_path: Path, scenarios: Path) -> None:
    old, new = write_sets(tmp_path)
    said = CliRunner().invoke(compare, [old, new, "--scenarios", str(scenarios)], standalone_mode=False)
    same_as_golden(Path(__file__).with_name("golden") / "compare.txt", said.output.replace(str(tmp_path), "TMP"))
    assert said.return_value == 0


def test_json_has_everything_and_fail_gives_one(tmp_path: Path) -> None:
    old, new = write_sets(tmp_path)
    said = CliRunner().invoke(compare, [old, new, "--json", "--fail"], standalone_mode=False)
    answer = json.loads(said.output)
    assert said.return_value == 1
    assert answer["totals"]["kinds"] == {
        "name": 3,
        "phase": 0,
        "category": 0,
        "path": 1,
        "type": 0,
        "share": 0,
        "count": 1,
    }
    assert answer["totals"]["unstable"] == 1
    assert {one["name"] for one in answer["differences"]} == {"Layout", "Mark", "Rare", "ParseHTML"}
    assert len(answer["left"]["recordings"]) == 3


def test_a_pattern_names_files_of_one_arm(tmp_path: Path) -> None:
    write_sets(tmp_path)
    said = CliRunner().invoke(
        compare, [str(tmp_path / "*/0.json.gz"), str(tmp_path / "*/1.json.gz"), "--json"], standalone_mode=False
    )
    assert [len(json.loads(said.output)[side]["recordings"]) for side in ("left", "right")] == [2, 2]


@pytest.mark.parametrize(
    ("make_left", "expected"),
    [
        (lambda tmp: str(tmp / "nowhere"), "does not exist"),
        (lambda tmp: str(tmp / "*.nothing"), "there is no recording in"),
        (lambda tmp: str(tmp), "there is no recording in"),
    ],
)
def test_a_side_without_recordings_is_a_mistake_of_the_command_line(tmp_path: Path, make_left, expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        CliRunner().invoke(compare, [make_left(tmp_path), "x"], standalone_mode=False, catch_exceptions=False)


def test_page_only_needs_a_page(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.json", [slice("Layout", ts=1, dur=1)])
    with pytest.raises(UsageError, match="page under test is not known"):
        CliRunner().invoke(
            compare, [str(path), str(path), "--page-only"], standalone_mode=False, catch_exceptions=False
        )


def test_page_only_leaves_out_other_processes(tmp_path: Path) -> None:
    inside, outside = slice("Layout", ts=1, dur=1), slice("Browser", ts=1, dur=1, pid=1)
    one = write_trace(tmp_path / "one.json", [*names(), inside, outside])
    other = write_trace(tmp_path / "other.json", [*names(), inside])
    said = CliRunner().invoke(compare, [str(one), str(other), "--page-only", "--json"], standalone_mode=False)
    assert json.loads(said.output)["differences"] == []


def test_a_recording_that_lost_data_is_left_out(tmp_path: Path) -> None:
    old, new = write_sets(tmp_path)
    (tmp_path / "old" / "1.context.json").write_text('{"data_loss": true}')
    said = CliRunner().invoke(compare, [old, new, "--json"], standalone_mode=False)
    left = json.loads(said.output)["left"]
    assert (len(left["recordings"]), left["refused"]) == (2, [str(tmp_path / "old" / "1.json.gz")])
    for number in range(3):
        (tmp_path / "old" / f"{number}.context.json").write_text('{"data_loss": true}')
    with pytest.raises(UsageError, match="lost data"):
        CliRunner().invoke(compare, [old, new], standalone_mode=False, catch_exceptions=False)
