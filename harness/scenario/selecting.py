"""How selections, conditions and references to selections are written."""

from __future__ import annotations

import re
from typing import Any

from harness.scenario.mentions import WINDOW, SelectionName
from harness.scenario.model import Condition, Ref, Selection, ValueTest
from harness.scenario.report import INVALID, Report
from harness.scenario.schema import ByKind, Choice, Fields, Json, Key, Keys, ListOf, Named, Schema
from harness.scenario.tree import Node
from harness.scenario.words import (
    ATOM,
    CATEGORY,
    NUMBER_FIELDS,
    NUMBER_TEST,
    PATH,
    PHASE,
    REGEX,
    ROLE,
    TEXT,
    TRUE,
    number,
    parse_path,
)
from harness.wording import listed

VALUE_TYPES = ("string", "integer", "number", "boolean", "list", "object", "null")
OPERATORS = {
    "is": Key(ATOM, "equals, by type too: 1 is not true and not the text 1, but 1 and 1.0 are equal"),
    "not": Key(ATOM, "is there and differs"),
    "present": Key(TRUE, "the path leads to a value"),
    "absent": Key(TRUE, "the path leads nowhere"),
    "compare": Key(NUMBER_TEST, "a number test"),
    "matches": Key(REGEX, "a regular expression that is found anywhere in the text"),
    "one_of": Key(ListOf(ATOM, at_least=1), "equals one of these"),
    "type": Key(Choice(VALUE_TYPES, "type"), "the JSON type of the value"),
    "keys": Key(ListOf(TEXT), "an object with exactly these keys"),
    "length": Key(NUMBER_TEST, "a number test on the length of a list, an object or a text"),
}
_LOOKS_LIKE_COMPARISON = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*[-+]?\d.*")


def _build_tests(fields: Fields, report: Report) -> Any:
    if not fields:
        return report.add(fields.node.at, "this test is empty", expected=f"one of {listed(OPERATORS)}")
    return tuple(ValueTest(op, operand) for op, operand in fields.items())  # type: ignore[arg-type]  # of OPERATORS


class Equals(Schema):
    """A bare scalar: the value equals it. A text that looks like a comparison was meant as one."""

    expected = "a value, or a mapping of operators"

    def read(self, node: Node, report: Report) -> Any:
        value = node.value
        if isinstance(value, str) and _LOOKS_LIKE_COMPARISON.fullmatch(value):
            remedy = f'write {{compare: "{value}"}} for the comparison, or {{is: "{value}"}} for this very text'
            return self.wrong(node, report, "a bare text is compared letter by letter", remedy)
        return (ValueTest("is", value),)

    def json(self, defs: Json) -> Json:
        return ATOM.json(defs)


class OneOfInstead(Schema):
    """A list where a test should be."""

    expected = "a value, or a mapping of operators"

    def read(self, node: Node, report: Report) -> Any:
        return self.wrong(node, report, "a list is not a test", "write {one_of: [...]} for any of these values")

    def json(self, defs: Json) -> Json:
        return {"not": {}}


VALUE_TEST = Named(
    "value-test",
    "a value, or a mapping of operators",
    lambda: ByKind(scalar=Equals(), mapping=Keys("test", OPERATORS, _build_tests), many=OneOfInstead()),
)


class Where(Schema):
    """A mapping from paths to tests, answered as conditions."""

    expected = "a mapping from paths to tests, such as {args.data.url: {matches: style}}"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, dict) or not node.value:
            return self.wrong(node, report)
        conditions = [self.condition(key, part, node, report) for key, part in node.items()]
        return INVALID if INVALID in conditions else tuple(conditions)

    def condition(self, key: str, part: Node, node: Node, report: Report) -> Any:
        at = node.keys[key]
        tests = VALUE_TEST.read(part, report)
        try:
            parse_path(key)
        except ValueError as error:
            said, _, expected = str(error).partition("; expected ")
            return report.add(at, said, expected=expected, found=f'the key "{key}"')
        if tests is INVALID:
            return INVALID
        for test in tests:
            if key in NUMBER_FIELDS and test.op == "is" and isinstance(test.operand, str):
                return report.add(
                    part.at,
                    f"{key} is a number and never equals a text",
                    expected="a number or {compare: …}",
                    found=f'the text "{test.operand}"',
                    remedy=f'write {{compare: "{test.operand}"}}',
                )
        return Condition(key, tests, at)

    def json(self, defs: Json) -> Json:
        return {"type": "object", "minProperties": 1, "additionalProperties": VALUE_TEST.json(defs)}


WHERE = Named("where", Where.expected, Where)
_TAKE = ByKind(scalar=Choice(("first", "last"), "place in a selection"))


class Take(Schema):
    """`first`, `last` or an index."""

    expected = "first, last or a whole number (from 0; negative from the end)"

    def read(self, node: Node, report: Report) -> Any:
        if isinstance(node.value, str):
            return _TAKE.read(node, report)
        return number(self.expected, whole=True).read(node, report)

    def json(self, defs: Json) -> Json:
        return {"anyOf": [{"enum": ["first", "last"]}, number("", whole=True).json(defs)]}


