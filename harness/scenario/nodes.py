"""From a YAML file to a tree in which each node knows its place; YAML 1.2, and nothing clever.

Anchors, aliases, merge keys and tags are refused: a scenario must say what it means where it says it. Events come from
libyaml where PyYAML has it; errors come from PyYAML's own parser, so that their words are the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from harness.errors import Problem, ScenarioError
from harness.scenario.model import Place
from harness.scenario.tree import Node, join_path, resolve_plain, show

__all__ = ["MAX_DEPTH", "Node", "parse", "read", "show", "shown", "source_text"]

MAX_DEPTH = 60
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Builder:
    """Nodes from the events of one document; the first thing that YAML forbids ends it."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self.problems: list[Problem] = []

    def place(self, mark: Any, path: str) -> Place:
        return Place(self.file, mark.line + 1, mark.column + 1, path)

    def refuse(self, at: Place, message: str, *, found: str = "", expected: str = "", remedy: str = "") -> None:
        where = (at.file, at.line, at.column, at.path)
        self.problems.append(Problem(message, *where, expected, found, remedy))

    def document(self) -> Node | None:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    at = self.place(event.start_mark, "$")
                    self.refuse(
                        at,
                        "a second document begins here",
                        expected="one document in a file",
                        remedy="put it into a file of its own, and take the --- away",
                    )
                    return root
                root = self.node(next(self.events), "$", 0)
        return root

    def node(self, event: Any, path: str, depth: int) -> Node:
        at = self.place(event.start_mark, path)
        if depth > MAX_DEPTH:
            raise _TooDeep(at)
        self.check_plainness(event, at)
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.SequenceStartEvent):
            parts: list[Node] = []
            while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
                parts.append(self.node(event, join_path(path, len(parts)), depth + 1))
            return Node(at, parts, {}, (start, self.end_of(event, parts)))
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(at, start, path, depth)
        if isinstance(event, yaml.ScalarEvent):
            plain = event.style is None or event.style == ""
            value = resolve_plain(event.value) if plain else event.value
            return Node(at, value, {}, (start, end))
        return Node(at, None, {}, (start, start))  # an alias, refused above

    def mapping(self, at: Place, start: int, path: str, depth: int) -> Node:
        values: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key_at = self.place(event.start_mark, path)
            key_node = self.node(event, path, depth + 1)
            if isinstance(event, yaml.ScalarEvent):
                key = str(event.value)
                path_here = join_path(path, key)
            else:
                key, path_here = "", path
                self.refuse(
                    key_at,
                    "a key must be a word",
                    expected="one word before the colon",
                    found=show(key_node),
                    remedy="put a text that starts with { or [ in quotes",
                )
            value = self.node(next(self.events), path_here, depth + 1)
            if key == "<<":
                self.refuse(
                    key_at,
                    "merge keys (<<) are not part of this language",
                    remedy="write the keys out, or put what arms share at the top level: each arm starts from it",
                )
            elif key in values:
                first = keys[key]
                self.refuse(
                    Place(key_at.file, key_at.line, key_at.column, path_here),
                    f"the key {key} is given twice",
                    found=f"the first is in line {first.line}",
                    remedy="keep one of them",
                )
            else:
                values[key] = value
                keys[key] = Place(key_at.file, key_at.line, key_at.column, path_here)
        return Node(at, values, keys, (start, self.end_of(event, list(values.values()))))

    def end_of(self, event: Any, parts: list[Node]) -> int:
        closed = event.end_mark.index > event.start_mark.index  # a flow collection's own bracket
        return int(event.end_mark.index) if closed or not parts else max(part.span[1] for part in parts)

    def check_plainness(self, event: Any, at: Place) -> None:
        anchor, tag = event.anchor, getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            self.refuse(
                at,
                "aliases are not part of this language",
                found=f"*{anchor}",
                remedy="write the value out, or name it once in `let` and use ${name}; put text that starts with * in "
                "quotes",
            )
        elif anchor:
            self.refuse(
                at,
                "anchors are not part of this language",
                found=f"&{anchor}",
                remedy="take it away; name a value once in `let` and use ${name}",
            )
        if tag:
            self.refuse(
                at,
                "tags are not part of this language",
                found=str(tag).replace("tag:yaml.org,2002:", "!!"),
                remedy="take it away, or put text that starts with ! in quotes",
            )


