"""The layout of a census on disk: four tables in Parquet, each a folder of parts whose rows add up.

`docs/census.md` describes it for other engines; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from harness.census.tally import Tally

if TYPE_CHECKING:
    import duckdb

LAYOUT: Final = 1
TABLES: Final[dict[str, dict[str, str]]] = {
    "traces": {"trace": "VARCHAR", "bytes": "BIGINT", "records": "BIGINT", "span_us": "DOUBLE"},
    "events": {
        "trace": "VARCHAR",
        "name": "VARCHAR",
        "cat": "VARCHAR",
        "ph": "VARCHAR",
        "process": "VARCHAR",
        "thread": "VARCHAR",
        "records": "BIGINT",
    },
    "durations": {"trace": "VARCHAR", "name": "VARCHAR", "ph": "VARCHAR", "dur_us": "DOUBLE", "events": "BIGINT"},
    "arguments": {
        "trace": "VARCHAR",
        "name": "VARCHAR",
        "path": "VARCHAR",
        "types": "VARCHAR",
        "events": "BIGINT",
    },
}


def parts_of(table: str, folder: Path) -> Path:
    """The pattern that all parts of a table match."""
    return folder / table / "*.parquet"


def is_layout(folder: Path) -> bool:
    """Whether a folder holds the parts of a census."""
    return any((folder / "traces").glob("*.parquet"))


def write_part(tallies: Iterable[Tally], folder: Path, number: int, connection: duckdb.DuckDBPyConnection) -> None:
    """Write the rows of some traces as one part of each table. The folders of the tables are there."""
    drafts = {table: folder / table / f".{number:06}.ndjson" for table in TABLES}
    files = {table: draft.open("wb") for table, draft in drafts.items()}
    try:
        for one in tallies:
            for table, row in _rows(one):
                files[table].write(msgspec.json.encode(dict(zip(TABLES[table], row, strict=True))) + b"\n")
    finally:
        for file in files.values():
            file.close()
    for table, draft in drafts.items():
        if draft.stat().st_size:
            part = draft.with_name(f"part-{number:06}.parquet")
            connection.execute(
                f"COPY (SELECT * FROM read_json(?, format='newline_delimited', columns={TABLES[table]})) "
                f"TO '{_quoted(part)}' (FORMAT parquet, COMPRESSION zstd)",
                [str(draft)],
            )
        draft.unlink()


def _rows(one: Tally) -> Iterator[tuple[str, tuple[Any, ...]]]:
    trace = str(one.path)
    yield "traces", (trace, one.size, one.records, one.span_us)
    for event, count in one.events.items():
        yield "events", (trace, *event, count)
    for duration, count in one.durations.items():
        yield "durations", (trace, *duration, count)
    for argument, count in one.arguments.items():
        yield "arguments", (trace, *argument, count)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
