"""Small parts from which a file format is put together; each can read a node and describe itself as JSON Schema.

Reading never stops at the first mistake: every part reports what is wrong beneath it and answers `INVALID`, so that one
look at a file finds all that is wrong in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harness.scenario.model import Place, Template
from harness.scenario.report import INVALID, Invalid, Report
from harness.scenario.tree import Node, show
from harness.wording import did_you_mean, listed, nearest

Json = dict[str, Any]
TEMPLATE_JSON: Json = {"type": "string", "pattern": r"\$\{[^}]+\}"}


class Schema(ABC):
    """`expected` says in words what may stand here."""

    expected: str

    @abstractmethod
    def read(self, node: Node, report: Report) -> Any:
        """The value at a node, or `INVALID` after the reason went into the report."""

    @abstractmethod
    def json(self, defs: Json) -> Json:
        """JSON Schema, draft 2020-12; named parts go into `defs`."""

    def wrong(self, node: Node, report: Report, message: str = "", remedy: str = "") -> Invalid:
        if isinstance(node.value, Template):
            message = message or f"{node.value.text} is only known while the scenario runs"
            remedy = remedy or "names of `let` and `matrix` may stand here, names of the run may not"
        message, _, expected = (message or f"expected {self.expected}").partition("; expected ")
        expected = "" if message.endswith(self.expected) else expected or self.expected
        return report.add(node.at, message, expected=expected, found=show(node), remedy=remedy)


@dataclass
class Scalar(Schema):
    """One value. `parse` turns it into what the model holds, or raises `ValueError` with what was expected."""

    expected: str
    types: tuple[type, ...]
    form: Json
    parse: Callable[[Any], Any] = lambda value: value
    templates: bool = False  # may hold names that only the run knows
    hint: Callable[[Any], str] = lambda value: ""  # a remedy for a value that was refused

    def read(self, node: Node, report: Report) -> Any:
        value = node.value
        if isinstance(value, Template):
            return value if self.templates else self.wrong(node, report)
        if not isinstance(value, self.types) or (isinstance(value, bool) and bool not in self.types):
            quotable = str in self.types and isinstance(value, bool | int | float)
            otherwise = f'for text, write "{_as_written(value)}" in quotes' if quotable else ""
            return self.wrong(node, report, remedy=self.hint(value) or otherwise)
        try:
            return self.parse(value)
        except ValueError as error:
            return self.wrong(node, report, message=str(error), remedy=self.hint(value))

    def json(self, defs: Json) -> Json:
        return (
            self.form if self.form.get("type") == "string" and "pattern" not in self.form else _or_template(self.form)
        )


def _as_written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _or_template(form: Json) -> Json:
    return {"anyOf": [form, TEMPLATE_JSON]}


@dataclass
class Choice(Schema):
    """One word of several."""

    words: tuple[str, ...]
    what: str = "word"

    def __post_init__(self) -> None:
        self.expected = f"one of {', '.join(self.words)}"

    def read(self, node: Node, report: Report) -> Any:
        value = node.value
        if not isinstance(value, str):
            return self.wrong(node, report)
        if value in self.words:
            return value
        return self.wrong(node, report, f'"{value}" is not a {self.what}', did_you_mean(value, self.words))

    def json(self, defs: Json) -> Json:
        return _or_template({"enum": list(self.words)})


@dataclass
class ListOf(Schema):
    """A list of parts of one kind, answered as a tuple; with `one_or_many` a single part stands for a list of one."""

    item: Schema
    at_least: int = 0
    exactly: int | None = None
    one_or_many: bool = False

    def __post_init__(self) -> None:
        size = f" of {self.exactly}" if self.exactly else " with at least one part" if self.at_least else ""
        self.expected = f"a list{size}: each {self.item.expected}"
        if self.one_or_many:
            self.expected = f"{self.item.expected}, or a list of such"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, list):
            if not self.one_or_many:
                alone = isinstance(node.value, str | int | float) and self.item.read(node, Report()) is not INVALID
                return self.wrong(node, report, remedy=f"write [{node.value}]" if alone else "")
            part = self.item.read(node, report)
            return INVALID if part is INVALID else (part,)
        if len(node.value) < self.at_least or (self.exactly is not None and len(node.value) != self.exactly):
            return self.wrong(node, report)
        parts = [self.item.read(part, report) for part in node.value]
        return INVALID if any(part is INVALID for part in parts) else tuple(parts)

    def json(self, defs: Json) -> Json:
        many: Json = {"type": "array", "items": self.item.json(defs)}
        low = self.exactly if self.exactly is not None else self.at_least
        if low:
            many["minItems"] = low
        if self.exactly is not None:
            many["maxItems"] = self.exactly
        return {"anyOf": [self.item.json(defs), many]} if self.one_or_many else many


@dataclass
class MapOf(Schema):
    """A mapping whose keys the author chooses. `check_key` raises `ValueError`, or returns the key for the model."""

    value: Schema
    what: str  # what a key is: "a name"
    check_key: Callable[[str], str] = lambda key: key
    at_least: int = 0
    key_form: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.expected = f"a mapping from {self.what} to {self.value.expected}"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, dict) or len(node.value) < self.at_least:
            return self.wrong(node, report)
        result: dict[str, Any] = {}
        valid = True
        for key, part in node.items():
            try:
                name = self.check_key(key)
            except ValueError as error:
                report.add(node.keys[key], str(error), expected=self.what, found=f'the key "{key}"')
                valid = False
                name = key
            result[name] = self.value.read(part, report)
        return result if valid and INVALID not in result.values() else INVALID

    def json(self, defs: Json) -> Json:
        form: Json = {"type": "object", "additionalProperties": self.value.json(defs)}
        if self.key_form:
            form["propertyNames"] = self.key_form
        if self.at_least:
            form["minProperties"] = self.at_least
        return form


@dataclass
class ByKind(Schema):
    """Different parts for a mapping, a list and a scalar."""

    scalar: Schema | None = None
    mapping: Schema | None = None
    many: Schema | None = None

    def __post_init__(self) -> None:
        self.expected = " or ".join(part.expected for part in (self.scalar, self.mapping, self.many) if part)

    def read(self, node: Node, report: Report) -> Any:
        value = node.value
        part = self.mapping if isinstance(value, dict) else self.many if isinstance(value, list) else self.scalar
        return part.read(node, report) if part else self.wrong(node, report)

    def json(self, defs: Json) -> Json:
        return {"anyOf": [part.json(defs) for part in (self.scalar, self.mapping, self.many) if part]}


@dataclass
class Named(Schema):
    """A part that may contain itself, or that JSON Schema should hold once."""

    name: str
    expected: str
    make: Callable[[], Schema]

    @cached_property
    def made(self) -> Schema:
        return self.make()

    def read(self, node: Node, report: Report) -> Any:
        return self.made.read(node, report)

    def json(self, defs: Json) -> Json:
        if self.name not in defs:
            defs[self.name] = {}
            defs[self.name] = self.made.json(defs)
        return {"$ref": f"#/$defs/{self.name}"}


@dataclass(frozen=True)
class Key:
    """One key of a mapping; `says` is its description in the JSON Schema."""

    schema: Schema
    says: str = ""
    required: bool = False

    def json(self, defs: Json) -> Json:
        form = self.schema.json(defs)
        return {**form, "description": self.says} if self.says else form


@dataclass(frozen=True)
class Fields(Mapping[str, Any]):
    """The values of a mapping that was read, with their places."""

    node: Node
    values_read: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values_read[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_read)

    def __len__(self) -> int:
        return len(self.values_read)

    def at(self, key: str) -> Place:
        """The place of a key's value; of the mapping where the key is absent."""
        part = self.node.get(key)
        return part.at if part else self.node.at


