"""Baselines: the verdicts that are expected, with the reason why, for ranges of builds.

A file under `configs/baselines/`, or `*.baseline.yaml` beside a user's own scenarios, is a list:

    - claim: parse-html.endline-needs-blink
      verdict: REFUTED
      versions: ">=111"          # optional: every version
      modes: [headless, shell]   # optional: every mode
      raster: gpu                # optional: software, gpu or both (scenarios whose arms compare the two); every one
      reason: what Chrome does instead, and how it was found
      evidence: <sha256>         # optional: of a recording that shows it
      date: 2026-01-31

`traceproof baseline update` writes them (`rebaseline.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import ConfigError, Problem, ScenarioError
from harness.paths import below
from harness.scenario.model import MODES, RASTERS, Place
from harness.scenario.nodes import read
from harness.scenario.report import Invalid, Report
from harness.scenario.schema import Choice, Fields, Key, Keys, ListOf
from harness.scenario.words import PROSE, SCENARIO_ID, VERSIONS, text_like
from harness.verdict import Verdict
from harness.versions import EVERY, VersionRange
from harness.wording import did_you_mean


@dataclass(frozen=True, slots=True)
class Entry:
    """One expected verdict."""

    claim: str
    verdict: Verdict
    reason: str
    date: str  # ISO 8601
    at: Place
    versions: VersionRange = EVERY
    modes: tuple[str, ...] = ()  # empty: every mode
    raster: str = ""  # empty: every one
    evidence: str = ""  # sha256 of a recording that shows it

    def covers(self, major: int, mode: str, raster: str) -> bool:
        return (
            self.versions.contains(major)
            and (not self.modes or mode in self.modes)
            and (not self.raster or raster == self.raster)
        )


@dataclass(frozen=True, slots=True)
class Baselines:
    """All entries; a claim that none covers is expected to hold. Of several that cover one, the last one counts."""

    entries: tuple[Entry, ...] = ()

    def find(self, claim: str, major: int, mode: str, raster: str) -> Entry | None:
        fitting = [entry for entry in self.entries if entry.claim == claim and entry.covers(major, mode, raster)]
        return fitting[-1] if fitting else None

    def expected(self, claim: str, major: int, mode: str, raster: str) -> Verdict:
        entry = self.find(claim, major, mode, raster)
        return entry.verdict if entry else Verdict.HOLDS


def _date(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError(f'"{text}" is not a date')
    return text


def _digest(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError(f'"{text}" is not a sha256')
    return text


def _build(fields: Fields, report: Report) -> Any:
    return Entry(
        fields["claim"],
        Verdict(fields["verdict"]),
        fields["reason"],
        fields["date"],
        fields.node.at,
        fields.get("versions", EVERY),
        tuple(fields.get("modes", ())),
        fields.get("raster", ""),
        fields.get("evidence", ""),
    )


_ENTRY = Keys(
    "baseline entry",
    {
        "claim": Key(SCENARIO_ID, "the id of a claim", required=True),
        "verdict": Key(Choice(tuple(Verdict), "verdict"), "what is expected", required=True),
        "reason": Key(PROSE, "why", required=True),
        "date": Key(text_like("a date such as 2026-01-31", _date), "when it was seen", required=True),
        "evidence": Key(text_like("a sha256 in hexadecimal", _digest), "of a recording that shows it"),
        "versions": Key(VERSIONS, "Chrome versions; every one if not given"),
        "modes": Key(ListOf(Choice(MODES, "mode"), at_least=1), "modes; every one if not given"),
        "raster": Key(Choice(RASTERS, "way to raster"), "how the scenario's arms raster; every one if not given"),
    },
    _build,
)
_FILE = ListOf(_ENTRY)


def baseline_files(configs: Path, folders: Iterable[Path] = ()) -> list[Path]:
    """Our own files, then those in a user's scenario folders."""
    own = sorted((configs / "baselines").glob("*.yaml"))
    return [*own, *sorted({path for folder in folders for path in below(folder, "*.baseline.yaml")})]


def load_baselines(files: Sequence[Path], claims: Collection[str] | None = None) -> Baselines:
    """Read files in order. `ConfigError` names every mistake of every file; a claim not in `claims` is one too."""
    entries, problems = survey_baselines(files, claims)
    if problems:
        raise ConfigError(problems)
    return Baselines(tuple(entries))


def survey_baselines(
    files: Sequence[Path], claims: Collection[str] | None = None
) -> tuple[list[Entry], Sequence[Problem]]:
    """As `load_baselines`, but problems are answered beside the entries that are sound."""
    report = Report()
    entries: list[Entry] = []
    for file in files:
        try:
            root, _ = read(file)
        except ScenarioError as error:
            report.problems.extend(error.problems)
            continue
        _FILE.read(root, report)
        for node in root.parts():
            if not isinstance(entry := _ENTRY.read(node, Report()), Invalid):
                entries.append(entry)
            claim = node.get("claim")
            if claims is not None and claim and isinstance(claim.value, str) and claim.value not in claims:
                remedy = did_you_mean(claim.value, claims, otherwise="`traceproof claims list` shows what there is")
                report.add(claim.at, f'there is no claim "{claim.value}"', remedy=remedy)
    return entries, report.problems
