"""YAML by the 1.2 core schema, with places; whatever the text, a place and a remedy instead of a traceback."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ScenarioError
from harness.scenario.nodes import MAX_DEPTH, parse, read, source_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("190:20:30", "190:20:30"),
        ("2026-01-01", "2026-01-01"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1e10", 1e10),
        (".inf", math.inf),
        ("=", "="),
        ("'1'", "1"),
        ('"true"', "true"),
        ("153.0.8010", "153.0.8010"),
    ],
)
def test_plain_scalars_follow_the_core_schema(text: str, value: object) -> None:
    found = parse(f"key: {text}\n", "x").plain()
    assert found == {"key": value}
    assert type(found["key"]) is type(value)


def test_every_node_knows_its_place() -> None:
    root = parse("a:\n  - b: 1\n    'c d': [x,\n      y]\n", "file.yaml")
    inner = root.get("a").parts()[0].get("c d").parts()[1]
    assert (inner.at.file, inner.at.line, inner.at.column) == ("file.yaml", 4, 7)
    assert inner.at.path == '$.a[0]["c d"][1]'


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "the key a is given twice", 3),
        ("a: &x 1\n", "anchors are not part", 1),
        ("a: *x\n", "aliases are not part", 1),
        ("a: !!str 1\n", "tags are not part", 1),
        ("a: !mine 1\n", "tags are not part", 1),
        ("a:\n  <<: {b: 1}\n", "merge keys", 2),
        ("? [a, b]\n: 1\n", "a key must be a word", 1),
        ("a: 1\n---\nb: 2\n", "a second document", 2),
        ("a:\n\tb: 1\n", "a tab stands", 2),
        ("a: [1, 2\nb: 3\n", "not valid YAML", 2),
        ('a: "unclosed\n', "not valid YAML", 2),
        ("a: b: c\n", "not valid YAML", 1),
        ("a: 1\n b: 2\n", "not valid YAML", 2),
        ("a: @x\n", "not valid YAML", 1),
        ("exclude: [*]\n", "not valid YAML", 1),
        ("a: \x07\n", "a control character", 1),
        ("# nothing\n", "the file is empty", 0),
        ("---\n", "the file is empty", 0),
        ("[" * (MAX_DEPTH * 3), "nested more than", 1),
        ("a:\n  " + "[" * 3000 + "]" * 3000, "nested more than", 2),  # libyaml gives up before it tells of the levels
        ('a: 1\nb: "\\ud800"\n', "invalid Unicode character", 2),
    ],
)
def test_what_is_refused_has_a_message_and_a_line(text: str, message: str, line: int) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse(text, "file.yaml")
    problem = caught.value.problems[0]
    assert message in problem.message
    assert problem.line == line
    assert problem.remedy or line == 0


def test_several_mistakes_of_form_are_told_at_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse("a: &x 1\na: 2\nb: !t 3\n", "file.yaml")
    assert len(caught.value.problems) == 3


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        read(tmp_path / "nothing.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"a: 1\nb: caf\xe9\n")
    with pytest.raises(ScenarioError) as caught:
        read(tmp_path / "latin.yaml")
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 7)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read(path)[0].plain() == {"a": 1}


def test_the_source_of_a_node_is_what_its_author_wrote() -> None:
    text = (
        "list:\n  - a: 1   # why\n    b:\n      c: {d: [1,\n        2]}\n  # a comment between\n"
        "  - query: |\n      select 1\n\n  - x\n"
    )
    first, second, third = parse(text, "x").get("list").parts()
    assert source_text(text, first) == "a: 1   # why\nb:\n  c: {d: [1,\n    2]}"
    assert source_text(text, second) == "query: |\n  select 1"
    assert source_text(text, third) == "x"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-[]{},\"'#&*!|>%@`\n\t 01.~?<"), max_size=60))
def test_nonsense_is_read_or_refused(text: str) -> None:
    try:
        parse(text, "nonsense.yaml")
    except ScenarioError as error:
        assert error.problems