Build = Callable[[Fields, Report], Any]


def read_keys(node: Node, keys: Mapping[str, Key], report: Report, what: str) -> Fields | Invalid:
    """The parts of a mapping that has these keys and no others."""
    values: dict[str, Any] = {}
    valid = True
    meant = {near for key in node.keys if key not in keys for near in nearest(key, keys)}
    for key, part in node.items():
        if key not in keys:
            valid = False
            report.add(
                node.keys[key],
                f'unknown key "{key}" in {what}',
                expected=f"one of {listed(keys)}",
                found=show(part),
                remedy=did_you_mean(key, keys) or _elsewhere(key, keys),
            )
            continue
        values[key] = keys[key].schema.read(part, report)
        valid = valid and values[key] is not INVALID
    for key, spec in keys.items():
        if spec.required and key not in node.keys:
            valid = False
            if key in meant:
                continue  # it is there, misspelt, and has been told
            report.add(node.at, f'the key "{key}" is missing in {what}', expected=f"{key}: {spec.schema.expected}")
    return Fields(node, values) if valid else INVALID


def _elsewhere(key: str, keys: Mapping[str, Key]) -> str:
    """Where a key that is unknown here would be known, one level down."""
    homes = [name for name, spec in keys.items() if isinstance(spec.schema, Keys) and key in spec.schema.keys]
    return f'"{key}" belongs under "{homes[0]}"' if homes else ""


