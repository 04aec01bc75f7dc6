"""The part of the report that is there at once: every verdict as columns of small numbers, texts once each.

2,500 claims on 8 builds are 20,000 verdicts; as objects they would take seconds to parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.events import CaseResult, ClaimVerdict, RunResult
from harness.evidence.sources import ClaimWords, Reported
from harness.report.near import nearest_miss, shortened, telling
from harness.verdict import Verdict
from harness.versions import parse_version

WORDS = list(Verdict)
Column = tuple[str, str, str]  # version, mode, raster: what a verdict is of
_Cell = tuple[int, int]  # claim and column
_Said = tuple[int, ClaimVerdict]  # in which run
_CELL = (
    "claim",
    "column",
    "run",
    "word",
    "expected",
    "drift",
    "met",
    "valid",
    "attempts",
    "why",
    "near",
    "known",
    "cases",
)


class Texts:
    """Texts by number, each once; 0 is the empty one."""

    def __init__(self) -> None:
        self.list: list[str] = [""]
        self._places: dict[str, int] = {"": 0}

    def place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self.list)
            self.list.append(text)
        return self._places[text]


class Index:
    """Collects the index of all runs. Of several verdicts on one claim, build and mode the latest run's counts.

    cases: every case result with its number, as the cells name it.
    """

    def __init__(self, runs: Sequence[Reported], words: Mapping[str, ClaimWords]) -> None:
        self.runs = sorted(runs, key=lambda one: one.result.header.started)
        self._words = words
        self._texts = Texts()
        self.cases: list[tuple[Reported, CaseResult]] = [(run, case) for run in self.runs for case in run.result.cases]
        self._run = {id(run): number for number, run in enumerate(self.runs)}
        results = [run.result for run in self.runs]
        # Of two names the one of what was run: a case that does not apply has the name of any build that was found.
        labelled = sorted((one for result in results for one in _labelled(result)), key=_was_run)
        self._product = {column_of(one): one.build.product for one in labelled}
        self.columns = sorted(self._product, key=_column_order)
        self._column = {column: i for i, column in enumerate(self.columns)}
        found = [one for result in results for one in result.verdicts]
        self.claims = sorted({one.claim: one for one in found}.values(), key=lambda one: (one.event, one.claim))
        self._claim = {one.claim: i for i, one in enumerate(self.claims)}

    def build(self, chunks: Sequence[int], *, made: str, version: str) -> dict[str, Any]:
        """The whole index. chunks: for each case, the number of the block that has its details."""
        newest, before = self._verdicts()
        return {
            "made": made,
            "version": version,
            "words": [str(word) for word in WORDS],
            "runs": [_run(run.result) for run in self.runs],
            "columns": [
                {"product": self._product[version, mode, raster], "version": version, "mode": mode, "raster": raster}
                for version, mode, raster in self.columns
            ],
            "claims": self._claim_columns(),
            "cells": self._cell_columns(newest),
            "earlier": {
                "claim": [claim for (claim, _), _ in before],
                "column": [column for (_, column), _ in before],
                "run": [run for _, (run, _) in before],
                "word": [WORDS.index(one.verdict) for _, (_, one) in before],
                "met": [one.met for _, (_, one) in before],
                "valid": [one.valid for _, (_, one) in before],
            },
            "cases": self._case_columns(chunks),
            "texts": self._texts.list,  # last: what is above has filled it
        }

    def _claim_columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"id": [], "event": [], "kind": [], "says": [], "refutedBy": []}
        for one in self.claims:
            words = self._words.get(one.claim, ClaimWords())
            columns["id"].append(one.claim)
            columns["event"].append(self._texts.place(one.event or words.event))
            columns["kind"].append(self._texts.place(words.kind))
            columns["says"].append(self._texts.place(one.says or words.says))
            columns["refutedBy"].append(self._texts.place(words.refuted_by))
        return columns

    def _verdicts(self) -> tuple[dict[_Cell, _Said], list[tuple[_Cell, _Said]]]:
        """The verdicts that count, and those of earlier runs on the same build and mode."""
        newest: dict[_Cell, _Said] = {}
        before: list[tuple[_Cell, _Said]] = []
        for number, run in enumerate(self.runs):
            for one in run.result.verdicts:
                cell = self._claim[one.claim], self._column[column_of(one)]
                if cell in newest:
                    before.append((cell, newest[cell]))
                newest[cell] = number, one
        return newest, before

    def _deciding(self) -> dict[tuple[int, int, str], list[int]]:
        """The cases that decide a claim, by run, column and claim."""
        found: dict[tuple[int, int, str], list[int]] = {}
        for number, (reported, case) in enumerate(self.cases):
            for claim in case.verdicts:
                key = self._run[id(reported)], self._column[column_of(case)], claim
                found.setdefault(key, []).append(number)
        return found

    def _cell_columns(self, newest: Mapping[_Cell, _Said]) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {name: [] for name in _CELL}
        interval: dict[int, list[float]] = {}
        deciding = self._deciding()
        for place, ((claim, column), (run, one)) in enumerate(sorted(newest.items(), key=lambda item: item[0])):
            numbers = deciding.get((run, column, one.claim), [])
            row = {
                "claim": claim,
                "column": column,
                "run": run,
                "word": WORDS.index(one.verdict),
                "expected": WORDS.index(one.expected),
                "drift": int(one.drift),
                "met": one.met,
                "valid": one.valid,
                "attempts": one.attempts,
                "why": self._texts.place(one.reason),
                "near": self._texts.place(self._near(one, numbers)),
                "known": self._texts.place(one.baseline_reason),
                "cases": numbers,
            }
            for name, values in columns.items():
                values.append(row[name])
            if one.verdict is Verdict.SOMETIMES:
                interval[place] = [round(one.low, 4), round(one.high, 4)]
        return {**columns, "interval": interval}

    def _near(self, one: ClaimVerdict, cases: Sequence[int]) -> str:
        """The nearest miss of a verdict that does not hold, in words. `cases`: those that decide it, by number."""
        found = None if one.verdict is Verdict.HOLDS else telling(one, (self.cases[number][1] for number in cases))
        miss = nearest_miss(found[1]) if found else None
        return shortened(f"{miss.name} {miss.note.removeprefix('missed: ')}") if miss else ""

    def _case_columns(self, chunks: Sequence[int]) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {
            name: [] for name in ("name", "title", "column", "run", "seconds", "attempts", "invalid", "chunk")
        }
        for (reported, case), chunk in zip(self.cases, chunks, strict=True):
            columns["name"].append(self._texts.place(case.name))
            columns["title"].append(self._texts.place(case.title))
            columns["column"].append(self._column[column_of(case)])
            columns["run"].append(self._run[id(reported)])
            columns["seconds"].append(round(sum(one.seconds for one in case.attempts), 1))
            columns["attempts"].append(len(case.attempts))
            columns["invalid"].append(sum(not one.valid for one in case.attempts))
            columns["chunk"].append(chunk)
        return columns


def column_of(one: ClaimVerdict | CaseResult) -> Column:
    return one.build.version, one.mode, one.raster


def _was_run(one: ClaimVerdict | CaseResult) -> bool:
    return bool(one.attempts)


def _labelled(result: RunResult) -> list[ClaimVerdict | CaseResult]:
    return [*result.verdicts, *result.cases]


def _column_order(column: Column) -> tuple[Any, ...]:
    version, mode, raster = column
    return mode, raster, _version_order(version)


def _version_order(version: str) -> tuple[int, ...]:
    try:
        return parse_version(version)
    except ValueError:  # a stored trace that does not tell
        return (0,)


def _run(result: RunResult) -> dict[str, Any]:
    header = result.header
    return {
        "started": header.started,
        "command": header.command,
        "machine": header.machine,
        "version": header.traceproof,
        "folder": result.folder,
        "ledger": result.ledger,
        "seconds": round(result.footer.seconds, 1),
    }
