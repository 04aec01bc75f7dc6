"""Finds the truth tables of `docs/expectations.md` and makes of each row a scenario file and its recordings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.expect import evaluate
from harness.scenario.load import load_file
from tests.expect import notation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "expectations.md"
ARMS = ("plain", "tracking")
HEAD = """\
scenario: truth.row
title: A row of a truth table
claims: [truth.row]
record: {categories: [devtools.timeline]}
steps: [{mark: opened}, {evaluate: "1", as: reads}, {mark: closed}]
"""
_HEADER = re.compile(r"\|\s*events\s*\|\s*expectation\s*\|\s*outcome\s*\|\s*why\s*\|")
_SELECTION = re.compile(r"  (\w+): (\{.*\})")


@dataclass(frozen=True)
class Row:
    line: int
    section: str
    events: str
    expectation: str
    outcome: str
    why: str
    select: Mapping[str, str]  # as written


def rows() -> Iterator[Row]:
    """Every row, with the selections that the page has defined above it."""
    select: dict[str, str] = {}
    section, in_table = "", False
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            section = line.removeprefix("## ").strip("` ")
        elif defined := _SELECTION.fullmatch(line):
            select[defined[1]] = defined[2]
        header = _HEADER.fullmatch(line) is not None
        in_table = header or (in_table and line.startswith("|"))
        if in_table and not header and not line.startswith("|---"):
            cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            events, expectation, outcome, why = cells
            yield Row(number, section, events.strip("`"), expectation.strip("`"), outcome, why, dict(select))


def scenario(row: Row) -> str:
    """The smallest scenario around a row's expectation: only the selections that it uses, arms where it has some."""
    chosen: dict[str, str] = {}
    text = row.expectation
    while more := {name for name in row.select.keys() - chosen if re.search(rf"(?<![\w/]){name}(?![\w:])", text)}:
        chosen |= {name: row.select[name] for name in more}
        text = " ".join([row.expectation, *chosen.values()])
    lines = [HEAD]
    if any(re.search(rf"\b{arm}\b", row.events + row.expectation) for arm in ARMS):
        lines.append("arms: {" + ", ".join(f"{arm}: {{}}" for arm in ARMS) + "}\n")
    if " / " in row.events:
        blocks = row.events.split(";")[0].count(" / ") + 1
        lines.append(f"design: {{paired: alternating, blocks: {blocks}}}\n")
    if chosen:
        lines += ["select:\n", *(f"  {name}: {selection}\n" for name, selection in chosen.items())]
    return "".join([*lines, f"expect:\n  - {{{row.expectation}}}\n"])


def outcome(row: Row, folder: Path) -> tuple[str, str]:
    """What the engine answers, and everything that it says about it. A `ScenarioError` is for the caller."""
    path = folder / "row.scenario.yaml"
    path.write_text(scenario(row), encoding="utf-8")
    (case,) = load_file(path, claims={"truth.row": None}, fixtures_roots=[])  # type: ignore[dict-item]
    (finding,) = evaluate(case, notation.read(row.events))
    notes = [event.note for event in (*finding.matched, *finding.misses)]
    return str(finding.outcome), "\n".join([finding.summary, *finding.details, *notes])
