"""Which claims depend on an event, and which on one of its arguments: told by what their expectations look at."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.compare.vocabulary import parent_path
from harness.scenario.model import Case, Condition, Place, Query, Ref, Selection

_PATH_FIELDS = ("path", "by", "per", "on", "equals_path", "left", "right")  # of forms; those that hold text hold paths
_SELECTIONS = ("base", "gaps_of", "inside", "not_inside", "containing", "not_containing")
_ARGUMENT = re.compile(r"args((?:\s*->>?\s*'[^']+')+)")
_INDEX = re.compile(r"\[-?\d+\]")


@dataclass(frozen=True, slots=True)
class _Look:
    """One expectation: the events that it looks at, by name or pattern, and the argument paths that it reads."""

    claims: tuple[str, ...]
    names: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]
    paths: frozenset[str]

    def at(self, name: str) -> bool:
        return name in self.names or any(pattern.search(name) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Dependents:
    """Made by `dependents`; asked for one event, or for one argument of one event."""

    _looks: tuple[_Look, ...]

    def of(self, name: str, path: str = "") -> tuple[str, ...]:
        """Claims in order. With `path` only those whose expectations would notice its absence."""
        looks = [look for look in self._looks if look.at(name)]
        if path:
            looks = [look for look in looks if any(_touch(path, read) for read in look.paths)]
        return tuple(sorted({claim for look in looks for claim in look.claims}))


def dependents(cases: Iterable[Case]) -> Dependents:
    """What all expectations of the cases look at."""
    looks: dict[_Look, None] = {}
    for case in cases:
        for expectation in case.expect:
            seen = _Seen(case)
            for form in (expectation.form, *expectation.control):
                seen.look(form)
            patterns = tuple(re.compile(text) for text in sorted(seen.found["pattern"]))
            names, paths = frozenset(seen.found["name"]), frozenset(seen.found["path"])
            looks[_Look(expectation.claims or case.claims, names, patterns, paths)] = None
    return Dependents(tuple(looks))


@dataclass(slots=True)
class _Seen:
    case: Case
    found: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _done: set[str] = field(default_factory=set)

    def look(self, part: Any) -> None:
        """A form or any part of one."""
        match part:
            case Ref():
                self._selection(part.narrowed) if part.narrowed else self._named(part.name)
            case Condition():
                self._path(part.path)
            case Query():
                self._query(part.sql)
                self.look(part.over)
            case tuple():
                for each in part:
                    self.look(each)
            case Place():
                pass
            case _ if dataclasses.is_dataclass(part):
                for each in dataclasses.fields(part):
                    value = getattr(part, each.name)
                    if each.name in _PATH_FIELDS:
                        for text in _texts(value):
                            self._path(text)
                    self.look(value)

    def _named(self, name: str) -> None:
        if name not in self._done and name in self.case.select:
            self._done.add(name)
            self._selection(self.case.select[name])

    def _selection(self, selection: Selection) -> None:
        self.found["name"].update(name for name in selection.names if isinstance(name, str))
        if selection.name_matches:
            self.found["pattern"].add(selection.name_matches)
        self.look(selection.where)
        for path in selection.by:
            self._path(path)
        for other in (getattr(selection, key) for key in _SELECTIONS):
            if other is not None:
                self._named(other)

    def _query(self, sql: str) -> None:
        """Every selection whose name the text has, every event that it quotes, every argument that it reaches into."""
        for word in set(re.findall(r"\w+", sql)):
            self._named(word)
        self.found["name"].update(re.findall(r"'((?:[^'])+)'", sql))
        for chain in _ARGUMENT.findall(sql):
            self._path(".".join(["args", *re.findall(r"'([^']+)'", chain)]))

    def _path(self, path: str) -> None:
        self.found["path"].add(_INDEX.sub("[]", path))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each)


def _touch(path: str, read: str) -> bool:
    """Whether a test that reads one path can notice that another is there or not: itself, its parent, a part of it."""
    return read == path or (read.startswith(path) and read[len(path)] in ".[") or parent_path(path) == read
