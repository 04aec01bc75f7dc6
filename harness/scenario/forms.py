"""How expectations are written: one form key each, checked and turned into the model's objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.numbers import NumberTest, parse_number_test
from harness.scenario.model import (
    Aggregate,
    Alternate,
    Compare,
    Contains,
    Count,
    Each,
    Join,
    NoneOf,
    Order,
    PairTest,
    Query,
    Ref,
    Same,
    Template,
)
from harness.scenario.nodes import Node
from harness.scenario.schema import (
    INVALID,
    ByKind,
    Choice,
    Fields,
    Forms,
    Json,
    Key,
    Keys,
    ListOf,
    MapOf,
    Named,
    Report,
    Schema,
)
from harness.scenario.selecting import NARROWING, PATHS, REF, WHERE, RefText, narrow
from harness.scenario.words import (
    ARM,
    BOOL,
    CLAIM,
    IDENTIFIER,
    NUMBER_PATH,
    NUMBER_TEST,
    PATH,
    PROSE,
    number,
    parse_number_path,
    parse_path,
    text_like,
)

AT_LEAST_ONE = parse_number_test(">= 1")
ZERO = NumberTest("none", 0, 0)
ONE = NumberTest("one", 1, 1)
_EACH_NARROWING = ("where", "during", "on", "phase")
_REFS = ListOf(REF, at_least=1)


def _of(says: str = "the selection") -> Key:
    return Key(REF, says, required=True)


def _pick(*names: str) -> dict[str, Key]:
    return {name: NARROWING[name] for name in names}


# --- count, none ----------------------------------------------------------------------------------------------------


def _build_count(fields: Fields, report: Report) -> Any:
    of = narrow(fields["of"], fields, tuple(NARROWING), report)
    return of if of is INVALID else Count(of, fields["is"], fields.get("per", ()))


def _build_none(fields: Fields, report: Report) -> Any:
    of = narrow(fields["of"], fields, tuple(NARROWING), report)
    return of if of is INVALID else NoneOf(of)


COUNT = Keys(
    "count",
    {
        "of": _of(),
        "is": Key(NUMBER_TEST, "how many", required=True),
        "per": Key(PATHS, "count each group that has the same values at these paths"),
        **NARROWING,
    },
    _build_count,
)
NONE = Keys("none", {"of": _of(), **NARROWING}, _build_none)


# --- each -----------------------------------------------------------------------------------------------------------


class HowMany(Schema):
    """A number test, or the path of the outer event's own number."""

    expected = f"{NUMBER_TEST.expected}, or the path of the outer event's own number"

    def read(self, node: Node, report: Report) -> Any:
        if isinstance(node.value, str) and re.match(r"[A-Za-z]", node.value):
            return NUMBER_PATH.read(node, report)
        return NUMBER_TEST.read(node, report)

    def json(self, defs: Json) -> Json:
        return {"type": ["number", "string"]}


def _build_contains(fields: Fields, report: Report) -> Any:
    how_many = fields.get("is", AT_LEAST_ONE)
    path = how_many if isinstance(how_many, str) else None
    return Contains(fields["of"], AT_LEAST_ONE if path else how_many, path, fields.get("innermost", False))


class ContainsName(RefText):
    """A bare name: at least one of these lies inside."""

    def read(self, node: Node, report: Report) -> Any:
        ref = super().read(node, report)
        return ref if ref is INVALID else Contains(ref, AT_LEAST_ONE)


CONTAINS = ByKind(
    scalar=ContainsName(arm=True),
    mapping=Keys(
        "contains",
        {
            "of": _of(),
            "is": Key(HowMany(), 'how many; ">= 1" if not given'),
            "innermost": Key(BOOL, "only those whose nearest ancestor in the outer selection is this event"),
        },
        _build_contains,
    ),
)
_EACH_TESTS = {
    "has": Key(WHERE, "tests on its arguments and fields"),
    "inside": Key(REF, "it lies inside one of these"),
    "not_inside": Key(REF, "it lies inside none of these"),
    "parent": Key(REF, "the slice right above it is one of these"),
    "contains": Key(ListOf(CONTAINS, at_least=1, one_or_many=True), "what lies inside it, and how many"),
    "innermost": Key(REF, "none of these lies inside it"),
    "after": Key(REF, "it starts after the end of one of these"),
    "before": Key(REF, "it ends before the start of one of these"),
}


