"""What a user is told for each mistake in `mistakes/`; `TRACEPROOF_UPDATE_GOLDEN=1` (make golden) writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.scenario import load_file
from tests.scenario.conftest import CLAIMS, HERE, PAGES

MISTAKES = sorted((HERE / "mistakes").glob("*.yaml"))


@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_mistake_is_told_as_written_down(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    with pytest.raises(ScenarioError) as caught:
        load_file(path.relative_to(HERE), CLAIMS, [PAGES])
    told = "\n".join(str(problem) for problem in caught.value.problems) + "\n"
    golden = path.with_suffix(".txt")
    if os.environ.get("TRACEPROOF_UPDATE_GOLDEN"):
        golden.write_text(told, encoding="utf-8")
    assert golden.is_file(), "run with TRACEPROOF_UPDATE_GOLDEN=1, then read what it wrote"
    assert told == golden.read_text(encoding="utf-8")


def test_there_are_enough_distinct_mistakes() -> None:
    texts = {path.with_suffix(".txt").read_text(encoding="utf-8") for path in MISTAKES}
    assert len(texts) == len(MISTAKES) >= 25


@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_every_problem_has_a_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    with pytest.raises(ScenarioError) as caught:
        load_file(path.relative_to(HERE), CLAIMS, [PAGES])
    for problem in caught.value.problems:
        assert problem.file == f"mistakes/{path.name}"
        assert problem.line > 0 or path.stem == "empty"
