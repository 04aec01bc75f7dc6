"""A comparison for a program to read."""

from __future__ import annotations

from collections import Counter
from typing import Any

from harness.compare.difference import KINDS, Comparison, Difference, Presence
from harness.compare.sides import Side


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Keys: left, right, groups, left_only, right_only, differences, totals. Every difference is in it."""
    kinds = Counter(one.kind for one in comparison.differences)
    return {
        "left": _side(comparison.left),
        "right": _side(comparison.right),
        "groups": list(comparison.groups),
        "left_only": list(comparison.left_only),
        "right_only": list(comparison.right_only),
        "differences": [difference_json(one) for one in comparison.differences],
        "totals": {
            "differences": len(comparison.differences),
            "unstable": sum(one.unstable for one in comparison.differences),
            "claims": len({claim for one in comparison.differences for claim in one.claims}),
            "kinds": {kind: kinds[kind] for kind in KINDS},
        },
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "label": side.label,
        "recordings": [str(one.path) for one in side.recordings],
        "refused": [str(path) for path in side.refused],
        "made": side.made,
    }


def difference_json(one: Difference) -> dict[str, Any]:
    """One difference, with how often either side has it."""
    return {
        "kind": one.kind,
        "sign": one.sign,
        "name": one.name,
        "what": one.what,
        "left": _presence(one.left),
        "right": _presence(one.right),
        "unstable": one.unstable,
        "below": one.below,
        "claims": list(one.claims),
        "groups": [group for group in one.groups if group],
    }


def _presence(side: Presence) -> dict[str, Any]:
    return {
        "recordings": side.recordings,
        "of": side.of,
        "events": side.events,
        "among": side.among,
        "share": round(side.share, 4),
    }
