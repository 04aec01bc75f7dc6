"""The vocabulary of one recording: its events by name, with their categories, phases, argument paths and types."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from harness.expect.values import type_name
from harness.trace import Event, Trace
from harness.trace.event import decode_args

_PLAIN = re.compile(r'[^.\[\]"]+')
# Keys that name one object of one run (ids, addresses): as paths they would differ between any two recordings.
_DYNAMIC = re.compile(r"\d+|0x[0-9a-fA-F]+|[0-9A-Fa-f]{16,}")


@dataclass(slots=True)
class EventUse:
    """Events of one name. categories: `cat` as written; paths and types: how many of the events have each."""

    count: int = 0
    categories: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)  # path, type


Vocabulary = dict[str, EventUse]


def survey(trace: Trace, accepts: Callable[[Event], bool] = lambda event: True) -> Vocabulary:
    """Every event that `accepts` takes, by name. Ends are merged into their begins, so a pair counts once, as B."""
    found: Vocabulary = {}
    for event in trace.events:
        if not accepts(event):
            continue
        if (use := found.get(event.name)) is None:
            use = found[event.name] = EventUse()
        use.count += 1
        use.categories[event.cat] += 1
        use.phases[event.ph] += 1
        # Not `event.args`: it would keep every decoded argument of the recording in memory.
        typed = typed_paths(decode_args(event.raw_args))
        use.types.update(typed)
        use.paths.update({path for path, _ in typed})
    return found


def typed_paths(args: dict[str, Any]) -> set[tuple[str, str]]:
    """All (path, type) below the arguments: `args.data.stackTrace[].url`, string. Ids used as keys are written `*`.

    >>> sorted(typed_paths({"data": {"list": [{"x": 1}, {"x": None}]}}))  # doctest: +NORMALIZE_WHITESPACE
    [('args.data', 'object'), ('args.data.list', 'list'), ('args.data.list[]', 'object'),
     ('args.data.list[].x', 'integer'), ('args.data.list[].x', 'null')]
    """
    found: set[tuple[str, str]] = set()
    _walk("args", args, found)
    return found


def _walk(path: str, value: Any, found: set[tuple[str, str]]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            below = _below(path, key)
            found.add((below, type_name(inner)))
            _walk(below, inner, found)
    elif isinstance(value, list):
        below = f"{path}[]"
        for inner in value:
            found.add((below, type_name(inner)))
            _walk(below, inner, found)


@lru_cache(maxsize=65536)
def _below(path: str, key: str) -> str:
    if _DYNAMIC.fullmatch(key):
        return f"{path}.*"
    if _PLAIN.fullmatch(key):
        return f"{path}.{key}"
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}."{escaped}"'


def parent_path(path: str) -> str:
    """What a path is directly below: `args.data` for `args.data.list`, which is it for `args.data.list[]`."""
    if path.endswith("[]"):
        return path[:-2]
    if path.endswith('"'):
        return path[: path.rindex('."')]
    return path.rpartition(".")[0]