def _build_each(fields: Fields, report: Report) -> Any:
    of = narrow(fields["of"], fields, _EACH_NARROWING, report)
    tests = {key: fields[key] for key in _EACH_TESTS if key in fields}
    if not tests:
        remedy = "say what each of them must have, or use count"
        return report.add(
            fields.node.at, "each tests nothing", expected=f"one of {', '.join(_EACH_TESTS)}", remedy=remedy
        )
    return of if of is INVALID else Each(of, **tests)


EACH = Keys("each", {"of": _of(), **_EACH_TESTS, **_pick(*_EACH_NARROWING)}, _build_each)


# --- order, alternate, join -----------------------------------------------------------------------------------------


def _build_order(fields: Fields, report: Report) -> Any:
    if len(fields["of"]) < 2:
        return report.add(fields.at("of"), "an order takes at least two selections", found="one")
    return Order(fields["of"], fields.get("by", ()), fields.get("match", "all"), fields.get("edge", "start"))


ORDER = Keys(
    "order",
    {
        "of": Key(_REFS, "the selections, earliest first", required=True),
        "by": Key(PATHS, "within groups that have the same values at these paths"),
        "match": Key(
            Choice(("all", "pairwise")), "every one before every one of the next, or the i-th before the i-th"
        ),
        "edge": Key(Choice(("start", "end")), "which edge of the earlier is compared with the start of the later"),
    },
    _build_order,
)
ALTERNATE = Keys(
    "alternate",
    {
        "of": Key(ListOf(REF, exactly=2), "the two selections that take turns", required=True),
        "by": Key(PATHS, "within groups that have the same values at these paths"),
        "tail": Key(Choice(("complete", "open")), "open lets the last first stand alone"),
    },
    lambda fields, report: Alternate(fields["of"], fields.get("by", ()), fields.get("tail", "complete")),
)
_RELATIONS = ("one-to-one", "one-to-many", "many-to-one", "many-to-many")
_PAIR = re.compile(r"\s*(\S+)\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*")


def _parse_pair(text: str) -> PairTest:
    if not (found := _PAIR.fullmatch(text)):
        raise ValueError(f'"{text}" is not a comparison of two paths')
    return PairTest(parse_number_path(found[1]), found[2], parse_number_path(found[3]))


def _build_join(fields: Fields, report: Report) -> Any:
    if ("on" in fields) == ("by" in fields):
        found = "both" if "on" in fields else "neither"
        return report.add(
            fields.node.at, "a join takes either on or by", found=found, expected="on: [paths] or by: containment"
        )
    on = fields.get("on", ())
    pairs = tuple(on.items()) if isinstance(on, dict) else tuple((path, path) for path in on)
    unmatched: Mapping[str, NumberTest] = fields.get("unmatched", {})
    return Join(
        fields["left"],
        fields["right"],
        pairs,
        "by" in fields,
        fields.get("relation", "one-to-one"),
        unmatched.get("left"),
        unmatched.get("right"),
        fields.get("pairs", ()),
    )


JOIN = Keys(
    "join",
    {
        "left": _of("the one side"),
        "right": _of("the other side"),
        "on": Key(
            ByKind(scalar=PATH, many=ListOf(PATH, at_least=1), mapping=MapOf(PATH, "a path", parse_path, 1)),
            "paths whose values are equal on both sides, or a mapping from left to right paths",
        ),
        "by": Key(Choice(("containment",)), "the right event lies inside the left"),
        "relation": Key(Choice(_RELATIONS, "relation"), "how many partners a side may have; one-to-one if not given"),
        "unmatched": Key(
            Keys("unmatched", {"left": Key(NUMBER_TEST), "right": Key(NUMBER_TEST)}), "how many may lack a partner; 0"
        ),
        "pairs": Key(
            ListOf(text_like('a comparison such as "ts <= ts"', _parse_pair)),
            "holds for the numbers of each pair, left first",
        ),
    },
    _build_join,
)


