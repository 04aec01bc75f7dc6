"""The tables of a `query`: made only when the SQL names them, filled without decoding arguments."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from harness.errors import Problem, ScenarioError
from harness.expect.forms.result import Scope
from harness.expect.items import Item, Pseudo, marks, requests
from harness.expect.select import Picker
from harness.expect.values import process_name, thread_name
from harness.scenario.model import MAIN, Place

if TYPE_CHECKING:
    import duckdb

Columns = dict[str, str]
EVENT: Final[Columns] = {
    "seq": "BIGINT",
    "name": "VARCHAR",
    "cat": "VARCHAR",
    "ph": "VARCHAR",
    "kind": "VARCHAR",
    "ts": "DOUBLE",
    "dur": "DOUBLE",
    "tts": "DOUBLE",
    "tdur": "DOUBLE",
    "written": "BIGINT",
    "pid": "BIGINT",
    "tid": "BIGINT",
    "id": "VARCHAR",
    "scope": "VARCHAR",
    "process": "VARCHAR",
    "thread": "VARCHAR",
    "depth": "BIGINT",
    "parent": "VARCHAR",
    "parent_seq": "BIGINT",
    "args": "JSON",
}
FLOW: Final[Columns] = {
    "name": "VARCHAR",
    "cat": "VARCHAR",
    "id": "VARCHAR",
    "source_seq": "BIGINT",
    "target_seq": "BIGINT",
    "source_slice_seq": "BIGINT",
    "target_slice_seq": "BIGINT",
    "source_ts": "DOUBLE",
    "target_ts": "DOUBLE",
}
ROWS_AT_ONCE: Final = 20_000
MOST_TABLES: Final = 60
MOST_ROWS: Final = 100_000
_PATH_INTO_ARGS: Final = re.compile(r"\b(?:\w+\s*\.\s*)?args\s*(?:->>?\s*'[^']*'\s*)+")


class Tables:
    """Makes what a query needs in one connection: `t` of the form's own arm, `arm.t` of the others."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, scope: Scope, kept: Kept) -> None:
        self._connection, self._scope, self._kept = connection, scope, kept
        self._rows: dict[str, int] = {}  # how many each table has, by its quoted name
        self._tree: Any = {}

    def create(self, sql: str) -> None:
        """Make every table that the SQL names; anything but one SELECT, and one of no table, is a `ScenarioError`."""
        self._kept.make_room(self._connection)
        for schema, table in sorted(self._tables_of(sql)):
            if not schema or schema == MAIN:  # DuckDB's own schema has the name of a scenario's only arm
                self._make(table, f'"{table}"', self._scope.picker)
            elif schema in self._scope.arms:
                self._connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
                self._make(table, f'"{schema}"."{table}"', self._scope.picker.sibling(schema))

    @property
    def names(self) -> list[str]:
        return list(self._rows)

    def starving(self) -> list[str]:
        """Tables without rows that leave the query nothing to look at, whatever its conditions say."""
        statements = self._tree.get("statements") or [{}]
        return list(dict.fromkeys(self._without_rows(statements[0].get("node"), {})))

    def counts(self) -> bool:
        """Whether the answer is a count, which has a row even where nothing was counted."""
        node = (self._tree.get("statements") or [{}])[0].get("node") or {}
        return '"function_name":"count' in msgspec.json.encode(node.get("select_list", [])).decode()

    def paths_to_nothing(self, sql: str) -> list[str]:
        """JSON paths into `args` that lead to a value in no row of any table, as one with a mistake in it does."""
        lost = []
        for path in dict.fromkeys(found[0].strip() for found in _PATH_INTO_ARGS.finditer(sql)):
            column = re.sub(r"^\w+\s*\.\s*", "", path)
            whole = column.replace("->>", "->")
            tables = " UNION ALL ".join(f"SELECT args FROM {table}" for table in self._rows if self._has_args(table))
            if (
                not tables
                or not self._connection.execute(
                    f"SELECT 1 FROM ({tables}) WHERE ({whole}) IS NOT NULL LIMIT 1"
                ).fetchone()
            ):
                lost.append(path)
        return lost

    def _has_args(self, table: str) -> bool:
        return not table.endswith('"flows"')

    def _without_rows(self, node: Any, known: dict[str, Any]) -> Iterator[str]:
        """The empty tables because of which `node` has no rows; nothing where it may have some."""
        if not isinstance(node, dict):
            return
        known = known | {one["key"]: one["value"].get("query", one["value"]) for one in _ctes(node)}
        below = partial(self._without_rows, known=known)
        match node.get("type"):
            case "BASE_TABLE":
                schema, table = node.get("schema_name", ""), node["table_name"]
                if not schema and table in known:
                    query = known[table]
                    yield from self._without_rows(query.get("node") or query.get("query_node"), known)
                quoted = f'"{table}"' if not schema or schema == MAIN else f'"{schema}"."{table}"'
                if self._rows.get(quoted) == 0:
                    yield quoted.replace('"', "")
            case "SELECT_NODE":
                yield from below(node.get("from_table"))
            case "SUBQUERY":
                yield from below(node["subquery"].get("node"))
            case "JOIN":
                left, right = list(below(node["left"])), list(below(node["right"]))
                match node.get("join_type"):
                    case "LEFT" | "ANTI" | "SINGLE":
                        yield from left
                    case "RIGHT":
                        yield from right
                    case "OUTER" | "FULL":
                        yield from left + right if left and right else []
                    case _:
                        yield from left + right
            case "SET_OPERATION_NODE":
                sides = [list(below(side)) for side in node.get("children") or (node.get("left"), node.get("right"))]
                if all(sides):
                    yield from (table for side in sides for table in side)

    def _tables_of(self, sql: str) -> set[tuple[str, str]]:
        """Tables by schema and name, from DuckDB's own parser."""
        if sql not in self._kept.trees:
            statements = self._connection.extract_statements(sql)
            found = self._connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
            tree: Any = msgspec.json.decode(found[0]) if found else {}
            if len(statements) != 1 or (tree.get("error") and tree.get("error_type") == "not implemented"):
                raise _wrong("a query is one SELECT statement", self._scope.at)
            self._kept.trees[sql] = tree, set(_base_tables(tree))
        self._tree, tables = self._kept.trees[sql]
        return tables

    def _make(self, name: str, quoted: str, picker: Picker) -> None:
        if name == "flows":
            self._fill(quoted, FLOW, _flow_rows(picker))
        elif name == "events":
            self._fill(quoted, EVENT, _event_rows(picker.trace.every(), picker))
        elif name == "marks":
            self._fill(quoted, EVENT, _event_rows(marks(picker.context), picker))
        elif name == "server":
            self._fill(quoted, EVENT, _event_rows(requests(picker.context), picker))
        elif name in picker.select:
            found = picker.named(name, self._scope.at)
            self._fill(quoted, EVENT, _event_rows(found.items, found.picker))
        # Any other name is a common table expression, or a mistake that DuckDB will name.

    def _fill(self, quoted: str, columns: Columns, rows: Iterator[dict[str, Any]]) -> None:
        encoder = msgspec.json.Encoder()
        # The separator is a letter that JSON never holds. The text of some arguments is no UTF-8: Chrome cuts URLs
        # inside a character.
        texts = (b"\x1e".join(map(encoder.encode, batch)).decode("utf-8", "replace") for batch in _batches(rows))
        table, self._rows[quoted] = self._kept.table(self._connection, columns, list(texts))
        self._connection.execute(f"CREATE VIEW {quoted} AS FROM {table}")


