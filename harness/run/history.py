"""The verdicts that a claim has had: every stored ledger, by version, mode and raster path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from harness.events import ClaimVerdict
from harness.run.catalog import Catalog
from harness.run.ledgers import mentions, read_result
from harness.verdict import Verdict
from harness.versions import parse_version


@dataclass(frozen=True, slots=True)
class Seen:
    """One verdict of one run. `started`: of the run, ISO 8601."""

    verdict: ClaimVerdict
    started: str
    ledger: Path


@dataclass(frozen=True, slots=True)
class Line:
    """All verdicts of one mode and raster path: `latest` of each version, the oldest first, and every one before them.

    A version is in `latest` twice where its last run was of two binaries of it.

    turns: how often the answer changes along the versions, those that say nothing of Chrome left out.
    """

    mode: str
    raster: str
    latest: tuple[Seen, ...]
    earlier: tuple[Seen, ...]

    @property
    def turns(self) -> int:
        return max(len(self.answers) - 1, 0)

    @property
    def twice(self) -> set[str]:
        """Versions of which the last run had two binaries."""
        counted = Counter(seen.verdict.build.version for seen in self.latest)
        return {version for version, count in counted.items() if count > 1}

    @property
    def answers(self) -> list[tuple[Verdict, list[Seen]]]:
        """The stretches of versions that have one answer."""
        telling = [seen for seen in self.latest if seen.verdict.verdict.says_of_chrome]
        return [(word, list(group)) for word, group in groupby(telling, lambda seen: seen.verdict.verdict)]


def verdicts_of(claim: str, ledgers: Iterable[Path], catalog: Catalog) -> list[Seen]:
    """Every verdict of a claim in some ledgers, that of the newest run first.

    NOT_APPLICABLE is left out where another run of the same version, mode and raster path has an answer: scenarios that
    are not made for a version, which bisect asks too, take no answer back.
    """
    found = []
    for path in ledgers:
        if mentions(path, claim):
            result = read_result(path, catalog)
            found += [Seen(one, result.header.started, path) for one in result.verdicts if one.claim == claim]
    answered = {_way(seen) for seen in found if seen.verdict.verdict is not Verdict.NOT_APPLICABLE}
    kept = [one for one in found if one.verdict.verdict is not Verdict.NOT_APPLICABLE or _way(one) not in answered]
    return sorted(kept, key=lambda seen: seen.started, reverse=True)


def _way(seen: Seen) -> tuple[str, str, str]:
    return seen.verdict.build.version, seen.verdict.mode, seen.verdict.raster


def history(claim: str, ledgers: Iterable[Path], catalog: Catalog) -> list[Line]:
    """One line for each mode and raster path that the claim was tested in. Of runs of one version the latest counts."""
    found: dict[tuple[str, str, str], list[Seen]] = {}
    for seen in verdicts_of(claim, ledgers, catalog):
        one = seen.verdict
        found.setdefault((one.mode, one.raster, one.build.version), []).append(seen)
    lines = []
    for mode, raster in dict.fromkeys((mode, raster) for mode, raster, _ in sorted(found)):
        versions = sorted((version for *way, version in found if way == [mode, raster]), key=version_order)
        latest, earlier = list[Seen](), list[Seen]()
        for version in versions:
            runs = sorted(found[mode, raster, version], key=lambda seen: (seen.started, str(seen.ledger)))
            for seen in runs:
                (latest if seen.ledger == runs[-1].ledger else earlier).append(seen)
        lines.append(Line(mode, raster, tuple(latest), tuple(earlier)))
    return lines


def version_order(version: str) -> tuple[int, ...]:
    """What sorts the versions of ledgers, the oldest first."""
    try:
        return parse_version(version)
    except ValueError:  # a stored trace that does not tell
        return (0,)
