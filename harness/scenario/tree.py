"""The tree that a YAML file becomes: nodes that know their place, scalars by the YAML 1.2 core schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.scenario.model import Place, Template

_NULL = re.compile(r"|~|null|Null|NULL")
_TRUE, _FALSE = re.compile(r"true|True|TRUE"), re.compile(r"false|False|FALSE")
_INT, _OCTAL, _HEX = re.compile(r"[-+]?[0-9]+"), re.compile(r"0o[0-7]+"), re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INF, _NAN = re.compile(r"[-+]?\.(inf|Inf|INF)"), re.compile(r"\.(nan|NaN|NAN)")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

Atom = str | int | float | bool | None | Template
Value = Atom | list["Node"] | dict[str, "Node"]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A scalar, a list of nodes, or a mapping from key to node. `keys` holds the place of each key of a mapping."""

    at: Place
    value: Value
    keys: dict[str, Place]
    span: tuple[int, int]  # of characters in the text; of a block collection, up to the end of its last part

    @property
    def kind(self) -> str:
        """In the words of a person: `a mapping`, `a list`, `text`, `a number`, `true or false`, `nothing`."""
        return kind_of(self.value)

    def with_value(self, value: Value) -> Node:
        return Node(self.at, value, self.keys, self.span)

    def items(self) -> Iterator[tuple[str, Node]]:
        if isinstance(self.value, dict):
            yield from self.value.items()

    def parts(self) -> list[Node]:
        return self.value if isinstance(self.value, list) else []

    def get(self, key: str) -> Node | None:
        return self.value.get(key) if isinstance(self.value, dict) else None

    def plain(self) -> object:
        """The value as ordinary Python data; a `Template` stays one."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


def kind_of(value: object) -> str:
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case None:
            return "nothing"
    return "text"


def show(node: Node, limit: int = 60) -> str:
    """What stands at a node, for the `found` of a problem."""
    value = node.value
    if isinstance(value, dict):
        return f"a mapping with {', '.join(value)}" if value else "an empty mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value.text if isinstance(value, Template) else str(value)
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"the number {text}" if isinstance(value, int | float) else f'the text "{text}"'


def resolve_plain(text: str) -> str | int | float | bool | None:
    """A plain scalar by the YAML 1.2 core schema: `yes`, `010:30` and `2026-01-01` are text, `010` is ten."""
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if _INT.fullmatch(text) and len(text) < 400:
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INF.fullmatch(text):
        return float("-inf") if text[0] == "-" else float("inf")
    return float("nan") if _NAN.fullmatch(text) else text


def join_path(base: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{base}[{key}]"
    return f"{base}.{key}" if _PLAIN_KEY.fullmatch(key) else f'{base}["{key}"]'