class Kept:
    """Tables of what was asked for last, by all that is in them. Several queries look at one selection, and a mutant of
    a recording changes few of them; so do the trees of their SQL.

    `home`: the schema that holds them. They go, the oldest first, once there are too many rows.
    """

    def __init__(self, home: str) -> None:
        self._home, self._tables = home, dict[bytes, tuple[str, int]]()
        self._numbers = count()
        self.trees: dict[str, tuple[Any, set[tuple[str, str]]]] = {}

    def make_room(self, connection: duckdb.DuckDBPyConnection) -> None:
        rows = sum(size for _, size in self._tables.values())
        while len(self._tables) > MOST_TABLES or rows > MOST_ROWS:
            table, size = self._tables.pop(next(iter(self._tables)))
            rows -= size
            connection.execute(f"DROP TABLE {table}")

    def table(self, connection: duckdb.DuckDBPyConnection, columns: Columns, texts: Sequence[str]) -> tuple[str, int]:
        """The table that holds the rows of these texts, and how many they are."""
        digest = hashlib.sha256(msgspec.json.encode((list(columns), texts))).digest()
        if digest not in self._tables:
            self._tables[digest] = self._made(connection, columns, texts)
        self._tables[digest] = self._tables.pop(digest)  # the last used is the last to go
        return self._tables[digest]

    def _made(self, connection: duckdb.DuckDBPyConnection, columns: Columns, texts: Sequence[str]) -> tuple[str, int]:
        table = f"{self._home}.kept_{next(self._numbers)}"
        connection.execute(f"CREATE TABLE {table} ({', '.join(f'{n} {t}' for n, t in columns.items())})")
        shape = msgspec.json.encode(columns).decode()
        lines = (
            f"SELECT from_json_strict(line, '{shape}') AS row FROM (SELECT unnest(string_split(?, chr(30))) AS line)"
        )
        for text in texts:
            connection.execute(f"INSERT INTO {table} SELECT row.* FROM ({lines})", [text])
        return table, sum(text.count("\x1e") + 1 for text in texts)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        yield batch


def _ctes(node: dict[str, Any]) -> list[dict[str, Any]]:
    return (node.get("cte_map") or {}).get("map") or []


def _base_tables(node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        if node.get("type") == "BASE_TABLE":
            yield node.get("schema_name", ""), node["table_name"]
        for part in node.values():
            yield from _base_tables(part)
    elif isinstance(node, list):
        for part in node:
            yield from _base_tables(part)


def _event_rows(items: Iterable[Item], picker: Picker) -> Iterator[dict[str, Any]]:
    for item in items:
        yield {
            "seq": item.seq,
            "name": item.name,
            "cat": item.cat,
            "ph": item.ph,
            "kind": item.kind,
            "ts": item.ts,
            "dur": item.dur,
            "tts": item.tts,
            "tdur": item.tdur,
            "written": item.written,
            "pid": item.pid,
            "tid": item.tid,
            "id": item.id,
            "scope": item.scope or None,
            "process": process_name(item, picker.trace),
            "thread": thread_name(item, picker.trace),
            "depth": item.depth,
            "parent": item.parent.name if item.parent else None,
            "parent_seq": item.parent.seq if item.parent else None,
            "args": item.args if isinstance(item, Pseudo) else item.raw_args,
        }


def _flow_rows(picker: Picker) -> Iterator[dict[str, Any]]:
    for flow in picker.trace.flows:
        yield {
            "name": flow.name,
            "cat": flow.cat,
            "id": flow.id,
            "source_seq": flow.source.seq,
            "target_seq": flow.target.seq,
            "source_slice_seq": flow.source_slice.seq if flow.source_slice else None,
            "target_slice_seq": flow.target_slice.seq if flow.target_slice else None,
            "source_ts": flow.source.ts,
            "target_ts": flow.target.ts,
        }


def _wrong(message: str, at: Place) -> ScenarioError:
    return ScenarioError(Problem(message, at.file, at.line, at.column, at.path))
