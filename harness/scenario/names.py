"""`${name}` in scalars. Names of `let` and `matrix` are put in while loading; names of the run stay in a `Template`.

A scalar that is one `${name}` and nothing else keeps the type of the value. `$${` is a `${` that means itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.scenario.model import Place, Template
from harness.scenario.report import Report
from harness.scenario.runtime import parse_steps
from harness.scenario.tree import Atom, Node
from harness.wording import did_you_mean, listed

RUN_NAMES = {
    "fixture.url": "the fixture's address on the server",
    "fixture.file": "the fixture's address on the disk",
    "server.origin": "the server's own origin",
    "server.a": "the origin of the host a.test",
    "server.b": "the origin of the host b.test",
    "arm": "the name of the arm",
    "build.major": "the browser's major version",
}
_TOKEN = re.compile(r"\$\$\{|\$\{([^}]*)\}|\$\{")
_VALUE = re.compile(r"values\.([A-Za-z_]\w*)([.\[].*)?")


@dataclass
class Scope:
    """What names mean here. `used` collects the names of `let` and `matrix` that were met."""

    variables: Mapping[str, Atom]
    has_fixture: bool = True
    used: set[str] = field(default_factory=set)

    @property
    def known(self) -> list[str]:
        return [*self.variables, *RUN_NAMES, "values.<name>"]


def substitute(node: Node, scope: Scope, report: Report) -> Node:
    """The tree with the names of the scope put in; names that nothing defines go into the report."""
    value = node.value
    if isinstance(value, dict):
        return node.with_value({key: substitute(part, scope, report) for key, part in value.items()})
    if isinstance(value, list):
        return node.with_value([substitute(part, scope, report) for part in value])
    if isinstance(value, str) and "${" in value:
        return node.with_value(_fill_text(value, node.at, scope, report))
    return node


def _fill_text(text: str, at: Place, scope: Scope, report: Report) -> Atom:
    whole = re.fullmatch(r"\$\{([^}]*)\}", text)
    if whole and whole[1].strip() in scope.variables:
        scope.used.add(whole[1].strip())
        return scope.variables[whole[1].strip()]
    pieces: list[str | Template] = []
    position = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[position : token.start()])
        position = token.end()
        if token[0] == "$${":
            pieces.append("${")
        elif token[1] is None:
            report.add(at, "${ is not closed", found=text, remedy="close it with }, or write $${ where it means itself")
        else:
            pieces.append(_look_up(token[1].strip(), at, scope, report))
    pieces.append(text[position:])
    names = tuple(name for piece in pieces if isinstance(piece, Template) for name in piece.names)
    if not names:
        return "".join(piece.text if isinstance(piece, Template) else piece for piece in pieces)
    return Template("".join(piece.text if isinstance(piece, Template) else _escape(piece) for piece in pieces), names)


def _escape(text: str) -> str:
    return text.replace("${", "$${")


def _look_up(name: str, at: Place, scope: Scope, report: Report) -> str | Template:
    if name in scope.variables:
        scope.used.add(name)
        value = scope.variables[name]
        return value if isinstance(value, Template) else _as_text(value)
    if found := _VALUE.fullmatch(name):
        report.use("value", found[1], at)
        check_path(name, at, report)
    elif name.startswith("fixture.") and name in RUN_NAMES and not scope.has_fixture:
        report.add(
            at,
            f"${{{name}}} means nothing: there is no fixture",
            remedy="add `fixture: <path>`, or use ${server.origin}",
        )
    elif name not in RUN_NAMES:
        report.add(
            at,
            f"nothing defines ${{{name}}}",
            expected=f"one of {listed(scope.known)}",
            found=f"${{{name}}}",
            remedy=did_you_mean(name, scope.known)
            or "define it in `let` or `matrix`, or write $${ where it means itself",
        )
    return Template(f"${{{name}}}", (name,))


def names_in(text: str) -> list[str]:
    """What stands between `${` and `}`, but for the names of the run."""
    names = [(token[1] or "").strip() for token in _TOKEN.finditer(text)]
    return [name for name in names if name and name not in RUN_NAMES and not _VALUE.fullmatch(name)]


def check_path(path: str, at: Place, report: Report) -> None:
    """Whether a path into what a step returned can be followed at all."""
    try:
        parse_steps(path)
    except ValueError:
        expected = "keys and indexes, such as reads.total or reads.list[0].x"
        report.add(
            at, f'"{path}" is not a path', expected=expected, remedy="close brackets and quotes; no dot at the end"
        )


def _as_text(value: Atom) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def templates_in(value: Any) -> list[Template]:
    """Every template in a value, also inside lists and mappings."""
    if isinstance(value, Template):
        return [value]
    if isinstance(value, Mapping):
        return [found for part in value.values() for found in templates_in(part)]
    if isinstance(value, list | tuple):
        return [found for part in value for found in templates_in(part)]
    return []
