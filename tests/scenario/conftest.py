"""A small world for scenarios: two claims and one page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.scenario import load_file
from harness.scenario.model import Case, Claim, Place
from harness.scenario.nodes import read

HERE = Path(__file__).parent
PAGES = HERE / "pages"
NOWHERE = Place("claims.yaml", 1, 1, "$")
CLAIMS = {
    name: Claim(name, "parse-html", "says", "refuted by", NOWHERE) for name in ("parse-html.one", "parse-html.two")
}

HEAD = """\
scenario: parse-html.example
title: One slice for each burst
claims: [parse-html.one]
record: {categories: [timeline, blink]}
fixture: page.html
"""
STEPS = 'steps:\n  - goto: "${fixture.url}"\n  - mark: done\n'
REST = 'select:\n  bursts: {name: ParseHTML, on: page.main}\nexpect:\n  - count: {of: bursts, is: ">= 1"}\n'

Load = Callable[..., list[Case]]


def plain(path: Path) -> Any:
    """A YAML file as plain data, by the rules of the language (`on:` is a key)."""
    return read(path)[0].plain()


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load a scenario from its text, or from the usual head with other parts."""

    def load_text(text: str = "", *, head: str = HEAD, steps: str = STEPS, rest: str = REST) -> list[Case]:
        path = tmp_path / "example.scenario.yaml"
        path.write_text(text or head + steps + rest, encoding="utf-8")
        return load_file(path, CLAIMS, [PAGES])

    return load_text
