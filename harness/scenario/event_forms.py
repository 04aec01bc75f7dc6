"""Forms about events and their places in time: count, none, each, order, alternate, join."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.numbers import NumberTest, parse_number_test
from harness.scenario.model import Alternate, Contains, Count, Each, Join, NoneOf, Order, PairTest
from harness.scenario.report import INVALID, Report
from harness.scenario.schema import ByKind, Choice, Fields, Json, Key, Keys, ListOf, MapOf, Schema
from harness.scenario.selecting import NARROWING, PATHS, REF, REFS, WHERE, RefText, narrow, of_key
from harness.scenario.tree import Node
from harness.scenario.words import BOOL, NUMBER_PATH, NUMBER_TEST, PATH, parse_number_path, parse_path, text_like

AT_LEAST_ONE = parse_number_test(">= 1")
_EACH_NARROWING = ("where", "during", "on", "phase")


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
        "of": of_key(),
        "is": Key(NUMBER_TEST, "how many", required=True),
        "per": Key(PATHS, "count each group that has the same values at these paths"),
        **NARROWING,
    },
    _build_count,
)
NONE = Keys("none", {"of": of_key(), **NARROWING}, _build_none)


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
            "of": of_key(),
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


EACH = Keys("each", {"of": of_key(), **_EACH_TESTS, **_pick(*_EACH_NARROWING)}, _build_each)


# --- order, alternate, join -----------------------------------------------------------------------------------------


def _build_order(fields: Fields, report: Report) -> Any:
    if len(fields["of"]) < 2:
        return report.add(fields.at("of"), "an order takes at least two selections", found="one")
    return Order(fields["of"], fields.get("by", ()), fields.get("match", "all"), fields.get("edge", "start"))


ORDER = Keys(
    "order",
    {
        "of": Key(REFS, "the selections, earliest first", required=True),
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
    on = (on,) if isinstance(on, str) else on
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
        "left": of_key("the one side"),
        "right": of_key("the other side"),
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
