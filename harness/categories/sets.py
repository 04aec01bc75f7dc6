"""Category sets: the files of `configs/categories/`, each a named list of trace categories and what it is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness import paths
from harness.errors import ConfigError, Problem, ScenarioError
from harness.scenario.nodes import read
from harness.scenario.report import Invalid, Report
from harness.scenario.schema import Fields, Json, Key, Keys, ListOf, MapOf
from harness.scenario.tree import Node
from harness.scenario.words import CATEGORY, PROSE, VERSIONS, text_like
from harness.wording import did_you_mean, listed

KNOWN_FILE = "known.yaml"
_NAME = r"[a-z0-9]+(?:[.-][a-z0-9]+)*"


@dataclass(frozen=True, slots=True)
class CategorySet:
    """`optional`: names that a tool sends although some builds do not know them; a missing one is no mistake."""

    name: str
    title: str
    purpose: str
    categories: tuple[str, ...]
    source: str
    optional: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


def _name(text: str) -> str:
    if not re.fullmatch(_NAME, text):
        raise ValueError(f'"{text}" is not the name of a set: small letters, digits, dots and dashes')
    return text


def _build(fields: Fields, report: Report) -> Any:
    get = fields.get
    return CategorySet(
        fields["name"],
        fields["title"],
        fields["for"],
        fields["categories"],
        fields["source"],
        get("optional", ()),
        get("includes", ()),
    )


_SET_NAME = text_like("the name of a set", _name, _NAME)
_SET = Keys(
    "category set",
    {
        "name": Key(_SET_NAME, "the file's name without .yaml", required=True),
        "title": Key(PROSE, "a few words", required=True),
        "for": Key(PROSE, "what one records it for", required=True),
        "includes": Key(ListOf(_SET_NAME, at_least=1), "other sets, whose categories come first"),
        "categories": Key(ListOf(CATEGORY, at_least=1), "trace categories", required=True),
        "optional": Key(ListOf(CATEGORY, at_least=1), "sent too, but some builds do not know them"),
        "source": Key(PROSE, "where the list is from", required=True),
    },
    _build,
)
_KNOWN = Keys(
    "list of known categories",
    {
        key: Key(MapOf(ListOf(VERSIONS, at_least=1), "a category"), says, required=True)
        for key, says in (
            ("seen", "category -> majors whose Tracing.getCategories named it"),
            ("traces", "category -> majors in whose traces it was met"),
        )
    },
)


def set_schema() -> Json:
    """JSON Schema, draft 2020-12, of a category set."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "traceproof categories",
        **_SET.json({}),
    }


def read_sets(folder: Path) -> Mapping[str, CategorySet]:
    """Every set in a folder by name, in order of the names; `ConfigError` with all that is wrong."""
    report = Report()
    found: dict[str, CategorySet] = {}
    nodes: dict[str, Node] = {}
    for path in sorted(folder.glob("*.yaml")):
        if path.name == KNOWN_FILE:
            continue
        try:
            root, _ = read(path)
        except ScenarioError as error:
            report.problems.extend(error.problems)
            continue
        entry = _SET.read(root, report)
        if isinstance(entry, Invalid):
            continue
        if entry.name != path.stem:
            remedy = f"name the file {entry.name}.yaml"
            report.add(root.at, f'the set "{entry.name}" is in a file of another name', found=path.name, remedy=remedy)
        found[entry.name], nodes[entry.name] = entry, root
    for entry in found.values():
        for name in entry.includes:
            if name not in found:
                remedy = did_you_mean(name, found)
                report.add(nodes[entry.name].at, f'there is no set "{name}"', expected=listed(found, 60), remedy=remedy)
            elif found[name].includes:
                report.add(nodes[entry.name].at, f'"{name}" includes other sets itself', remedy="include those instead")
    if report.problems:
        raise ConfigError(report.problems)
    return found


@cache
def category_sets() -> Mapping[str, CategorySet]:
    """The sets that come with traceproof."""
    return read_sets(paths.configs_root() / "categories")


@cache
def known_categories() -> Mapping[str, tuple[int, ...]]:
    """Every category that was ever seen, with the majors that had it: what to go by when a browser does not answer."""
    path = paths.configs_root() / "categories" / KNOWN_FILE
    report = Report()
    root, _ = read(path)
    fields = _KNOWN.read(root, report)
    if isinstance(fields, Invalid):
        raise ConfigError(report.problems or Problem("cannot be read", str(path)))
    merged = {**fields["traces"], **fields["seen"]}
    return {name: tuple(span[0] for major in majors for span in major.spans) for name, majors in merged.items()}