class _TooDeep(Exception):
    def __init__(self, at: Place) -> None:
        self.at = at


def parse(text: str, file: str) -> Node:
    """The tree of a text's only document; `ScenarioError` with the place of each thing that YAML or we refuse."""
    if bad := _UNPRINTABLE.search(text.removeprefix("\ufeff")):
        offset = bad.start()
        line = text.count("\n", 0, offset) + 1
        column = offset - text.rfind("\n", 0, offset)
        found = f"the character U+{ord(bad[0]):04X}"
        remedy = 'take it away, or write it in double quotes as an escape such as "\\u0007"'
        raise ScenarioError(Problem("a control character stands here", file, line, column, "", "", found, remedy))
    builder = _Builder(text, file)
    try:
        root = builder.document()
    except yaml.YAMLError as error:
        raise ScenarioError(_syntax_problem(text, file, error)) from None
    except _TooDeep as deep:
        raise ScenarioError(_too_deep(file, deep.at.line, deep.at.column)) from None
    if builder.problems:
        raise ScenarioError(builder.problems)
    if root is None or (root.value is None and root.span[0] == root.span[1]):
        raise ScenarioError(Problem("the file is empty", file, expected="a mapping", found="nothing"))
    return root


def shown(path: Path) -> str:
    """A path as messages show it: from the current folder where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def read(path: Path) -> tuple[Node, str]:
    """The tree and the text of a file; `ScenarioError` when it cannot be read as UTF-8 YAML."""
    file = shown(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ScenarioError(Problem(f"cannot be read: {error.strerror or error}", file)) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        found = f"the byte 0x{raw[error.start]:02X}"
        message, remedy = "the file is not UTF-8", "save it as UTF-8"
        raise ScenarioError(Problem(message, file, line, column, found=found, remedy=remedy)) from None
    return parse(text, file), text


def source_text(text: str, node: Node, column: int | None = None) -> str:
    """A node as its author wrote it, with the common indentation taken away."""
    lines = text[node.span[0] : node.span[1]].rstrip().splitlines()
    indent = (column or node.at.column) - 1
    return "\n".join([*lines[:1], *(line[indent:] if not line[:indent].strip() else line for line in lines[1:])])


_SYNTAX_REMEDIES = (
    ("mapping values are not allowed", "put text that holds a colon and a space in quotes, and check the indentation"),
    ("could not find expected ':'", "write `key: value`, with a space after the colon"),
    ("expected <block end>", "give the keys of one mapping, and the dashes of one list, the same indentation"),
    ("expected ',' or", "close the bracket, and put a comma between its parts"),
    ("while scanning a quoted scalar", "close the quotes"),
    ("cannot start any token", "put text that starts with this character in quotes"),
    ("unknown escape character", "in double quotes a backslash is written twice; single quotes take it as it is"),
    ("invalid Unicode character", "write a character that exists, not half of a surrogate pair"),
    ("expected alphabetic or numeric character", "put text that starts with * or & in quotes"),
    ("undefined alias", "put text that starts with * in quotes"),
    ("expected the node content", "put text that starts with this character in quotes, and close what is open"),
)


def _too_deep(file: str, line: int, column: int) -> Problem:
    return Problem(f"nested more than {MAX_DEPTH} levels deep", file, line, column, remedy="write it flatter")


def _syntax_problem(text: str, file: str, error: yaml.YAMLError) -> Problem:
    """The mistake as PyYAML's own parser words it, or as libyaml (`error`) does where that alone sees one."""
    depth = 0
    event: Any
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH + 1:  # libyaml looks ahead, and gave up before it told of the levels
                return _too_deep(file, event.start_mark.line + 1, event.start_mark.column + 1)
    except yaml.YAMLError as own:
        error = own
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = str(getattr(error, "problem", None) or error)
    context = str(getattr(error, "context", None) or "")
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    lines = text.splitlines()
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in here[: len(here) - len(here.lstrip())] or here[column - 1 : column] == "\t":
        return Problem(
            "a tab stands where YAML wants spaces", file, line, column, found="a tab", remedy="indent with spaces"
        )
    remedy = next((advice for words, advice in _SYNTAX_REMEDIES if words in said or words in context), "")
    return Problem(f"not valid YAML: {said}", file, line, column, found=here.strip()[:80], remedy=remedy)
