"""From the verdicts of ledgers to the baseline entries that would expect them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.events import CaseResult, ClaimVerdict, RunResult
from harness.paths import configs_root, scenarios_root
from harness.run.baselines import Baselines, Entry
from harness.run.catalog import Catalog
from harness.verdict import Outcome, Verdict
from harness.versions import VersionRange, parse_range

_EVER = 10**6  # where the spans of `>=` end


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an entry would say. `replaces`: the entry with the same claim, versions, modes and raster, if there is one.
    raster: empty where all scenarios of the claim raster in one way.

    verdicts: those that differ from what is expected now, the oldest build first. evidence: sha256 of a recording.
    """

    claim: str
    verdict: Verdict
    versions: VersionRange
    modes: tuple[str, ...]
    raster: str
    verdicts: tuple[ClaimVerdict, ...]
    expected: tuple[Verdict, ...]  # now, for each of them
    evidence: str
    file: Path
    replaces: Entry | None = None


@dataclass(frozen=True, slots=True)
class Proposals:
    """`refused`: verdicts that no baseline should expect, since they say nothing of Chrome."""

    made: tuple[Proposal, ...]
    refused: tuple[ClaimVerdict, ...]


def propose(results: Sequence[RunResult], catalog: Catalog, claims: Sequence[str] = ()) -> Proposals:
    """One proposal for each claim, verdict and run of versions that differs; of several results the last counts.

    Only `claims`, if any are given. Versions reach from the first build that differs to the last one; without an end
    where that is the newest build that was looked at and no entry speaks of newer ones.
    """
    latest: dict[tuple[str, int, str, str], tuple[ClaimVerdict, RunResult]] = {}
    for result in results:
        for one in result.verdicts:
            if one.verdict is not Verdict.NOT_APPLICABLE and (not claims or one.claim in claims):
                latest[one.claim, one.build.major, one.mode, _bound(one, catalog)] = one, result
    found: dict[tuple[str, Verdict, str, str], list[list[tuple[ClaimVerdict, RunResult]]]] = {}
    refused: list[ClaimVerdict] = []
    for claim, mode, raster in dict.fromkeys((claim, mode, raster) for claim, _, mode, raster in latest):
        seen = [latest[key] for key in sorted(latest) if (key[0], *key[2:]) == (claim, mode, raster)]
        for stretch in _stretches(seen, catalog.baselines):
            verdict = stretch[0][0].verdict
            if not verdict.says_of_chrome:
                refused += [one for one, _ in stretch]
                continue
            newest = stretch[-1] is seen[-1]
            versions = _versions([one.build.major for one, _ in stretch], newest, claim, catalog.baselines)
            found.setdefault((claim, verdict, versions, raster), []).append(stretch)
    made = [_proposal(*key, stretches, catalog) for key, stretches in found.items()]
    return Proposals(tuple(sorted(made, key=lambda one: (one.claim, one.versions.text, one.raster))), tuple(refused))


def _bound(one: ClaimVerdict, catalog: Catalog) -> str:
    """The raster path that an entry has to name: none where the claim's scenarios know one only."""
    rasters = {case.raster for case in catalog.cases if one.claim in case.claims}
    return one.raster if len(rasters) > 1 else ""


_Seen = tuple[ClaimVerdict, RunResult]


def _stretches(seen: Sequence[_Seen], baselines: Baselines) -> Iterable[list[_Seen]]:
    """Neighbouring builds that have one verdict, and not the expected one."""
    stretch: list[_Seen] = []
    for one in seen:
        verdict = one[0]
        differs = verdict.verdict is not _expected(verdict, baselines)
        if stretch and (not differs or stretch[-1][0].verdict is not verdict.verdict):
            yield stretch
            stretch = []
        if differs:
            stretch.append(one)
    if stretch:
        yield stretch


def _expected(one: ClaimVerdict, baselines: Baselines) -> Verdict:
    return baselines.expected(one.claim, one.build.major, one.mode, one.raster)


def _versions(majors: Sequence[int], newest: bool, claim: str, baselines: Baselines) -> str:
    low, high = majors[0], majors[-1]
    starts = [span[0] for entry in baselines.entries if entry.claim == claim for span in entry.versions.spans]
    if newest and all(start <= high for start in starts):
        return f">={low}"
    return str(low) if low == high else f"{low}..{high}"


def _proposal(
    claim: str, verdict: Verdict, versions: str, raster: str, stretches: Sequence[list[_Seen]], catalog: Catalog
) -> Proposal:
    seen = [one for stretch in stretches for one in stretch]
    verdicts = sorted((one for one, _ in seen), key=lambda one: (one.build.major, one.mode))
    modes = tuple(dict.fromkeys(one.mode for one in verdicts))
    wanted = parse_range(versions)
    same = [
        entry
        for entry in catalog.baselines.entries
        if (entry.claim, entry.versions.spans, set(entry.modes), entry.raster)
        == (claim, wanted.spans, set(modes), raster)
    ]
    replaces = same[-1] if same and _last_word(same[-1], catalog.baselines) else None
    newest = max(seen, key=lambda one: one[0].build.major)
    return Proposal(
        claim=claim,
        verdict=verdict,
        versions=wanted,
        modes=modes,
        raster=raster,
        verdicts=tuple(verdicts),
        expected=tuple(_expected(one, catalog.baselines) for one in verdicts),
        evidence=_evidence(*newest),
        file=Path(replaces.at.file) if replaces else _file(claim, catalog),
        replaces=replaces,
    )


def _last_word(entry: Entry, baselines: Baselines) -> bool:
    """No later entry speaks of the same claim, so that a change here is not overruled there."""
    return [one for one in baselines.entries if one.claim == entry.claim][-1] is entry


def _evidence(verdict: ClaimVerdict, result: RunResult) -> str:
    """A recording that shows the verdict: one that contradicts the claim where there is one."""
    cases = [
        case for case in result.cases if case.verdicts.get(verdict.claim) is verdict.verdict and case.lab == verdict.lab
    ]
    ranked = sorted(_recordings(cases, verdict.claim), key=lambda one: one[0])
    return ranked[0][1] if ranked else ""


def _recordings(cases: Iterable[CaseResult], claim: str) -> Iterable[tuple[int, str]]:
    """(rank, sha256): contradicting attempts before agreeing ones before others; the arm that the finding names."""
    for case in cases:
        for attempt in case.attempts:
            outcomes = {one.outcome: one for one in attempt.findings if claim in one.claims}
            telling = outcomes.get(Outcome.UNMET) or outcomes.get(Outcome.MET)
            rank = 0 if Outcome.UNMET in outcomes else 1 if Outcome.MET in outcomes else 2
            for one in attempt.recordings:
                named = telling is not None and (one.arm, one.block) == (telling.arm, telling.block)
                yield 2 * rank + (not named), one.sha256


def _file(claim: str, catalog: Catalog) -> Path:
    """Ours go to configs/baselines, the user's beside their claims."""
    known = catalog.claims.get(claim)
    event = known.event if known else claim.partition(".")[0]
    if known and not Path(known.at.file).resolve().is_relative_to(scenarios_root()):
        return Path(known.at.file).with_name(f"{event}.baseline.yaml")
    return configs_root() / "baselines" / f"{event}.yaml"


def by_file(proposals: Iterable[tuple[Proposal, str]]) -> Mapping[Path, list[tuple[Proposal, str]]]:
    """Proposals with their reasons, by the file that they go to."""
    files: dict[Path, list[tuple[Proposal, str]]] = {}
    for proposal, reason in proposals:
        files.setdefault(proposal.file, []).append((proposal, reason))
    return files
