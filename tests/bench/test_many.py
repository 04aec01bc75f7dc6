"""What `make bench` grows is sound, whatever its number: the jobs themselves refuse findings and problems that lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.many import LEDGERS, evaluated, linted

RECORDING = Path(__file__).parents[1] / "trace" / "recordings" / "chromium-156.json.gz"


def test_expectations_are_all_evaluated(tmp_path: Path) -> None:
    assert evaluated(10, tmp_path, str(RECORDING))()


def test_claims_are_without_a_problem(tmp_path: Path) -> None:
    assert linted(20, tmp_path)()


@pytest.mark.parametrize("what", LEDGERS)
def test_ledgers_are_read_and_told(what: str, tmp_path: Path) -> None:
    assert LEDGERS[what]("20:3", tmp_path)()