# --- compare --------------------------------------------------------------------------------------------------------


class Constant(Schema):
    """A number, or a run-time name that is one."""

    expected = "an aggregate or a number"

    def read(self, node: Node, report: Report) -> Any:
        if isinstance(node.value, Template):
            return Aggregate("constant", node.at, constant=node.value)
        value = number("an aggregate or a number").read(node, report)
        return value if value is INVALID else Aggregate("constant", node.at, constant=float(value))

    def json(self, defs: Json) -> Json:
        return number("").json(defs)


class ValuePath(Schema):
    """`name` or `name.path`: what a step returned under `as: name`."""

    expected = "the name that a step gave with `as`, with a path into it where it is no number: reads.total"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, str) or not re.fullmatch(rf"{IDENTIFIER}([.\[]\S*)?", node.value):
            return self.wrong(node, report)
        report.use("value", re.split(r"[.\[]", node.value)[0], node.at)
        return node.value

    def json(self, defs: Json) -> Json:
        return {"type": "string"}


def _build_aggregate(kind: str, fields: Fields, report: Report) -> Any:
    at = fields.node.at
    if kind == "value":
        return Aggregate("value", at, path=fields["value"], arm=fields.get("arm"))
    if kind == "count":
        return Aggregate("count", at, of=fields["count"])
    return Aggregate(kind, at, of=fields["of"], path=fields[kind])  # type: ignore[arg-type]


_STATISTICS = ("sum", "median", "mean", "min", "max")
AGGREGATE = Named(
    "aggregate",
    "an aggregate such as {sum: dur, of: passes}, or a number",
    lambda: ByKind(
        scalar=Constant(),
        mapping=Forms(
            "aggregate",
            {
                "count": {"count": Key(REF, "how many events the selection has")},
                **{
                    word: {word: Key(NUMBER_PATH, f"the {word} of the numbers at this path"), "of": _of()}
                    for word in _STATISTICS
                },
                "value": {"value": Key(ValuePath(), "what a step returned"), "arm": Key(ARM, "in which arm")},
            },
            build=_build_aggregate,
        ),
    ),
)
_MEASURES = ("is", "ratio", "difference")


def _build_compare(fields: Fields, report: Report) -> Any:
    given = [key for key in _MEASURES if key in fields]
    if len(given) != 1:
        found = ", ".join(given) or "none of them"
        return report.add(
            fields.node.at, "compare takes exactly one measure", expected=f"one of {', '.join(_MEASURES)}", found=found
        )
    measure = given[0]
    if measure == "is" and "right" in fields:
        remedy = "use ratio or difference, or take right away"
        return report.add(fields.node.keys["right"], "`is` tests left alone: right is not looked at", remedy=remedy)
    if measure != "is" and "right" not in fields:
        return report.add(fields.node.at, f"{measure} needs two sides", expected="right: an aggregate or a number")
    return Compare(fields["left"], measure, fields[measure], fields.get("right"))  # type: ignore[arg-type]


COMPARE = Keys(
    "compare",
    {
        "left": Key(AGGREGATE, "an aggregate", required=True),
        "right": Key(AGGREGATE, "what it is compared with"),
        "is": Key(NUMBER_TEST, "a test on left itself"),
        "ratio": Key(NUMBER_TEST, "a test on left / right"),
        "difference": Key(NUMBER_TEST, "a test on left - right"),
    },
    _build_compare,
)


# --- same, differ, query --------------------------------------------------------------------------------------------


