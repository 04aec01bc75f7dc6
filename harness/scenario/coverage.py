"""How much of what is claimed the scenarios decide: total, decided, undecidable, open, in all and by event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness import paths
from harness.errors import ConfigError
from harness.scenario.model import Case, Claim
from harness.scenario.nodes import read
from harness.scenario.report import Invalid, Report
from harness.scenario.schema import Key, Keys, ListOf, MapOf
from harness.scenario.words import PROSE, SCENARIO_ID


@dataclass(frozen=True)
class Checklist:
    """The ids of all claims that the manual makes, and the event names, both by slug."""

    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    events: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tally:
    """Claim ids in order. `undecidable` and `open` with the reason; an open one that nobody wrote down has none."""

    decided: tuple[str, ...]
    undecidable: Mapping[str, str]
    open: Mapping[str, str]

    @property
    def total(self) -> int:
        return len(self.decided) + len(self.undecidable) + len(self.open)


@dataclass(frozen=True)
class Coverage:
    """`by_event` by slug; `events` has the names that traces use."""

    by_event: Mapping[str, Tally]
    events: Mapping[str, str]

    @property
    def total(self) -> int:
        return sum(tally.total for tally in self.by_event.values())

    @property
    def decided(self) -> int:
        return sum(len(tally.decided) for tally in self.by_event.values())

    @property
    def undecidable(self) -> int:
        return sum(len(tally.undecidable) for tally in self.by_event.values())

    @property
    def open(self) -> int:
        return sum(len(tally.open) for tally in self.by_event.values())


_FILE = MapOf(
    Keys("event", {"event": Key(PROSE, required=True), "claims": Key(ListOf(SCENARIO_ID, at_least=1), required=True)}),
    "a slug",
)


@cache
def own_checklist() -> Checklist:
    """The checklist of the repository."""
    return read_checklist(paths.configs_root() / "checklist.yaml")


def read_checklist(path: Path) -> Checklist:
    """The checklist of a file; `ConfigError` when it is not one."""
    report = Report()
    root, _ = read(path)
    entries = _FILE.read(root, report)
    if isinstance(entries, Invalid):
        raise ConfigError(report.problems)
    return Checklist(
        {slug: entry["claims"] for slug, entry in entries.items()},
        {slug: entry["event"] for slug, entry in entries.items()},
    )


def claims_coverage(claims: Iterable[Claim], cases: Iterable[Case], checklist: Checklist | None = None) -> Coverage:
    """Each claim, and each id of the checklist, is decided (a scenario tests it), undecidable or open."""
    checklist = checklist or Checklist()
    decided = {name for case in cases for name in case.claims}
    written = {claim.id: claim for claim in claims}
    by_slug: dict[str, dict[str, None]] = {slug: dict.fromkeys(ids) for slug, ids in checklist.ids.items()}
    for claim in written.values():
        by_slug.setdefault(claim.event, {})[claim.id] = None
    tallies = {slug: _tally(ids, written, decided) for slug, ids in sorted(by_slug.items())}
    return Coverage(tallies, checklist.events)


def _tally(ids: Iterable[str], written: Mapping[str, Claim], decided: set[str]) -> Tally:
    done: list[str] = []
    undecidable: dict[str, str] = {}
    still_open: dict[str, str] = {}
    for name in ids:
        claim = written.get(name)
        if name in decided:
            done.append(name)
        elif claim and claim.undecidable:
            undecidable[name] = f"{claim.undecidable.kind}: {claim.undecidable.why}"
        else:
            still_open[name] = claim.open if claim else ""
    return Tally(tuple(done), undecidable, still_open)
