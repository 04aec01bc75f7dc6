"""Names that only a run knows (`${fixture.url}`, `${values.reads.total}`), put into what a scenario says.

Steps ask the run for them, expectations the stored context of a recording: what a name means is written once, here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from harness.scenario.model import Template

Steps = tuple[str | int | None, ...]
EACH_ELEMENT: Final = None
_NAME = re.compile(r"\$\$\{|\$\{\s*([^}]*?)\s*\}")
_STEP = re.compile(r'\.(?:"((?:[^"\\]|\\.)+)"|([^.\[\]"\s]+))|\[(-?\d+)?\]')


def as_text(value: Any) -> str:
    """How a value reads inside a text: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def fill(value: Any, lookup: Callable[[str], Any], text: Callable[[Any], str] = as_text) -> Any:
    """`value` with every `Template` in it replaced, at any depth; `lookup` knows the names.

    A template that is one name and nothing else keeps the type of what the name stands for. `$${` is a literal `${`.
    """
    if isinstance(value, Template):
        whole = _NAME.fullmatch(value.text)
        if whole and whole[1] is not None:
            return lookup(whole[1])
        return _NAME.sub(lambda found: "${" if found[1] is None else text(lookup(found[1])), value.text)
    if isinstance(value, Mapping):
        return {key: fill(member, lookup, text) for key, member in value.items()}
    if isinstance(value, tuple):
        return tuple(fill(member, lookup, text) for member in value)
    if isinstance(value, list):
        return [fill(member, lookup, text) for member in value]
    return value


@lru_cache(maxsize=4096)
def parse_steps(text: str) -> Steps:
    """`data.list[].url` → ("data", "list", EACH_ELEMENT, "url"). `ValueError` says what is wrong."""
    steps: list[str | int | None] = []
    dotted, at = text if text.startswith("[") else f".{text}", 0
    while at < len(dotted):
        if not (found := _STEP.match(dotted, at)):
            raise ValueError(f'{text!r} is not a path; write it like args.data.url, args.list[].x or args."a.b"')
        quoted, plain, index = found.groups()
        if found[0].startswith("["):
            steps.append(int(index) if index else EACH_ELEMENT)
        else:
            steps.append(plain if plain is not None else re.sub(r"\\(.)", r"\1", quoted))
        at = found.end()
    return tuple(steps)


def walk(value: Any, steps: Steps) -> list[Any]:
    """All values at `steps` below `value`; none where the path leads nowhere."""
    found = [value]
    for step in steps:
        if step is EACH_ELEMENT:
            found = [element for value in found if isinstance(value, list) for element in value]
        elif isinstance(step, int):
            found = [v[step] for v in found if isinstance(v, list) and -len(v) <= step < len(v)]
        else:
            found = [v[step] for v in found if isinstance(v, dict) and step in v]
    return found


def returned(values: Mapping[str, Any], path: str) -> list[Any]:
    """What steps returned at `name.key[0]`, by their `as:` names; `.0` is an index too where it meets a list."""
    found: list[Any] = [dict(values)]
    for step in parse_steps(path):
        found = [below for one in found for below in walk(one, (_index(step, one),))]
    return found


def _index(step: str | int | None, value: Any) -> str | int | None:
    return int(step) if isinstance(step, str) and step.isdecimal() and isinstance(value, list) else step
