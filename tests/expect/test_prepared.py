"""Mistakes in the SQL of a query are told by lint, where they are in the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.run.lint import lint

HEAD = """\
scenario: bad.query
title: SQL with a mistake in it
claims: [bad.one]
record: {categories: [timeline]}
steps: [{goto: about:blank}]
arms: {plain: {}, other: {}}
select:
  a: {name: Layout}
expect:
"""
CLAIMS = """\
event: X
slug: bad
claims:
  - {id: bad.one, says: a, refuted_by: b}
"""
BLOCK = """\
  - arm: plain
    query: |
      with found as (
        select seq, {column} from {table} where args->>'n' = 'é' and dur > 3)
      select seq {word} found
    rows: none
    over: a
"""
SOUND = {"column": "ts", "table": "a", "word": "from"}


def problems(folder: Path, expect: str) -> list[tuple[int, int, str]]:
    (folder / "claims.yaml").write_text(CLAIMS)
    (folder / "bad.scenario.yaml").write_text(HEAD + expect)
    return [(one.line, one.column, one.message) for one in lint([folder]).problems]


def test_sql_that_can_be_run_is_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, BLOCK.format(**SOUND)) == []
    of_another_arm = BLOCK.format(**{**SOUND, "table": "other.a"})
    assert problems(tmp_path, of_another_arm) == []


@pytest.mark.parametrize(
    ("mistake", "line", "column", "told"),
    [
        ({"word": "frm"}, 14, 22, 'syntax error at or near "found"'),
        ({"column": "tts, tz"}, 13, 26, 'Referenced column "tz" not found in FROM clause!'),
        ({"table": "b"}, 13, 29, "Table with name b does not exist!"),
        ({"column": "lengths(args)"}, 13, 21, "Scalar Function with name lengths does not exist!"),
    ],
)
def test_a_mistake_has_its_line_and_column(
    tmp_path: Path, mistake: dict[str, str], line: int, column: int, told: str
) -> None:
    ((found_line, found_column, message),) = problems(tmp_path, BLOCK.format(**{**SOUND, **mistake}))
    assert message.startswith(f"the query cannot be run: {told}") and "\n" not in message
    assert (found_line, found_column) == (line, column)


def test_a_mistake_in_one_line(tmp_path: Path) -> None:
    ((line, column, message),) = problems(
        tmp_path, '  - {arm: plain, query: "select sq from a", rows: none, over: a}\n'
    )
    assert (line, column) == (10, 33) and 'Referenced column "sq"' in message


@pytest.mark.parametrize("sql", ["select seq from a; select 1", "drop table a"])
def test_a_query_is_one_select(tmp_path: Path, sql: str) -> None:
    ((_, _, message),) = problems(tmp_path, f'  - {{arm: plain, query: "{sql}", rows: none, over: a}}\n')
    assert message == "a query is one SELECT statement"


def test_lint_does_not_wait_for_duckdb_where_nothing_is_asked() -> None:
    code = "import sys, harness.run.lint; sys.exit('duckdb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
