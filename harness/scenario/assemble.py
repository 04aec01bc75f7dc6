"""One scenario file, read and checked, as the cases that it stands for: one for each cell of its matrix."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from harness.scenario import document
from harness.scenario.arms import Source, World, read_arms, scope_of
from harness.scenario.checks import check_names, check_references
from harness.scenario.model import Case, Expectation, Template
from harness.scenario.names import Scope, names_in, substitute
from harness.scenario.nodes import source_text
from harness.scenario.report import INVALID, Invalid, Report
from harness.scenario.schema import Fields, ListOf, read_keys
from harness.scenario.selecting import SELECTION
from harness.scenario.tree import Atom, Node
from harness.scenario.windows import refs_with_own_windows, with_own_window
from harness.versions import EVERY

MAX_CELLS = 200
_EXPECTATIONS = {"expect": document.EXPECTATION, "require": document.REQUIREMENT}


@dataclass(frozen=True)
class Assembled:
    """The cases of a file, none when it has problems; then `torn` has, for each cell, the parts that are sound.

    A torn case cannot be run: it has no arms, and its selections and expectations are those that could be read.
    """

    cases: Sequence[Case] = ()
    torn: Sequence[Case] = ()


def assemble(root: Node, text: str, path: Path, world: World, report: Report) -> Assembled:
    """What a file stands for; what is wrong with it goes into the report."""
    if not isinstance(root.value, dict):
        expected = f"a mapping with {', '.join(key for key, spec in document.TOP.items() if spec.required)}"
        report.add(root.at, "a scenario is a mapping", expected=expected, found=root.kind)
        return Assembled()
    source = Source(root, text, path, world, report)
    constants = _constants(source)
    if constants is None:
        return Assembled(torn=[_without_names(source)])
    constants_used: set[str] = set()
    found = [_case(source, constants, cell, constants_used) for cell in _cells(source)]
    _check_unused(source, constants_used)
    if report.problems:
        return Assembled(torn=[torn for _, torn in found])
    return Assembled([case for case, _ in found if case is not None])


def _without_names(source: Source) -> Case:
    """Where `let` or `matrix` is wrong: all that rests on no name of theirs is looked at all the same."""
    resting = {node.at.path for node in _scalars(source.root) if isinstance(node.value, str) and names_in(node.value)}
    alone = replace(source, report=Report())
    _, torn = _case(alone, {}, {}, set())
    source.report.uses.extend(alone.report.uses)
    known = source.report.problems
    known.extend(one for one in alone.report.problems if one.path not in resting and one not in known)
    return torn


def _scalars(node: Node) -> Iterator[Node]:
    parts = [part for _, part in node.items()] if isinstance(node.value, dict) else node.parts()
    if not parts:
        yield node
    for part in parts:
        yield from _scalars(part)


def _constants(source: Source) -> Mapping[str, Atom] | None:
    """The top level's `let`; None when `let` or `matrix`, on which all else rests, is wrong."""
    before = len(source.report.problems)
    let, matrix = source.root.get("let"), source.root.get("matrix")
    if let:
        document.LET.read(let, source.report)
    if matrix:
        document.MATRIX.read(matrix, source.report)
    for name in (let.keys if let else {}).keys() & (matrix.keys if matrix else {}).keys():
        assert let is not None
        remedy = "rename one of them"
        source.report.add(let.keys[name], f'"{name}" is defined both in let and in matrix', remedy=remedy)
    if len(source.report.problems) > before:
        return None
    return {name: cast(Atom, part.value) for name, part in let.items()} if let else {}  # as LET has read


def _cells(source: Source) -> list[dict[str, Atom]]:
    matrix = source.root.get("matrix")
    if matrix is None:
        return [{}]
    axes = [[(name, cast(Atom, value.value)) for value in part.parts()] for name, part in matrix.items()]
    for axis, (name, part) in zip(axes, matrix.items(), strict=True):
        if len({(type(value), value) for _, value in axis}) < len(axis):
            source.report.add(part.at, f'a value of "{name}" is given twice', remedy="keep one of them")
    if (size := math.prod(len(axis) for axis in axes)) > MAX_CELLS:
        message = f"the matrix has {size} cells, more than {MAX_CELLS}"
        source.report.add(matrix.at, message, remedy="take values away, or split the scenario")
        axes = [axis[:1] for axis in axes]
    return [dict(cell) for cell in itertools.product(*axes)]


def _case(
    source: Source, constants: Mapping[str, Atom], cell: Mapping[str, Atom], used: set[str]
) -> tuple[Case | None, Case]:
    """The case, None where anything is wrong, and what of it is sound."""
    root, report = source.root, source.report
    arm_nodes = source.arm_nodes
    scope = scope_of(source, constants, cell, _has_fixture(root, arm_nodes), used)
    skipped = {"matrix", "let", "expect", "require", "arms", *(document.PARTS if arm_nodes or root.get("arms") else ())}
    head = substitute(root.with_value({key: part for key, part in root.items() if key not in skipped}), scope, report)
    optional = {key: replace(spec, required=False) if key in skipped else spec for key, spec in document.TOP.items()}
    fields = read_keys(head, optional, report, "scenario")
    if "expect" not in root.keys:
        report.add(
            root.at,
            'the key "expect" is missing in scenario',
            expected=f"expect: {document.TOP['expect'].schema.expected}",
        )
    arms = read_arms(source, constants, cell, used)
    lists = {key: _expectation_fields(source, key, scope) for key in ("expect", "require")}
    selections = _read_selections(head)
    claims = _claim_names(head)
    written = {key: [read for read in reads if read is not INVALID] for key, reads in lists.items()}
    check_names(root, arms, selections, source.world.claim_ids, written, report)
    good_fields = None if isinstance(fields, Invalid) else fields
    check_references(root, arms, written, claims, report)
    torn = _torn(source, head, selections, written, claims)
    if report.problems or good_fields is None:
        return None, torn
    return _build(source, good_fields, cell, arms, written, claims), torn