NAMES = ListOf(TEXT, at_least=1, one_or_many=True)
PATHS = ListOf(PATH, at_least=1, one_or_many=True)
NARROWING = {
    "name": Key(NAMES, "the event's name, or several"),
    "name_matches": Key(REGEX, "a regular expression that is found in the name"),
    "cat": Key(CATEGORY, "one of the event's categories"),
    "phase": Key(ListOf(PHASE, at_least=1, one_or_many=True), "phases, as words or letters"),
    "on": Key(ROLE, "process and thread"),
    "thread_matches": Key(REGEX, "a regular expression that is found in the thread's name"),
    "during": Key(WINDOW, "two marks: the event starts at or after the first and before the second"),
    "where": Key(WHERE, "tests on arguments and fields"),
    "inside": Key(SelectionName(), "lies inside an event of this selection, on the same thread"),
    "not_inside": Key(SelectionName(), "lies inside no event of this selection"),
    "containing": Key(SelectionName(), "an event of this selection lies inside it"),
    "not_containing": Key(SelectionName(), "no event of this selection lies inside it"),
    "take": Key(Take(), "only the first, the last or the one with this index"),
}
SELECTION_KEYS = {
    "source": Key(Choice(("trace", "server", "marks"), "source"), "where the events come from; trace if not given"),
    "of": Key(SelectionName(arm=True), "another selection that this one narrows"),
    "gaps_of": Key(SelectionName(), "the times between the events of another selection"),
    "by": Key(PATHS, "with gaps_of: gaps within groups that have the same values at these paths"),
    **NARROWING,
}
_TRACE_ONLY = ("cat", "phase", "on", "thread_matches", "inside", "not_inside", "containing", "not_containing")


def narrowing_of(fields: Fields, base: str | None, arm: str | None = None) -> Selection:
    """A selection from the narrowing keys among the fields."""
    get = fields.get
    return Selection(
        at=fields.node.at,
        base=base,
        arm=arm,
        names=get("name", ()),
        name_matches=get("name_matches"),
        cat=get("cat"),
        phases=get("phase", ()),
        on=get("on"),
        thread_matches=get("thread_matches"),
        during=get("during"),
        where=get("where", ()),
        inside=get("inside"),
        not_inside=get("not_inside"),
        containing=get("containing"),
        not_containing=get("not_containing"),
        take=get("take"),
        source=get("source", "trace"),
        gaps_of=get("gaps_of"),
        by=get("by", ()),
    )


def _build_selection(fields: Fields, report: Report) -> Any:
    source = fields.get("source", "trace")
    if source != "trace" and (strange := [key for key in _TRACE_ONLY if key in fields]):
        message = f"{strange[0]} has no meaning with source: {source}"
        return report.add(fields.node.keys[strange[0]], message, remedy=f"take {strange[0]} away")
    if "of" in fields and "gaps_of" in fields:
        message = "of and gaps_of stand in one selection"
        return report.add(fields.node.keys["gaps_of"], message, remedy="narrow the gaps in a second selection with of")
    if "by" in fields and "gaps_of" not in fields:
        return report.add(fields.node.keys["by"], "by has a meaning only beside gaps_of", remedy="take by away")
    base, arm = fields.get("of", (None, None))
    return narrowing_of(fields, base, arm)


SELECTION = Named(
    "selection", "a mapping that picks events", lambda: Keys("selection", SELECTION_KEYS, _build_selection)
)


class RefText(SelectionName):
    """A reference by name alone."""

    def read(self, node: Node, report: Report) -> Any:
        parts = super().read(node, report)
        return INVALID if parts is INVALID else Ref(parts[0], parts[1], node.at)


def _build_ref(fields: Fields, report: Report) -> Any:
    name, arm = fields["of"]
    narrowed = narrowing_of(fields, name) if len(fields) > 1 else None
    return Ref(name, arm, fields.at("of"), narrowed)


REF = Named(
    "reference",
    "the name of a selection, name@arm, or {of: name, and what narrows it}",
    lambda: ByKind(
        scalar=RefText(arm=True),
        mapping=Keys("reference", {"of": Key(SelectionName(arm=True), required=True), **NARROWING}, _build_ref),
    ),
)


REFS = ListOf(REF, at_least=1)


def of_key(says: str = "the selection") -> Key:
    """The key that a form cannot do without."""
    return Key(REF, says, required=True)


def narrow(ref: Ref, fields: Fields, keys: tuple[str, ...], report: Report) -> Any:
    """The reference, narrowed by what stands beside it in its form."""
    given = [key for key in keys if key in fields]
    if not given:
        return ref
    if ref.narrowed:
        message = f"the selection is narrowed twice: in `of` and by {given[0]} beside it"
        return report.add(fields.node.keys[given[0]], message, remedy="write all of it into `of`, or none of it")
    only = Fields(fields.node, {key: fields[key] for key in given})
    return Ref(ref.name, ref.arm, ref.at, narrowing_of(only, ref.name))
