"""What a scenario may need of the machine (`needs:`), and whether this one has it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

from harness.display import display_lacking
from harness.errors import Problem, ScenarioError
from harness.scenario.model import Case, Place
from harness.wording import did_you_mean


def _cores(wanted: int) -> Callable[[], str]:
    def check() -> str:
        have = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return "" if have >= wanted else f"needs {wanted} processor cores, this machine has {have}"

    return check


def _linux() -> str:
    return "" if sys.platform == "linux" else f"needs Linux, this is {sys.platform}"


CAPABILITIES: dict[str, tuple[str, Callable[[], str]]] = {
    "two-cores": ("at least two processor cores", _cores(2)),
    "four-cores": ("at least four processor cores", _cores(4)),
    "linux": ("Linux, where the trace's clock is the host's", _linux),
    "display": ("a display, or Xvfb to make one", display_lacking),
}


def unknown_needs(needs: Iterable[str], at: Place) -> list[Problem]:
    """A problem for each need that is not known."""
    known = f"one of {', '.join(CAPABILITIES)}"
    return [
        Problem(
            f'unknown need "{need}"',
            at.file,
            at.line,
            at.column,
            at.path,
            known,
            remedy=did_you_mean(need, CAPABILITIES),
        )
        for need in needs
        if need not in CAPABILITIES
    ]


def missing(case: Case, mode: str) -> str:
    """What of a case's needs this machine has not got, in words; empty when all is there.

    `ScenarioError` for a need that is not known.
    """
    if wrong := unknown_needs(case.needs, case.at):
        raise ScenarioError(wrong)
    needs = dict.fromkeys([*case.needs, *(["display"] if mode == "headed" else [])])
    lacking = [reason for need in needs if (reason := CAPABILITIES[need][1]())]
    if mode == "shell" and any(arm.browser.extension for arm in case.arms.values()):
        lacking.append("chrome-headless-shell loads no extensions: use mode headless or headed")
    return "; ".join(lacking)
