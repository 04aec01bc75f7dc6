"""A census for programs: one object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from harness.census.layout import LAYOUT
from harness.census.totals import Totals
from harness.errors import Problem


def to_json(found: Totals, broken: Iterable[Problem]) -> dict[str, Any]:
    """The totals as they are, with `broken` for each trace that could not be read. `docs/census.md` has the fields."""
    return {"census": LAYOUT, **asdict(found), "broken": [asdict(problem) for problem in broken]}
