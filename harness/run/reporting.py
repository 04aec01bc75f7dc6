"""Everything that the HTML report shows, read off the disk: ledgers, scenarios, recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from harness.events import CaseResult, RunResult
from harness.evidence import CaseEvidence, ClaimWords, Reported, drawings_of
from harness.scenario.model import Case, Claim
from harness.store import manifest_beside, sha256_file

OnCase = Callable[[str], None]


def reported(
    results: Iterable[RunResult], cases: Mapping[tuple[str, str], Case], most: int, on_case: OnCase = lambda name: None
) -> list[Reported]:
    """The runs with the evidence of each case, cut to `most` events of a recording; 0 draws nothing.

    cases: the scenarios as they are now, by id and cell. `on_case` hears each case's name before it is read.
    """
    texts: dict[Path, str] = {}
    found = []
    for result in results:
        folder = Path(result.folder)
        evidence = {}
        for one in result.cases:
            on_case(one.name)
            evidence[id(one)] = _evidence(one, cases.get((one.scenario, one.cell)), folder, most, texts)
        found.append(Reported(result, evidence))
    return found


def _evidence(result: CaseResult, case: Case | None, folder: Path, most: int, texts: dict[Path, str]) -> CaseEvidence:
    notes = []
    text = ""
    if case is None:
        notes.append("The scenario is not here any more, so only the events that the findings name are marked.")
    else:
        if case.file not in texts:
            texts[case.file] = case.file.read_text(encoding="utf-8", errors="replace")
        text = texts[case.file]
        if _has_changed(result, case, folder):
            notes.append("The scenario file has changed since this was recorded; marked is what it chooses now.")
    if not most:
        return CaseEvidence([], [*notes, "The evidence was left out of this report."], text)
    draft = drawings_of(result, case, folder, most)
    return CaseEvidence(draft.drawings, [*notes, *draft.notes], text)


def _has_changed(result: CaseResult, case: Case, folder: Path) -> bool:
    trace = next((ref.trace for attempt in result.attempts for ref in attempt.recordings), "")
    manifest = manifest_beside(folder / trace) if trace else None
    return manifest is not None and manifest.scenario_sha256 != sha256_file(case.file)


def claim_words(claims: Mapping[str, Claim]) -> dict[str, ClaimWords]:
    """What the report says of claims beside their verdicts."""
    return {claim.id: ClaimWords(claim.says, claim.kind, claim.event, claim.refuted_by) for claim in claims.values()}
