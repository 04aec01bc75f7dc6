"""Whether a case is about a version and mode at all."""

from __future__ import annotations

from harness.scenario.model import Case


def applies_elsewhere(case: Case, major: int | None, mode: str | None) -> str:
    """Why a case is not about this version and mode, in words; empty when it is. None is one that nobody knows."""
    why = f": {case.reason}" if case.reason else ""
    if major is not None and not case.versions.contains(major):
        return f"the scenario is for versions {case.versions}, this is {major}{why}"
    if case.modes and mode is not None and mode not in case.modes:
        return f"the scenario is for {' and '.join(case.modes)}, this is {mode}{why}"
    return ""
