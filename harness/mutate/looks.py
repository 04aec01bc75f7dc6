"""What an expectation looks at: its selections with all that they are made from, and the paths that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from harness.scenario.model import (
    Aggregate,
    Alternate,
    Compare,
    Count,
    Each,
    Expectation,
    Form,
    Join,
    NoneOf,
    Order,
    Query,
    Ref,
    Same,
    Selection,
)

WHOLE_TABLES = ("events", "flows")  # of a query: they hold everything
CONTEXT_TABLES = ("marks", "server")
_NOISE = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_WORD = re.compile(r'(?:"?(\w+)"?\s*\.\s*)?"?(\w+)"?')
_ARGUMENT = re.compile(r"args((?:\s*->>?\s*'[^']+')+)")
_KEY = re.compile(r"'([^']+)'")
_FIELDS = ("ts", "dur", "tts", "tdur", "name", "cat", "pid", "tid", "id")


def refs_of(form: Form) -> list[Ref]:
    """The references that a form itself makes, in its order."""
    match form:
        case Count() | NoneOf():
            return [form.of]
        case Each():
            others = (form.inside, form.not_inside, form.parent, form.innermost, form.after, form.before)
            return [form.of, *(ref for ref in others if ref), *(inner.of for inner in form.contains)]
        case Order() | Alternate() | Same():
            return list(form.of)
        case Join():
            return [form.left, form.right]
        case Compare():
            return [side.of for side in _sides(form) if side.of is not None]
        case Query():
            return [form.over] if form.over else []


def _sides(form: Compare) -> list[Aggregate]:
    return [form.left, form.right] if form.right else [form.left]


def tables_of(form: Query, select: Mapping[str, Selection], arms: Iterable[str]) -> list[tuple[str | None, str]]:
    """The tables that the SQL may name, each with its arm where one is named."""
    known, found = {*select, *WHOLE_TABLES, *CONTEXT_TABLES}, dict[tuple[str | None, str], None]()
    for schema, table in _WORD.findall(_NOISE.sub(" ", form.sql)):
        if table in known:
            found.setdefault((schema if schema in set(arms) else None, table))
    return list(found)


def made_from(selection: Selection) -> list[str]:
    """The other selections that one names."""
    names = (
        selection.base,
        selection.gaps_of,
        selection.inside,
        selection.not_inside,
        selection.containing,
        selection.not_containing,
    )
    return [name for name in names if name is not None]


def chain(selection: Selection, select: Mapping[str, Selection]) -> list[Selection]:
    """A selection and those that it narrows, from itself up."""
    found = [selection]
    while (base := found[-1].base) is not None:
        found.append(select[base])
    return found


def selections_of(forms: Iterable[Form], select: Mapping[str, Selection], arms: Iterable[str]) -> list[Selection]:
    """All selections that forms look at, with those that these are made from."""
    found: dict[int, Selection] = {}

    def visit(selection: Selection) -> None:
        if id(selection) not in found:
            found[id(selection)] = selection
            for name in made_from(selection):
                visit(select[name])

    for form in forms:
        for ref in refs_of(form):
            visit(ref.narrowed or select[ref.name])
        if isinstance(form, Query):
            for _, table in tables_of(form, select, arms):
                if table in select:
                    visit(select[table])
    return list(found.values())


def forms_of(expectation: Expectation) -> list[Form]:
    return [expectation.form, *expectation.control]


def paths_of(form: Form) -> list[str]:
    """The paths that a form reads, those of a query as far as its text shows them."""
    return list(dict.fromkeys(_paths(form)))


def _paths(form: Form) -> Iterator[str]:
    match form:
        case Count():
            yield from form.per
        case Each():
            yield from (condition.path for condition in form.has)
            yield from (inner.equals_path for inner in form.contains if inner.equals_path)
        case Order() | Alternate():
            yield from form.by
        case Join():
            for left, right in form.on:
                yield from (left, right)
            for pair in form.pairs:
                yield from (pair.left, pair.right)
        case Compare():
            yield from (side.path for side in _sides(form) if side.of is not None and side.path)
        case Same():
            yield from (form.path, *form.by)
        case Query():
            for found in _ARGUMENT.finditer(form.sql):
                yield "args." + ".".join(_quoted(key) for key in _KEY.findall(found[1]))
            words = set(re.findall(r"\w+", _NOISE.sub(" ", form.sql)))
            yield from (field for field in _FIELDS if field in words)


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"\w+", key) else f'"{key}"'


def conditions_of(selection: Selection, select: Mapping[str, Selection]) -> list[str]:
    """The paths that a selection and those above it ask about."""
    return list(dict.fromkeys(c.path for one in chain(selection, select) for c in one.where))
