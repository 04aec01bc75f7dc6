"""The table from verb to the function that carries it out; the modules of verbs fill it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from harness.steps.context import StepContext

Action = Callable[[StepContext, Any, Mapping[str, Any]], Awaitable[None]]
"""(context, argument, options); templates are filled in, durations and names are as written."""

STEPS: dict[str, Action] = {}


def verb(name: str) -> Callable[[Action], Action]:
    """Register the decorated function for a verb of `scenario/verbs.py`."""

    def register(action: Action) -> Action:
        STEPS[name] = action
        return action

    return register
