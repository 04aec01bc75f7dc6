"""The SQL of queries read before anything is recorded: prepared by DuckDB against tables without rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from harness.errors import Problem
from harness.expect.forms.tables import EVENT, FLOW
from harness.scenario.model import MAIN, Case, Expectation, Place, Query

if TYPE_CHECKING:
    import duckdb

_PREPARE: Final = "PREPARE asked AS "


def sql_problems(cases: Iterable[Case]) -> list[Problem]:
    """What is wrong in the SQL of the cases' queries, where it is. DuckDB is imported only where there are any."""
    asked = [(case, found) for case in cases if (found := list(_queries(case)))]
    if not asked:
        return []
    import duckdb

    problems = []
    with duckdb.connect(":memory:", config={"enable_external_access": False, "errors_as_json": True}) as connection:
        for number, (case, found) in enumerate(asked):
            connection.execute(f"ATTACH ':memory:' AS case_{number}")
            connection.execute(f"USE case_{number}")
            _make_tables(connection, case)
            problems += [one for query, where in found if (one := _problem(connection, query.sql, where))]
            connection.execute("USE memory")
            connection.execute(f"DETACH case_{number}")
    return problems


def _queries(case: Case) -> Iterator[tuple[Query, Expectation]]:
    for expectation in (*case.require, *case.expect):
        for form in (expectation.form, *expectation.control):
            if isinstance(form, Query):
                yield form, expectation


def _make_tables(connection: duckdb.DuckDBPyConnection, case: Case) -> None:
    schemas = ["main", *(f'"{arm}"' for arm in case.arms if arm != MAIN)]
    for schema in schemas:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for table in ("events", "marks", "server", "flows", *case.select):
            columns = ", ".join(f"{name} {kind}" for name, kind in (FLOW if table == "flows" else EVENT).items())
            connection.execute(f'CREATE TABLE {schema}."{table}" ({columns})')


def _problem(connection: duckdb.DuckDBPyConnection, sql: str, expectation: Expectation) -> Problem | None:
    import duckdb

    at, offset = expectation.at, 0
    try:
        (statement, *more) = connection.extract_statements(sql)
        if more or statement.type != duckdb.StatementType.SELECT:
            return _wrong("a query is one SELECT statement", at)
        offset = len(_PREPARE)
        connection.execute(_PREPARE + sql)
    except ValueError:
        return _wrong("the query is empty", at)
    except duckdb.Error as error:
        told = _told(str(error))
        message = "; ".join(told.exception_message.splitlines())
        return _wrong(f"the query cannot be run: {message}", _place(sql, told.position - offset, at))
    return None


def _wrong(message: str, at: Place) -> Problem:
    return Problem(message, at.file, at.line, at.column, f"{at.path}.query")


class _Told(msgspec.Struct):
    """An error of DuckDB. `position`: the place in the SQL in bytes, -1 where it does not say."""

    exception_message: str
    position: int = -1


def _told(text: str) -> _Told:
    try:
        return msgspec.json.decode(text[text.index("{") :], type=_Told, strict=False)
    except (ValueError, msgspec.DecodeError):
        return _Told(text.strip())


def _place(sql: str, position: int, at: Place) -> Place:
    """Where in the file a place of the SQL is: its lines stand there as they are, below `at`, indented."""
    if position < 0:
        return at
    before = sql.encode()[:position].decode("utf-8", "replace")
    row, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    lines = Path(at.file).read_text(encoding="utf-8").splitlines()
    wanted = [line.strip() for line in sql.strip("\n").split("\n")]
    for start in range(at.line - 1, len(lines)):
        there = lines[start : start + len(wanted)]
        if len(there) == len(wanted) and all(one in line for one, line in zip(wanted, there, strict=True)):
            whole = sql.strip("\n").split("\n")[row]
            begins = lines[start + row].index(whole.strip()) - (len(whole) - len(whole.lstrip()))
            return Place(at.file, start + row + 1, begins + column + 1, at.path)
    return at
