"""Which claims depend on an event, and which on one of its arguments: told by what their expectations look at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness.mutate.looks import forms_of, paths_of, selections_of
from harness.scenario.model import Case, Expectation, Query
from harness.trace.argpaths import parent_path

_QUOTED = re.compile(r"'([^']+)'")  # a query over all events names them in text
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
    return Dependents(tuple(dict.fromkeys(_look(case, one) for case in cases for one in case.expect)))


def _look(case: Case, expectation: Expectation) -> _Look:
    forms = forms_of(expectation)
    selections = selections_of(forms, case.select, case.arms)
    names = {name for one in selections for name in one.names if isinstance(name, str)}
    names |= {quoted for form in forms if isinstance(form, Query) for quoted in _QUOTED.findall(form.sql)}
    patterns = {one.name_matches for one in selections if one.name_matches}
    paths = {path for form in forms for path in paths_of(form)}
    paths |= {path for one in selections for path in (*one.by, *(condition.path for condition in one.where))}
    return _Look(
        expectation.claims or case.claims,
        frozenset(names),
        tuple(re.compile(text) for text in sorted(patterns)),
        frozenset(_INDEX.sub("[]", path) for path in paths),
    )


def _touch(path: str, read: str) -> bool:
    """Whether a test that reads one path can notice that another is there or not: itself, its parent, a part of it."""
    return read == path or (read.startswith(path) and read[len(path)] in ".[") or parent_path(path) == read
