"""`<fixture>.server.yaml`: the controls of a fixture and of what lies below its folder, without query strings.

    defaults: {delay: 200ms}          # of the fixture that the file stands beside
    routes:
      late.css: {hold: style}         # of paths below the folder, whether or not a file is there

Scalars are taken as they are written and read by the parsers of the query string, so `off` and `404` need no quotes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from harness.errors import Problem, UserError
from harness.server.controls import CONTROLS, Given, parse
from harness.wording import did_you_mean

SUFFIX = ".server.yaml"
_SECTIONS = ("defaults", "routes")


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Controls as written, for the fixture itself and by path below its folder."""

    defaults: tuple[Given, ...]
    routes: dict[str, tuple[Given, ...]]


def read(file: Path) -> Sidecar:
    """Raises `UserError` with every mistake in the file."""
    try:
        root = yaml.compose(file.read_text("utf-8"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise UserError(Problem(f"not UTF-8: {error.reason}", str(file))) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise UserError(Problem(error.problem or "not YAML", str(file), line, column)) from None
    except yaml.YAMLError as error:
        raise UserError(Problem(f"not YAML: {error}", str(file))) from None
    reader = _Reader(str(file))
    sidecar = reader.sidecar(root)
    if reader.problems:
        raise UserError(reader.problems)
    return sidecar


def problems_in(file: Path) -> list[Problem]:
    """Every mistake in the file, before a server reads it: of its form, and in the values of controls."""
    problems = [] if fixture_of(file).is_file() else [alone(file)]
    try:
        sidecar = read(file)
    except UserError as error:
        return [*problems, *error.problems]
    for controls in (sidecar.defaults, *sidecar.routes.values()):
        try:
            parse(controls)
        except UserError as error:
            problems += error.problems
    return problems


def fixture_of(file: Path) -> Path:
    """The fixture that a sidecar file stands beside."""
    return file.with_name(file.name.removesuffix(SUFFIX))


def alone(file: Path) -> Problem:
    """The problem of a sidecar file whose fixture is not there."""
    name = fixture_of(file).name
    remedy = f"name it after the whole file, such as {name}.html{SUFFIX}"
    return Problem(f"no fixture {name} stands beside it", str(file), remedy=remedy)


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def sidecar(self, root: yaml.Node | None) -> Sidecar:
        defaults: tuple[Given, ...] = ()
        routes: dict[str, tuple[Given, ...]] = {}
        for key, value in self._items(root, "$", "a mapping with defaults and routes"):
            path = f"$.{key.value}"
            if key.value == "defaults":
                defaults = self._controls(value, path)
            elif key.value == "routes":
                for route, controls in self._items(value, path, "a mapping of paths"):
                    routes[self._route(route)] = self._controls(controls, f"{path}.{route.value}")
            else:
                remedy = did_you_mean(key.value, _SECTIONS)
                self._problem(key, "$", f"unknown key {key.value!r}", ", ".join(_SECTIONS), remedy)
        return Sidecar(defaults, routes)

    def _route(self, key: yaml.ScalarNode) -> str:
        if key.value.startswith("/") or any(part in ("", ".", "..") for part in key.value.split("/")):
            self._problem(key, "$.routes", f"{key.value!r} is not a path below the fixture's folder")
        return str(key.value)

    def _controls(self, node: yaml.Node, path: str) -> tuple[Given, ...]:
        given = []
        for key, value in self._items(node, path, f"a mapping of controls: {', '.join(CONTROLS)}"):
            here = f"{path}.{key.value}"
            for text in self._values(value, here):
                mark = key.start_mark
                given.append(Given(key.value, text, here, self.file, mark.line + 1, mark.column + 1))
        return tuple(given)

    def _values(self, node: yaml.Node, path: str) -> list[str]:
        """One text, a list of them, or `Name: value` pairs for `header`."""
        if isinstance(node, yaml.ScalarNode):
            return [node.value]
        if isinstance(node, yaml.SequenceNode) and all(isinstance(item, yaml.ScalarNode) for item in node.value):
            return [item.value for item in node.value]
        if isinstance(node, yaml.MappingNode) and path.endswith(".header"):
            return [f"{name.value}: {item.value}" for name, item in self._items(node, path, "a mapping")]
        self._problem(node, path, "not the value of a control", "a scalar or a list of scalars")
        return []

    def _items(self, node: yaml.Node | None, path: str, expected: str) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
        """The pairs of a mapping that has scalar keys, each once. A missing or empty node is an empty mapping."""
        if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
            return []
        if not isinstance(node, yaml.MappingNode):
            self._problem(node, path, "wrong shape", expected)
            return []
        seen: set[str] = set()
        pairs = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._problem(key, path, "a key must be a scalar")
            elif key.value in seen:
                self._problem(key, path, f"duplicate key {key.value!r}")
            else:
                seen.add(key.value)
                pairs.append((key, value))
        return pairs

    def _problem(self, node: yaml.Node, path: str, message: str, expected: str = "", remedy: str = "") -> None:
        mark = node.start_mark
        found = node.value if isinstance(node, yaml.ScalarNode) else ""
        self.problems.append(Problem(message, self.file, mark.line + 1, mark.column + 1, path, expected, found, remedy))
