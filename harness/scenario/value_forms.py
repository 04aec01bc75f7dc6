"""Forms about numbers and values: compare, same, differ, query."""

from __future__ import annotations

import re
from typing import Any

from harness.numbers import NumberTest
from harness.scenario.mentions import ARM
from harness.scenario.model import Aggregate, Compare, Query, Ref, Same, Template
from harness.scenario.names import check_path
from harness.scenario.report import INVALID, Report
from harness.scenario.schema import ByKind, Choice, Fields, Forms, Json, Key, Keys, Named, Schema
from harness.scenario.selecting import PATHS, REF, REFS, of_key
from harness.scenario.tree import Node
from harness.scenario.words import IDENTIFIER, NUMBER_PATH, NUMBER_TEST, PATH, number

ZERO = NumberTest("none", 0, 0)
ONE = NumberTest("one", 1, 1)


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
        check_path(node.value, node.at, report)
        return node.value

    def json(self, defs: Json) -> Json:
        return {"type": "string"}


def _build_aggregate(kind: str, fields: Fields, report: Report) -> Any:
    at = fields.node.at
    if kind == "value":
        return Aggregate("value", at, path=fields["value"], arm=fields.get("arm"))
    if kind == "count":
        return Aggregate("count", at, of=fields["count"])
    return Aggregate(kind, at, of=fields["of"], path=fields[kind])  # type: ignore[arg-type]  # a word of AGGREGATE


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
                    word: {word: Key(NUMBER_PATH, f"the {word} of the numbers at this path"), "of": of_key()}
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
    sides = [fields[key] for key in ("left", "right") if key in fields]
    if all(side.kind == "constant" and not isinstance(side.constant, Template) for side in sides):
        remedy = "let one side be an aggregate such as {count: passes}"
        return report.add(fields.node.at, "no recording can change numbers that are written here", remedy=remedy)
    left, right = fields.node.get("left"), fields.node.get("right")
    if left and right and left.plain() == right.plain():
        remedy = "both sides are the same number in every recording: name two"
        return report.add(fields.node.keys["right"], "left is compared with itself", remedy=remedy)
    return Compare(fields["left"], measure, fields[measure], fields.get("right"))  # type: ignore[arg-type]  # of _MEASURES


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


def same_form(differ: bool) -> Keys:
    return Keys(
        "differ" if differ else "same",
        {
            "of": Key(ByKind(scalar=REF, mapping=REF, many=REFS), "one selection, or several", required=True),
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


def build_query(fields: Fields, report: Report) -> Any:
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
