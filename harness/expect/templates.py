"""Run-time names in a scenario (`${values.x}`, `${fixture.url}`), answered by the recording's context."""

from __future__ import annotations

import re
from typing import Any

from harness.expect.recording import Unanswerable
from harness.expect.values import parse_steps, walk
from harness.scenario.model import Template
from harness.trace.context import RecordingContext

_NAME = re.compile(r"\$(\$\{)|\$\{\s*([^}]*?)\s*\}")


def resolve(value: Any, context: RecordingContext) -> Any:
    """`value` with its run-time names replaced; a name alone keeps the type of its value.

    Raises `Unanswerable` when the recording has no such value, or when text is to be joined with a list or object.
    """
    if isinstance(value, tuple):
        return tuple(resolve(part, context) for part in value)
    if not isinstance(value, Template):
        return value
    if (whole := _NAME.fullmatch(value.text)) and whole[2]:
        return run_time_value(whole[2], context)
    return _NAME.sub(lambda found: "${" if found[1] else _text(found[2], context), value.text)


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
    found = walk(context.values, parse_steps(path))
    if len(found) != 1:
        known = ", ".join(sorted(context.values)) or "nothing"
        raise Unanswerable(f"no step of arm {context.arm} returned a value `{path}` (steps returned: {known})")
    return found[0]


def _text(name: str, context: RecordingContext) -> str:
    value = run_time_value(name, context)
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        raise Unanswerable(f"${{{name}}} is not a single value, so it cannot be part of a text")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
