"""Which steps a recorder can carry out. Known before any browser starts, so that the error can name the place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.errors import Problem
from harness.scenario.model import Arm, Case, Place, Step
from harness.scenario.verbs import VERBS

_NO_CLIENT = "no client is connected to the browser, so the page's own script has to do it"
_NOT_TOLD = "with the Page domain off nothing tells when the page is there: use `goto`, or `wait_request` and `settle`"
_KEYS = "its client has no table of keys"
_ALONE = ("goto", "settle", "mark", "wait_request", "release")

IMPOSSIBLE: Mapping[str, Mapping[str, str]] = {
    "cdp-quiet": {
        **dict.fromkeys(("reload", "back", "forward", "wait_lifecycle"), _NOT_TOLD),
        **dict.fromkeys(("key", "type"), _KEYS),
    },
    "startup": {
        **{verb: _NO_CLIENT for verb in VERBS if verb not in _ALONE},
        "start_recording": "it records from the start of the browser, and nobody can start it later",
        "stop_recording": "it records for a time that was fixed before, and nobody can stop it",
    },
}


def problems_of(arm: Arm) -> list[Problem]:
    """The steps of an arm that its recorder cannot carry out, each with its place and the reason."""
    recorder = arm.record.recorder
    found = [
        _problem(step.at, f"step {step.index + 1}, {step.verb}, is impossible with the recorder {recorder}: {why}")
        for step in arm.steps
        if (why := IMPOSSIBLE.get(recorder, {}).get(step.verb) or _by_option(recorder, step))
    ]
    if recorder == "startup":
        found += _startup_problems(arm)
    return found


def with_recorder(case: Case, recorder: str) -> Case:
    """The case with every arm recorded in this way."""
    arms = {name: replace(arm, record=replace(arm.record, recorder=recorder)) for name, arm in case.arms.items()}
    return replace(case, arms=arms, recorder=recorder)


def _by_option(recorder: str, step: Step) -> str:
    if recorder == "cdp-quiet" and step.options.get("frame"):
        return "the script of a child frame is reached through the Runtime domain only"
    return ""


def _startup_problems(arm: Arm) -> list[Problem]:
    first = [step.verb for step in arm.steps[:1]]
    at = arm.steps[0].at if arm.steps else arm.record.at
    found = []
    if first != ["goto"]:
        found.append(_problem(at, "with the recorder startup the first step is goto: its URL is on the command line"))
    found += [
        _problem(step.at, f"step {step.index + 1}, goto, is impossible with the recorder startup: {_NO_CLIENT}")
        for step in arm.steps[1:]
        if step.verb == "goto"
    ]
    if arm.record.markers == "page":
        found.append(_problem(arm.record.at, "the recorder startup writes no markers into the page"))
    return found


def _problem(at: Place | None, message: str) -> Problem:
    remedy = "take another recorder, or other steps"
    return Problem(message, at.file, at.line, at.column, at.path, remedy=remedy) if at else Problem(message)
