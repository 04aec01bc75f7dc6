"""`query`: any relation, in DuckDB's SQL over the selections and events of the recording."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from harness.errors import Problem, ScenarioError
from harness.events import EventView
from harness.expect.evidence import MOST, near_misses, phrase, view
from harness.expect.forms.result import Result, Scope
from harness.expect.forms.tables import Kept, Tables
from harness.expect.measures import counted, sizes
from harness.expect.values import canonical, show
from harness.scenario.model import Query
from harness.wording import plural

if TYPE_CHECKING:
    import duckdb

LONGEST_S = 60.0
_numbers = count()
_one_at_a_time = threading.Lock()


def query(form: Query, scope: Scope) -> Result:
    over = scope.population(form.over) if form.over else None
    asked = f"asked for {_wanted(form)} of the query" + (f" over {phrase(over)}" if over is not None else "")
    if over is not None and not over.items:
        misses, hints = near_misses(over)
        return Result(False, f"{asked}; there is no `{over.label}`", hints, misses=misses, measures=sizes([over]))
    columns, rows, nothing = _run(form.sql, scope, counted=over is None)
    met = _as_wanted(form, rows)
    size = over.size if over is not None else len(rows)
    details = [f"{', '.join(columns)}: {', '.join(show(value) for value in row)}" for row in rows[:MOST]]
    summary = f"{asked}; found {plural(len(rows), 'row')}"
    events = _events(columns, rows, scope, "in the query's answer" if met else "missed: in the query's answer")
    # Without rows and without a population that could have given some, the answer is an absence.
    absences = ("the query's rows",) if not rows and over is None else ()
    absences = (*absences, *nothing)
    measures = (counted("rows", len(rows), "rows"), *sizes([over] if over is not None else []))
    return Result(met, summary, details, size, events if met else [], [] if met else events, absences, measures)


def _wanted(form: Query) -> str:
    if form.rows is not None:
        return f"the {plural(len(form.rows), 'row')} {show([list(row) for row in form.rows])}"
    return f"{form.count} rows"


def _as_wanted(form: Query, rows: list[tuple[Any, ...]]) -> bool:
    """Rows are compared in the order in which the query gives them, with typed equality."""
    if form.rows is not None:
        return [canonical(row) for row in rows] == [canonical(row) for row in form.rows]
    assert form.count is not None
    return form.count.accepts(len(rows))


def _events(columns: list[str], rows: list[tuple[Any, ...]], scope: Scope, note: str) -> list[EventView]:
    """The events that the rows name in a column `seq`."""
    if "seq" not in columns:
        return []
    wanted = [row[columns.index("seq")] for row in rows[:MOST]]
    by_seq = {event.seq: event for event in scope.picker.trace.events if event.seq in set(wanted)}
    return [view(by_seq[seq], scope.picker, note) for seq in wanted if seq in by_seq]


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    """DuckDB, started once in a process: its start costs ten times as much as a query.

    No file, network, extension or setting is in reach of a scenario's SQL, nor are the variables of this process.
    """
    import duckdb  # half a second to import, and most scenarios have no query

    return duckdb.connect(
        ":memory:",
        config={
            "enable_external_access": False,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "lock_configuration": True,
            "threads": 2,
            "memory_limit": "2GB",
        },
    )


@cache
def _kept() -> Kept:
    return Kept("memory.main")


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose views are its own, gone when it ends. One at a time: workers judge side by side, and the kept
    tables under the views are everybody's."""
    with _one_at_a_time:
        connection, name = _engine().cursor(), f"traceproof_{next(_numbers)}"
        try:
            connection.execute(f"ATTACH ':memory:' AS {name}")
            connection.execute(f"USE {name}")
            yield connection
        finally:
            connection.execute("USE memory")
            connection.execute(f"DETACH DATABASE IF EXISTS {name}")
            connection.close()


def _run(sql: str, scope: Scope, counted: bool) -> tuple[list[str], list[tuple[Any, ...]], list[str]]:
    """Columns, rows, and what was empty so that the query could not have answered otherwise."""
    import duckdb

    with _database() as connection:
        try:
            tables = Tables(connection, scope, _kept())
            tables.create(sql)
            with _time_limit(connection):
                connection.execute(sql)
                columns = [column[0] for column in connection.description or ()]
                rows = [tuple(map(_plain, row)) for row in connection.fetchall()]
            if not tables.names:
                message = "the query looks at no table of the recording, so nothing could make it answer otherwise"
                raise _wrong(message, scope)
            return columns, rows, _nothing(tables, sql, rows, counted)
        except duckdb.InterruptException:
            raise _wrong(f"the query took more than {LONGEST_S:.0f} s", scope) from None
        except duckdb.Error as error:
            raise _wrong(f"the query cannot be run: {str(error).strip()}", scope) from None


def _nothing(tables: Tables, sql: str, rows: list[tuple[Any, ...]], counted: bool) -> list[str]:
    nothing = tables.starving()
    zero = counted and bool(rows) and tables.counts() and all(value == 0 for row in rows for value in row)
    if zero and not nothing:
        nothing.append("what the query counts")
    if not rows or zero:
        nothing += [f"value at {path}" for path in tables.paths_to_nothing(sql)]
    return nothing


class _time_limit:
    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._timer = threading.Timer(LONGEST_S, connection.interrupt)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def _plain(value: Any) -> Any:
    """SQL values as the JSON values that a scenario can write; what JSON has no word for becomes text."""
    from decimal import Decimal

    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_plain(element) for element in value]
        case dict():
            return {str(key): _plain(element) for key, element in value.items()}
    return str(value)


def _wrong(message: str, scope: Scope) -> ScenarioError:
    at = scope.at
    return ScenarioError(Problem(message, at.file, at.line, at.column, at.path))
