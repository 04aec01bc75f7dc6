"""Filling in the run-time names of a step's argument and options."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.scenario.model import Template

_NAME = re.compile(r"\$\$\{|\$\{([^}]*)\}")


def fill(value: Any, lookup: Callable[[str], Any]) -> Any:
    """`value` with every `Template` in it replaced, at any depth.

    A template that is one name and nothing else keeps the type of what the name stands for; in text, what is not text
    is written as JSON. `$${` is a literal `${`.
    """
    if isinstance(value, Template):
        whole = _NAME.fullmatch(value.text)
        if whole and whole[1] is not None:
            return lookup(whole[1])
        return _NAME.sub(lambda found: "${" if found[1] is None else _text(lookup(found[1])), value.text)
    if isinstance(value, Mapping):
        return {key: fill(member, lookup) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [fill(member, lookup) for member in value]
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
