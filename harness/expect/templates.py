"""Run-time names in a scenario (`${values.x}`, `${fixture.url}`), answered by the recording's context."""

from __future__ import annotations

from typing import Any

from harness.expect.recording import Unanswerable
from harness.expect.values import show
from harness.scenario.runtime import as_text, fill, returned
from harness.trace.context import RecordingContext


def resolve(value: Any, context: RecordingContext) -> Any:
    """`value` with its run-time names replaced; a name alone keeps the type of its value.

    Raises `Unanswerable` when the recording has no such value, or when text is to be joined with a list or object.
    """
    return fill(value, lambda name: run_time_value(name, context), _text)


def run_time_value(name: str, context: RecordingContext) -> Any:
    """The value of `values.x.y`, `arm`, `build.major` or a variable of the run such as `fixture.url`."""
    if name in context.variables:
        return context.variables[name]
    if name == "arm":
        return context.arm
    if name == "build.major" and context.build:
        return int(context.build.partition(".")[0])
    if name.startswith("values."):
        return step_value(name.removeprefix("values."), context)
    raise Unanswerable(f"the recording of arm {context.arm} has no run-time value ${{{name}}}")


def step_value(path: str, context: RecordingContext) -> Any:
    """What a step returned, by its `as:` name and a path below it."""
    found = returned(context.values, path)
    if len(found) != 1:
        known = ", ".join(sorted(context.values)) or "nothing"
        raise Unanswerable(f"no step of arm {context.arm} returned a value `{path}` (steps returned: {known})")
    return found[0]


def _text(value: Any) -> str:
    if isinstance(value, list | dict):
        raise Unanswerable(f"{show(value)} is not a single value, so it cannot be part of a text")
    return as_text(value)