def _same(differ: bool) -> Keys:
    return Keys(
        "differ" if differ else "same",
        {
            "of": Key(ByKind(scalar=REF, mapping=REF, many=_REFS), "one selection, or several", required=True),
            "values": Key(PATH, "the path of the values", required=True),
            "as": Key(Choice(("set", "multiset", "sequence")), "whether repetition and order count; set if not given"),
            "by": Key(PATHS, "within groups that have the same values at these paths"),
        },
        lambda fields, report: Same(
            (fields["of"],) if isinstance(fields["of"], Ref) else fields["of"],
            fields["values"],
            differ,
            fields.get("by", ()),
            fields.get("as", "set"),
        ),
    )


class Rows(Schema):
    """`none`, `one`, a number test on the number of rows, or the rows themselves."""

    expected = "none, one, a number test, or the rows as a list of lists"

    def read(self, node: Node, report: Report) -> Any:
        if isinstance(node.value, list):
            if any(not isinstance(row.value, list) for row in node.value):
                return self.wrong(node, report, "each row is a list of its columns", "write [[1, a], [2, b]]")
            return tuple(tuple(column.plain() for column in row.parts()) for row in node.parts())
        if node.value == "none":
            return ZERO
        return ONE if node.value == "one" else NUMBER_TEST.read(node, report)

    def json(self, defs: Json) -> Json:
        return {"anyOf": [{"type": ["number", "string"]}, {"type": "array", "items": {"type": "array"}}]}


def _build_query(fields: Fields, report: Report) -> Any:
    rows, over = fields["rows"], fields.get("over")
    if rows is ZERO and over is None:
        remedy = "name a selection that must not be empty: over: requests"
        return report.add(
            fields.at("rows"),
            "`rows: none` proves nothing over an empty recording",
            expected="over: a selection",
            remedy=remedy,
        )
    count = rows if isinstance(rows, NumberTest) else None
    return Query(fields["query"].rstrip(), count, None if count else rows, over)


# --- the table ------------------------------------------------------------------------------------------------------

FORMS: dict[str, dict[str, Key]] = {
    "count": {"count": Key(COUNT, "how many events a selection has")},
    "each": {"each": Key(EACH, "what each event of a selection must have; an empty one fails")},
    "none": {"none": Key(NONE, "the selection is empty; takes a control")},
    "order": {"order": Key(ORDER, "selections follow each other in time")},
    "alternate": {"alternate": Key(ALTERNATE, "two selections take turns")},
    "join": {"join": Key(JOIN, "events of two selections belong together")},
    "compare": {"compare": Key(COMPARE, "a number, or the ratio or difference of two")},
    "same": {"same": Key(_same(False), "the values are the same everywhere")},
    "differ": {"differ": Key(_same(True), "no value occurs twice")},
    "query": {
        "query": Key(PROSE, "DuckDB SQL; each selection is a table"),
        "rows": Key(Rows(), "what the query must answer", required=True),
        "over": Key(REF, "a selection that must not be empty"),
    },
}


def build_form(name: str, fields: Fields, report: Report) -> Any:
    return _build_query(fields, report) if name == "query" else fields[name]


CONTROL = Named(
    "control",
    "an expectation form such as {count: {of: reads, is: '>= 1'}}, or a list of them",
    lambda: ListOf(Forms("control", FORMS, build=build_form), at_least=1, one_or_many=True),
)
COMMON = {
    "claim": Key(CLAIM, "the claim that this decides"),
    "claims": Key(ListOf(CLAIM, at_least=1), "the claims that this decides"),
    "control": Key(CONTROL, "what must be met for this to be evidence"),
    "arm": Key(ARM, "where references that name no arm are looked up"),
    "arms": Key(
        ByKind(scalar=Choice(("all",), "choice of arms"), many=ListOf(ARM, at_least=1)),
        "the arms in each of which this must be met, or all",
    ),
    "because": Key(PROSE, "what it means when this fails"),
}
