"""The command that runs exactly this again."""

from __future__ import annotations

import shlex
from pathlib import Path

from harness.paths import scenarios_root
from harness.scenario.model import Case


def repeat_case(case: Case, binary: str, mode: str, attempts: int) -> str:
    """By name where the scenario is one of ours, by file where it is the user's own."""
    words = ["traceproof", "run"]
    if case.file.resolve().is_relative_to(scenarios_root()):
        words.append(case.name)
    else:
        words.append(_short(case.file))
        if case.cell:
            words += ["-k", case.cell]
    if case.recorder:
        words += ["--recorder", case.recorder]
    return shlex.join([*words, "--browser", binary, "--mode", mode, "--attempts", str(attempts)])


def _short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
