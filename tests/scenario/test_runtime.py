"""Run-time names, and paths into what steps returned."""

from __future__ import annotations

from typing import Any

import pytest

from harness.expect import values
from harness.scenario import words
from harness.scenario.model import Template
from harness.scenario.runtime import fill, returned


def test_templates_are_filled_in() -> None:
    values = {"n": 3, "word": "w", "list": [1, True]}
    assert fill(Template("${n}", ("n",)), values.__getitem__) == 3
    assert fill(Template("a ${n} ${word} ${list}", ()), values.__getitem__) == "a 3 w [1, true]"
    assert fill(Template("$${n} ${n}", ()), values.__getitem__) == "${n} 3"
    assert fill({"a": [Template("${list}", ()), 1.5, None]}, values.__getitem__) == {"a": [[1, True], 1.5, None]}
    assert fill((Template("${n}", ()), 1), values.__getitem__) == (3, 1)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("reads", [{"list": [1, {"n": 2}], "0": "zero"}]),
        ("reads.list[1].n", [2]),
        ("reads.list.1.n", [2]),
        ("reads.list[-1].n", [2]),
        ("reads.list[]", [1, {"n": 2}]),
        ("reads.0", ["zero"]),
        ("reads.list.9", []),
        ("reads.list.x", []),
        ("other", []),
    ],
)
def test_what_steps_returned(path: str, found: list[Any]) -> None:
    assert returned({"reads": {"list": [1, {"n": 2}], "0": "zero"}}, path) == found


@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("args", True),
        ("args.list[].x", True),
        ("args.list[-1].x", True),
        ('args."a b"."c\\"d"', True),
        ("args.a b", False),
        ("args.", False),
        ("args.list[x]", False),
        ('args."open', False),
    ],
)
def test_what_the_loader_takes_is_what_a_run_can_follow(path: str, good: bool) -> None:
    for parse in (words.parse_path, values.parse_path):
        if good:
            parse(path)
        else:
            with pytest.raises(ValueError):
                parse(path)
