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
_NOISE = re.compile(
    r"""("(?:[^"]|"")*")|--[^\n]*|/\*.*?\*/|\$\$.*?\$\$|\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'""",
    re.DOTALL | re.IGNORECASE,
)
_WORD = re.compile(r'(?:"?(\w+)"?\s*\.\s*)?"?(\w+)"?')
_ARGUMENT = re.compile(r"(?:(\w+)\s*\.\s*)?\bargs((?:\s*->>?\s*(?:'[^']+'|\d+))+)")
_EXTRACTED = re.compile(
    r"json_(?:extract(?:_string|_path|_path_text)?|value|exists|type|array_length|keys)\s*"
    r"\(\s*(?:(\w+)\s*\.\s*)?args\s*,\s*('[^']+')",
    re.IGNORECASE,
)
_KEY = re.compile(r"'([^']+)'|(\d+)")
_AFTER_A_TABLE = (
    "where|join|left|right|inner|full|cross|on|using|group|order|having|window|limit|union|except|intersect"
)
_OF_JSON_PATH = re.compile(r"\.\"([^\"]+)\"|\.(\w+)|\[(\d+)\]|\[(\*)\]")
_FIELDS = ("ts", "dur", "tts", "tdur", "written", "name", "cat", "pid", "tid", "id", "scope")


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
    for schema, table in _WORD.findall(_code(form.sql)):
        if table in known:
            found.setdefault((schema if schema in set(arms) else None, table))
    return list(found)


def _code(sql: str) -> str:
    """SQL without its comments and texts; names in quotes stay, whatever is in them."""
    return _NOISE.sub(r"\1 ", sql)


def names_in(form: Query) -> list[str]:
    """Every text that the SQL quotes, whatever it is compared with: names of events are among them."""
    return re.findall(r"'([^']+)'", form.sql)


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
            yield from (path for _, path in _arguments(form.sql))
            words = set(re.findall(r"\w+", _code(form.sql)))
            yield from (field for field in _FIELDS if field in words)


def _arguments(sql: str) -> Iterator[tuple[str, str]]:
    """Each argument that SQL reads, with the name before it: `f` of `f.args->>'x'`, empty for none."""
    for found in (*_ARGUMENT.finditer(sql), *_EXTRACTED.finditer(sql)):
        yield found[1] or "", "args" + "".join(_step(key, index) for key, index in _KEY.findall(found[2]))


def read_of(form: Query, table: str, tables: Iterable[str]) -> list[str]:
    """The arguments that SQL may read of one of its tables: not those that it reads by the names of others only."""
    sql = _code(form.sql)
    named: dict[str, set[str]] = {}
    for one in tables:
        for alias in (one, *re.findall(rf"\b{one}\s+(?:as\s+)?(?!(?:{_AFTER_A_TABLE})\b)(\w+)", sql, re.IGNORECASE)):
            named.setdefault(alias, set()).add(one)
    return list(dict.fromkeys(path for name, path in _arguments(form.sql) if table in named.get(name, {table})))


def allows_only(form: Query, table: str) -> bool:
    """Whether the SQL looks at a table only for what there is to be none of: `not exists (select … from t …)`.

    Without anything in it such a query finds more, not less.
    """
    sql, inside, found = _NOISE.sub(" ", form.sql), list[bool](), list[bool]()
    for piece in re.finditer(rf"(not\s+exists\s*)?\(|\)|\b{table}\b(?!\s*\.)", sql, re.IGNORECASE):
        if piece[0] == ")":
            inside = inside[:-1]
        elif piece[0].endswith("("):
            inside.append(piece[1] is not None)
        else:
            found.append(sum(inside) % 2 == 1)
    return bool(found) and all(found)


def _step(key: str, index: str) -> str:
    """A step of SQL as one of our paths: `'a'`, `0`, and a whole path `'$.a[*].b'` or `'/a/0'` as DuckDB takes them."""
    if index:
        return f"[{index}]"
    if key.startswith("$"):
        steps = _OF_JSON_PATH.findall(key)  # up to what no path of ours can say, such as `.*`
        return "".join("[]" if star else _step(quoted or plain, number) for quoted, plain, number, star in steps)
    if key.startswith("/"):
        return "".join(_step("" if one.isdigit() else one, one if one.isdigit() else "") for one in key[1:].split("/"))
    return f".{key}" if re.fullmatch(r"\w+", key) else f'."{key}"'


def conditions_of(selection: Selection, select: Mapping[str, Selection]) -> list[str]:
    """The paths that a selection and those above it ask about."""
    return list(dict.fromkeys(c.path for one in chain(selection, select) for c in one.where))
