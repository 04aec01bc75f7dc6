"""`claims.yaml`: what is said about one event, in our own words, and why some of it cannot be decided here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from harness.scenario.model import Claim, Place, Undecidable, UndecidableKind
from harness.scenario.nodes import read
from harness.scenario.report import Invalid, Report
from harness.scenario.schema import Choice, Fields, Json, Key, Keys, ListOf
from harness.scenario.tree import Node
from harness.scenario.words import PROSE, SCENARIO_ID, TAG, VERSIONS
from harness.versions import EVERY

KINDS = ("behaviour", "argument", "category", "derivation", "history", "trap")
UNDECIDABLE_KINDS: tuple[str, ...] = get_args(UndecidableKind)


@dataclass(frozen=True)
class ClaimsFile:
    """The claims of one event; `slug` is the first part of each id and the name of the folder."""

    event: str
    slug: str
    claims: tuple[Claim, ...]
    path: Path
    at: Place


_UNDECIDABLE = Keys(
    "undecidable",
    {
        "kind": Key(
            Choice(UNDECIDABLE_KINDS, "kind of reason"), "why no lab on this platform can decide it", required=True
        ),
        "why": Key(PROSE, "the reason in a sentence", required=True),
    },
    lambda fields, report: Undecidable(fields["kind"], fields["why"]),
)


def _build_claim(fields: Fields, report: Report) -> Any:
    if "undecidable" in fields and "open" in fields:
        message = "a claim is either undecidable or open"
        return report.add(fields.node.keys["open"], message, remedy="keep the one that is true")
    return Claim(
        id=fields["id"],
        event="",
        says=fields["says"],
        refuted_by=fields["refuted_by"],
        at=fields.node.at,
        kind=fields.get("kind", "behaviour"),
        versions=fields.get("versions", EVERY),
        undecidable=fields.get("undecidable"),
        open=fields.get("open", ""),
    )


_CLAIM = Keys(
    "claim",
    {
        "id": Key(SCENARIO_ID, "the event's slug, a dot, a name", required=True),
        "says": Key(PROSE, "what is claimed, in our own words", required=True),
        "refuted_by": Key(PROSE, "the recording that would prove it false", required=True),
        "kind": Key(Choice(KINDS, "kind of claim"), "behaviour if not given"),
        "versions": Key(VERSIONS, "the Chrome versions that it is about"),
        "undecidable": Key(_UNDECIDABLE, "no lab on this platform can decide it"),
        "open": Key(PROSE, "why nobody has decided it yet"),
    },
    _build_claim,
)
_FILE = Keys(
    "claims file",
    {
        "event": Key(PROSE, "the event's name in the trace", required=True),
        "slug": Key(TAG, "the first part of each id", required=True),
        "claims": Key(ListOf(_CLAIM, at_least=1), "the claims", required=True),
    },
)


def claims_schema() -> Json:
    """JSON Schema, draft 2020-12, of `claims.yaml`."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "traceproof claims", **_FILE.json({})}


def read_claims(path: Path, report: Report) -> ClaimsFile | None:
    """The claims of a file; None when the report has its problems. `ScenarioError` when it is no YAML."""
    root, _ = read(path)
    before = len(report.problems)
    fields = _FILE.read(root, report)
    slug = root.get("slug")
    if slug is not None and isinstance(slug.value, str):
        _check_ids(root, slug.value, report)
    if isinstance(fields, Invalid) or len(report.problems) > before:
        return None
    claims = tuple(replace(claim, event=fields["slug"]) for claim in fields["claims"])
    return ClaimsFile(fields["event"], fields["slug"], claims, path, root.at)


def _check_ids(root: Node, slug: str, report: Report) -> None:
    seen: dict[str, Place] = {}
    listed = root.get("claims")
    for node in listed.parts() if listed else ():
        claim_id = node.get("id")
        if claim_id is None or not isinstance(claim_id.value, str):
            continue
        name = claim_id.value
        if not name.startswith(f"{slug}."):
            remedy = f"write {slug}.{name.partition('.')[2] or name}"
            report.add(
                claim_id.at, "the id does not start with the slug", expected=f"{slug}.<name>", found=name, remedy=remedy
            )
        if name in seen:
            message = f'the claim "{name}" is given twice'
            report.add(
                claim_id.at, message, found=f"the first is in line {seen[name].line}", remedy="rename one of them"
            )
        seen.setdefault(name, claim_id.at)


def by_id(files: list[ClaimsFile]) -> Mapping[str, Claim]:
    return {claim.id: claim for file in files for claim in file.claims}
