"""The command that runs exactly this again."""

from __future__ import annotations

import shlex
from pathlib import Path

from harness.paths import scenarios_root
from harness.scenario.model import Case


def repeat_case(case: Case, binary: str, mode: str, attempts: int, until_decided: bool = False) -> str:
    """`attempts`: how many there are, or at most."""
    words = ["traceproof", "run", *_named(case)]
    if case.recorder:
        words += ["--recorder", case.recorder]
    number = ["--until-decided", "--at-most"] if until_decided else ["--attempts"]
    return shlex.join([*words, "--browser", binary, "--mode", mode, *number, str(attempts)])


def repeat_check(path: Path, case: Case, arm: str) -> str:
    """The same for a stored trace, or the folder of an attempt."""
    words = ["traceproof", "check", str(path), *_named(case)]
    return shlex.join([*words, "--arm", arm] if arm else words)


def _named(case: Case) -> list[str]:
    """By name where the scenario is one of ours, by file where it is the user's own."""
    if case.file.resolve().is_relative_to(scenarios_root()):
        return [case.name]
    return [_short(case.file), *(["-k", case.cell] if case.cell else [])]


def _short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
