"""Expectations put to mutants of recordings that are written in the notation of `docs/expectations.md`."""

from __future__ import annotations

from pathlib import Path

from harness.mutate import CaseMutations, Mutations, examine
from harness.scenario.load import load_file
from harness.scenario.model import Case
from tests.expect import notation

HEAD = """\
scenario: mutated.case
title: Something to mutate
claims: [mutated.case]
record: {categories: [devtools.timeline]}
steps: [{mark: opened}, {evaluate: "1", as: reads}, {mark: closed}]
"""
SELECT = {"a": "{name: A}", "b": "{name: B}", "c": "{name: C}"}


def load(folder: Path, expectation: str, arms: bool = False, blocks: int = 1, **select: str) -> Case:
    """A case with one expectation, written as YAML; `select` adds to the selections a, b and c."""
    lines = [HEAD]
    if arms:
        lines.append("arms: {plain: {}, tracking: {}}\n")
    if blocks > 1:
        lines.append(f"design: {{paired: alternating, blocks: {blocks}}}\n")
    chosen = {**SELECT, **select}
    used = dict[str, str]()
    while more := {n: s for n, s in chosen.items() if n not in used and _mentioned(n, expectation, *used.values())}:
        used |= more
    if used:
        lines += ["select:\n", *(f"  {name}: {text}\n" for name, text in used.items())]
    path = folder / "mutated.scenario.yaml"
    path.write_text("".join([*lines, f"expect:\n  - {{{expectation}}}\n"]), encoding="utf-8")
    (case,) = load_file(path, claims={"mutated.case": None}, fixtures_roots=[])  # type: ignore[dict-item]
    return case


def _mentioned(name: str, *texts: str) -> bool:
    import re

    return any(re.search(rf"(?<![\w/.]){name}(?![\w:])", text) for text in texts)


def mutate(folder: Path, events: str, expectation: str, **select: str) -> Mutations:
    """What mutation finds out about one expectation on one recording."""
    arms = "plain:" in events
    blocks = events.split(";")[0].count(" / ") + 1
    (found,) = result(folder, events, expectation, arms, blocks, **select).expectations
    return found


def result(folder: Path, events: str, expectation: str, arms: bool, blocks: int, **select: str) -> CaseMutations:
    return examine(load(folder, expectation, arms, blocks, **select), notation.read(events))