@dataclass
class Keys(Schema):
    """A mapping with known keys; `build` makes the model's object from its fields."""

    what: str
    keys: Mapping[str, Key]
    build: Build = lambda fields, report: fields

    def __post_init__(self) -> None:
        self.expected = f"a mapping ({self.what}) with {listed(self.keys, 12)}"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, dict):
            return self.wrong(node, report)
        fields = read_keys(node, self.keys, report, self.what)
        return INVALID if isinstance(fields, Invalid) else self.build(fields, report)

    def json(self, defs: Json) -> Json:
        required = [name for name, key in self.keys.items() if key.required]
        form: Json = {
            "type": "object",
            "properties": {name: key.json(defs) for name, key in self.keys.items()},
            "additionalProperties": False,
        }
        return {**form, "required": required} if required else form


@dataclass
class Forms(Schema):
    """A mapping with exactly one of several form keys, the keys that go with that form, and the common ones.

    `build` is given the form key and all fields.
    """

    what: str
    forms: Mapping[str, Mapping[str, Key]]  # form key -> that key and its companions
    common: Mapping[str, Key] = field(default_factory=dict)
    build: Callable[[str, Fields, Report], Any] = lambda form, fields, report: (form, fields)

    def __post_init__(self) -> None:
        self.expected = f"a mapping ({self.what}) with exactly one of {listed(self.forms)}"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, dict):
            return self.wrong(node, report)
        given = [key for key in node.value if key in self.forms]
        if len(given) != 1:
            return self.not_one(node, given, report)
        fields = read_keys(node, {**self.forms[given[0]], **self.common}, report, f"{self.what} `{given[0]}`")
        return INVALID if isinstance(fields, Invalid) else self.build(given[0], fields, report)

    def not_one(self, node: Node, given: list[str], report: Report) -> Invalid:
        if given:
            first, second = given[:2]
            return report.add(
                node.keys[second],
                f'"{first}" and "{second}" stand in one {self.what}',
                expected=f"exactly one of {listed(self.forms)}",
                found=listed(given),
                remedy=f"make two of it, each with a dash of its own; check the dash before {second}",
            )
        strange = [key for key in node.keys if key not in self.common]
        remedy = next((said for key in strange if (said := did_you_mean(key, self.forms))), "")
        at = node.keys[strange[0]] if strange else node.at
        message = f'unknown {self.what} "{strange[0]}"' if strange else f"no {self.what} is named here"
        expected = f"exactly one of {listed(self.forms)}"
        if strange and self.common:
            expected += f"; beside it {listed(self.common)}"
        return report.add(at, message, expected=expected, found=show(node), remedy=remedy)

    def json(self, defs: Json) -> Json:
        branches = []
        for form, keys in self.forms.items():
            branch = Keys(self.what, {**keys, **self.common}).json(defs)
            branches.append({**branch, "required": sorted({form, *branch.get("required", [])})})
        return {"anyOf": branches}
