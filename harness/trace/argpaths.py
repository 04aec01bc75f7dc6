"""The paths that lead to values below an event's arguments, with the types of the values: `args.data.url`, string."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

_PLAIN: Final = re.compile(r'[^.\[\]"]+')
# Keys that name one object of one run (ids, addresses): as paths they would differ between any two recordings.
_DYNAMIC: Final = re.compile(r"\d+|0x[0-9a-fA-F]+|[0-9A-Fa-f]{16,}")


def type_name(value: Any) -> str:
    """The type of a value in JSON's words, integers apart from other numbers."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "list"
    return "object"


def typed_paths(args: dict[str, Any]) -> set[tuple[str, str]]:
    """All (path, type) below the arguments: `args.data.stackTrace[].url`, string. Ids used as keys are written `*`.

    >>> sorted(typed_paths({"data": {"list": [{"x": 1}, {"x": None}]}}))  # doctest: +NORMALIZE_WHITESPACE
    [('args.data', 'object'), ('args.data.list', 'list'), ('args.data.list[]', 'object'),
     ('args.data.list[].x', 'integer'), ('args.data.list[].x', 'null')]
    """
    found: set[tuple[str, str]] = set()
    left: list[tuple[str, Any]] = [("args", args)]  # not by recursion: arguments may be nested as deep as a parser goes
    while left:
        path, value = left.pop()
        inner = (
            [(_below(path, key), one) for key, one in value.items()]
            if isinstance(value, dict)
            else [(f"{path}[]", one) for one in value]
        )
        for below, one in inner:
            found.add((below, type_name(one)))
            if isinstance(one, dict | list):
                left.append((below, one))
    return found


def parent_path(path: str) -> str:
    """What a path is directly below: `args.data` for `args.data.list`, which is it for `args.data.list[]`."""
    if path.endswith("[]"):
        return path[:-2]
    if path.endswith('"'):
        return path[: path.rindex('."')]
    return path.rpartition(".")[0]


@lru_cache(maxsize=65536)
def _below(path: str, key: str) -> str:
    if _DYNAMIC.fullmatch(key):
        return f"{path}.*"
    if _PLAIN.fullmatch(key):
        return f"{path}.{key}"
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}."{escaped}"'