def _has_fixture(root: Node, arm_nodes: Mapping[str, Node]) -> bool:
    return root.get("fixture") is not None or any(node.get("fixture") for node in arm_nodes.values())


def _read_selections(head: Node) -> dict[str, Any]:
    """Each selection by name; `INVALID` where it could not be read (reported when the head was)."""
    select = head.get("select")
    return {name: SELECTION.read(part, Report()) for name, part in select.items()} if select else {}


def _claim_names(head: Node) -> list[str]:
    claims = head.get("claims")
    return [part.value for part in claims.parts() if isinstance(part.value, str)] if claims else []


def _expectation_fields(source: Source, key: str, scope: Scope) -> list[Any]:
    part = source.root.get(key)
    if part is None:
        return []
    if not isinstance(part.value, list) or (key == "expect" and not part.value):
        ListOf(_EXPECTATIONS[key], at_least=1).read(part, source.report)
        return []
    return [_EXPECTATIONS[key].read(substitute(node, scope, source.report), source.report) for node in part.parts()]


def _build(
    source: Source,
    fields: Fields,
    cell: Mapping[str, Atom],
    arms: Mapping[str, Any],
    written: Mapping[str, list[Any]],
    claims: list[str],
) -> Case:
    roots = [root for _, root in arms.values() if root]
    select = fields.get("select", {})

    def windowed(part: Any) -> Any:
        return refs_with_own_windows(part, select, source.report)

    def expectations(key: str, decided: list[str]) -> tuple[Expectation, ...]:
        made = [_expectation(source, index, read, tuple(arms), decided) for index, read in enumerate(written[key])]
        return tuple(replace(one, form=windowed(one.form), control=windowed(one.control)) for one in made)

    return Case(
        id=fields["scenario"],
        title=fields["title"],
        cell=",".join(f"{name}={_cell_text(value)}" for name, value in cell.items()),
        file=source.path.resolve(),
        at=source.root.at,
        claims=tuple(claims),
        arms={name: arm for name, (arm, _) in arms.items()},
        select={name: with_own_window(one, select, source.report) for name, one in select.items()},
        expect=expectations("expect", claims),
        require=expectations("require", []),
        versions=fields.get("versions", EVERY),
        modes=fields.get("modes", ()),
        reason=fields.get("reason", ""),
        needs=fields.get("needs", ()),
        paired=fields.get("design"),
        attempts=fields.get("attempts"),
        exclusive=fields.get("exclusive", False),
        timeout_s=fields.get("timeout", 60.0),
        changes_process=fields.get("changes_process", False),
        tags=fields.get("tags", ()),
        readers=fields.get("readers", ()),
        fixtures_root=roots[0] if roots else next(iter(source.world.fixtures_roots), source.path.parent),
    )


def _torn(
    source: Source, head: Node, selections: Mapping[str, Any], written: Mapping[str, list[Any]], claims: list[str]
) -> Case:
    name, title = ((part.value if (part := head.get(key)) else "") for key in ("scenario", "title"))
    expect, require = (
        tuple(_expectation(source, index, read, (), claims) for index, read in enumerate(written[key]))
        for key in ("expect", "require")
    )
    return Case(
        id=name if isinstance(name, str) else "",
        title=title if isinstance(title, str) else "",
        cell="",
        file=source.path.resolve(),
        at=source.root.at,
        claims=tuple(claims),
        arms={},
        select={name: one for name, one in selections.items() if one is not INVALID},
        expect=expect,
        require=require,
    )


def _cell_text(value: Atom) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return value.text if isinstance(value, Template) else str(value)


def _expectation(source: Source, index: int, read: Any, arms: tuple[str, ...], claims: list[str]) -> Expectation:
    form_name, form, fields = read
    named = (fields["claim"],) if "claim" in fields else fields.get("claims", tuple(claims))
    chosen = (fields["arm"],) if "arm" in fields else fields.get("arms")
    return Expectation(
        index=index,
        claims=named,
        form_name=form_name,
        form=form,
        at=fields.node.at,
        text=source_text(source.text, fields.node),
        control=fields.get("control", ()),
        arms=arms if chosen == "all" else chosen or arms[:1],
        because=fields.get("because", ""),
    )


def _check_unused(source: Source, used: set[str]) -> None:
    homes = [
        source.root.get("matrix"),
        source.root.get("let"),
        *(node.get("let") for node in source.arm_nodes.values()),
    ]
    for home in homes:
        for name, at in (home.keys if home else {}).items():
            if name not in used:
                remedy = f"use it as ${{{name}}}, or take it away"
                source.report.add(at, f'"{name}" is defined but never used', remedy=remedy)
