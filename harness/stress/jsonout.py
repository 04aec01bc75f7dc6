"""A study for a program to read."""

from __future__ import annotations

import dataclasses
from typing import Any

from harness.compare.jsonout import difference_json
from harness.stress.contrast import Contrast
from harness.stress.flips import Flips
from harness.stress.quantities import Quantity
from harness.stress.study import Study


def to_json(study: Study) -> dict[str, Any]:
    """Keys: name, build, mode, raster, attempts, claims, quantities, causes. Every difference is in it."""
    result = study.result
    return {
        "name": result.name,
        "build": result.build.version,
        "mode": result.mode,
        "raster": result.raster,
        "attempts": len(result.attempts),
        "claims": [_claim(one) for one in study.claims],
        "quantities": [_quantity(one) for one in study.quantities],
        "causes": [
            {
                "claim": one.claim,
                "contrasts": [_contrast(contrast) for contrast in one.contrasts],
                "inner": [difference_json(difference) for difference in one.inner],
                "lost": list(one.lost),
            }
            for one in study.causes
        ],
    }


def _claim(one: Flips) -> dict[str, Any]:
    fields = dataclasses.asdict(one)
    fields |= {"verdict": str(one.verdict), "outcomes": [str(outcome) for outcome in one.outcomes], "flaky": one.flaky}
    return fields


def _quantity(one: Quantity) -> dict[str, Any]:
    low, first, middle, third, high = one.five
    five = {"min": low, "q1": first, "median": middle, "q3": third, "max": high}
    return {**dataclasses.asdict(one), **five}


def _contrast(one: Contrast) -> dict[str, Any]:
    return {**dataclasses.asdict(one), "may_be_chance": one.may_be_chance}
