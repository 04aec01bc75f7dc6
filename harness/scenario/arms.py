"""The arms of a scenario: the top level with each arm's own parts over it, and the names that mean something there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from harness.scenario import document
from harness.scenario.fixtures import find_fixture
from harness.scenario.model import MAIN, Arm, BrowserSpec
from harness.scenario.names import Scope, substitute
from harness.scenario.readings import READING
from harness.scenario.recorders import problems_of
from harness.scenario.report import INVALID, Invalid, Report
from harness.scenario.schema import Key, read_keys
from harness.scenario.tree import Atom, Node
from harness.wording import listed

_ARM_PARTS = tuple(document.ARM_KEYS)


@dataclass(frozen=True)
class World:
    """What a scenario may refer to outside itself. `claim_ids`: None where the file that has them cannot be read."""

    claim_ids: Sequence[str] | None
    fixtures_roots: Sequence[Path]


@dataclass
class Source:
    root: Node
    text: str
    path: Path
    world: World
    report: Report

    @property
    def arm_nodes(self) -> dict[str, Node]:
        """The arms as written; the whole scenario is the only arm where there are none."""
        arms = self.root.get("arms")
        return dict(arms.items()) if arms else {}


def scope_of(
    source: Source, constants: Mapping[str, Atom], cell: Mapping[str, Atom], fixture: bool, used: set[str]
) -> Scope:
    """Constants with the cell's names inside them filled in."""
    cell_scope = Scope(cell, fixture, used)
    variables: dict[str, Atom] = dict(cell)
    let = source.root.get("let")
    for name, value in constants.items():
        at = (let and let.get(name)) or source.root
        filled = substitute(at.with_value(value), cell_scope, source.report)
        variables[name] = cast(Atom, filled.value)  # a scalar stays one
    return Scope(variables, fixture, used)


def read_arms(
    source: Source, constants: Mapping[str, Atom], cell: Mapping[str, Atom], used: set[str]
) -> dict[str, Any]:
    """Each arm by name, `INVALID` where its parts could not be read."""
    root, report = source.root, source.report
    arms = root.get("arms")
    if arms is None:
        scope = scope_of(source, constants, cell, root.get("fixture") is not None, used)
        return {MAIN: _arm(source, MAIN, root, scope)}
    if not isinstance(arms.value, dict) or not arms.value:
        document.TOP["arms"].schema.read(arms, report)
        return {}
    result: dict[str, Any] = {}
    for name, node in arms.items():
        try:
            document.check_name(name)
        except ValueError as error:
            report.add(arms.keys[name], str(error))
        if not isinstance(node.value, dict):
            report.add(
                node.at,
                f'the arm "{name}" is not a mapping',
                expected=f"a mapping with {', '.join(_ARM_PARTS)}",
                found=node.kind,
            )
            result[name] = INVALID
            continue
        if node.get("read"):
            continue
        known = {key: part for key, part in node.items() if key in _ARM_PARTS}
        strange = node.with_value({key: part for key, part in node.items() if key not in _ARM_PARTS})
        read_keys(strange, document.ARM_KEYS, report, "arm")
        own = node.get("let")
        if own and document.LET.read(own, report) is INVALID:
            result[name] = INVALID
            continue
        own_constants = {key: cast(Atom, part.value) for key, part in own.items()} if own else {}  # as LET has read
        merged = _merge(root, node.with_value(known))
        scope = scope_of(source, {**constants, **own_constants}, cell, merged.get("fixture") is not None, used)
        result[name] = _arm(source, name, merged, scope)
    readings = {name: node for name, node in arms.items() if isinstance(node.value, dict) and node.get("read")}
    recorded = dict(result)
    scope = scope_of(source, constants, cell, root.get("fixture") is not None, used)
    result |= {name: _reading(source, name, node, recorded, scope) for name, node in readings.items()}
    return result


def _reading(source: Source, name: str, node: Node, recorded: Mapping[str, Any], scope: Scope) -> Any:
    """An arm that a reader makes: all but its name is that of the arm which it reads."""
    report = source.report
    if strange := [key for key in node.keys if key != "read"]:
        remedy = "its recording is that of the arm which it reads"
        return report.add(
            node.keys[strange[0]], f'"{strange[0]}" stands beside read', expected="read alone", remedy=remedy
        )
    read = node.get("read")
    assert read is not None
    reading = READING.read(substitute(read, scope, report), report)
    if isinstance(reading, Invalid):
        return INVALID
    if reading.of not in recorded:
        of = read.get("of") or read
        return report.add(of.at, f'"{reading.of}" is no arm that is recorded', expected=f"one of {listed(recorded)}")
    if (base := recorded[reading.of]) is INVALID:
        return INVALID
    arm, root = base
    return replace(arm, name=name, reading=reading), root


def _merge(root: Node, arm: Node) -> Node:
    """The top level with the arm's parts over it; `record` and `browser` are merged key by key."""
    parts = {key: part for key, part in root.items() if key in document.PARTS}
    keys = {**root.keys, **arm.keys}
    for key, part in arm.items():
        base = parts.get(key)
        if base is not None and isinstance(base.value, dict) and isinstance(part.value, dict):
            part = Node(part.at, {**base.value, **part.value}, {**base.keys, **part.keys}, part.span)
        parts[key] = part
    return Node(arm.at, parts, keys, arm.span)


def _arm(source: Source, name: str, node: Node, scope: Scope) -> Any:
    report = source.report
    parts = {key: part for key, part in node.items() if key in document.PARTS}
    filled = substitute(Node(node.at, parts, node.keys, node.span), scope, report)
    what = "scenario" if name == MAIN else f'arm "{name}" (nor at the top level)'
    keys: dict[str, Key] = {
        key: replace(spec, required=key in ("record", "steps")) for key, spec in document.PARTS.items()
    }
    present = Node(filled.at, filled.value, {key: at for key, at in filled.keys.items() if key in parts}, filled.span)
    fields = read_keys(present, keys, report, what)
    fixture = present.get("fixture")
    found = find_fixture(fixture, source.path.parent, source.world.fixtures_roots, report) if fixture else None
    browser = present.get("browser")
    manifest = browser.get("extension") if browser else None
    extension = find_fixture(manifest, source.path.parent, source.world.fixtures_roots, report) if manifest else None
    if isinstance(fields, Invalid) or isinstance(found, Invalid) or isinstance(extension, Invalid):
        return INVALID
    started = replace(fields.get("browser", BrowserSpec()), extension=extension.path if extension else None)
    steps = tuple(replace(step, index=index) for index, step in enumerate(fields["steps"]))
    arm = Arm(name, fields["record"], started, found.path if found else None, steps)
    report.problems.extend(problem for problem in problems_of(arm) if problem not in report.problems)
    return arm, found.root if found else None
