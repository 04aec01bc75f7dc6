"""Every row of the truth tables in `docs/expectations.md`, through the real loader and the real engine."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from harness.errors import ScenarioError
from tests.expect.tables import Row, outcome, rows

ROWS = list(rows())
FORMS = {"count", "none", "each", "order", "alternate", "join", "compare", "same", "differ", "query"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line-{row.line}-{row.section.replace(' ', '-')}")
def test_row(row: Row, tmp_path: Path) -> None:
    try:
        answer, said = outcome(row, tmp_path)
    except ScenarioError as error:
        answer, said = "error", str(error)
    assert answer == row.outcome, f"{row.expectation} on {row.events}: {said}"
    for quoted in re.findall(r"“([^”]*)”", row.why):  # what the page quotes is what the finding says
        assert quoted in said, said


def test_every_form_has_rows_of_each_outcome() -> None:
    seen = Counter((form, row.outcome) for row in ROWS for form in FORMS if re.match(rf"{form}:", row.expectation))
    for form in FORMS:
        for answer in ("met", "unmet", "invalid"):
            assert seen[form, answer], f"no row shows `{form}` {answer}"
    assert len(ROWS) >= 120


def test_no_row_is_written_twice() -> None:
    twice = [key for key, n in Counter((row.events, row.expectation) for row in ROWS).items() if n > 1]
    assert not twice
