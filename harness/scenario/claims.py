"""`claims.yaml`: what is said about one event, in our own words, and why some of it cannot be decided here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """The claims of one event; `slug` is the first part of each id and the name of the folder.

    Where the file has problems `claims` are those that are sound; `ids` are all that are written.
    """

    event: str
    slug: str
    claims: tuple[Claim, ...]
    path: Path
    at: Place
    ids: tuple[str, ...] = ()


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


def read_claims(path: Path, report: Report) -> ClaimsFile:
    """The claims of a file; its problems go into the report. `ScenarioError` when it is no YAML."""
    root, _ = read(path)
    _FILE.read(root, report)
    event, slug = (str(part.value) if (part := root.get(key)) else "" for key in ("event", "slug"))
    listed = root.get("claims")
    nodes = listed.parts() if listed else []
    if slug:
        _check_ids(nodes, slug, report)
    sound = [claim for node in nodes if not isinstance(claim := _CLAIM.read(node, Report()), Invalid)]
    ids = tuple(name.value for node in nodes if (name := node.get("id")) and isinstance(name.value, str))
    return ClaimsFile(event, slug, tuple(replace(claim, event=slug) for claim in sound), path, root.at, ids)


def _check_ids(nodes: Iterable[Node], slug: str, report: Report) -> None:
    seen: dict[str, Place] = {}
    for node in nodes:
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
