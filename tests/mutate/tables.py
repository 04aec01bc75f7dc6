"""Reads the tables of `docs/mutation.md`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mutation.md"
_SELECTION = re.compile(r"  (\w+): (\{.*\})")


@dataclass(frozen=True)
class Row:
    """`told`: the kinds of contradiction, or the words of the fault; empty where the cell is about a query."""

    line: int
    events: str
    expectation: str
    told: tuple[str, ...]
    select: Mapping[str, str]

    def __str__(self) -> str:
        return f"line {self.line}: {self.expectation[:60]}"


def rows(column: str) -> list[Row]:
    """The rows of the table whose third column has this name."""
    select: dict[str, str] = {}
    found: list[Row] = []
    inside = False
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        if defined := _SELECTION.fullmatch(line):
            select[defined[1]] = defined[2]
        if line == f"| events | expectation | {column} |":
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            events, expectation, told = (
                cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]
            )
            kinds = () if told.startswith("a query") else tuple(told.strip("“”").split(", "))
            found.append(Row(number, events.strip("`"), expectation.strip("`"), kinds, select))
    return found
