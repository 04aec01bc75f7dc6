"""The table of expectation forms, and the keys that stand beside any of them."""

from __future__ import annotations

from typing import Any

from harness.scenario.event_forms import ALTERNATE, COUNT, EACH, JOIN, NONE, ORDER
from harness.scenario.mentions import ARM, CLAIM
from harness.scenario.report import Report
from harness.scenario.schema import ByKind, Choice, Fields, Forms, Key, ListOf, Named
from harness.scenario.selecting import REF
from harness.scenario.value_forms import COMPARE, Rows, build_query, same_form
from harness.scenario.words import PROSE

FORMS: dict[str, dict[str, Key]] = {
    "count": {"count": Key(COUNT, "how many events a selection has")},
    "each": {"each": Key(EACH, "what each event of a selection must have; an empty one fails")},
    "none": {"none": Key(NONE, "the selection is empty; takes a control")},
    "order": {"order": Key(ORDER, "selections follow each other in time")},
    "alternate": {"alternate": Key(ALTERNATE, "two selections take turns")},
    "join": {"join": Key(JOIN, "events of two selections belong together")},
    "compare": {"compare": Key(COMPARE, "a number, or the ratio or difference of two")},
    "same": {"same": Key(same_form(False), "the values are the same everywhere")},
    "differ": {"differ": Key(same_form(True), "no value occurs twice")},
    "query": {
        "query": Key(PROSE, "DuckDB SQL; each selection is a table"),
        "rows": Key(Rows(), "what the query must answer", required=True),
        "over": Key(REF, "a selection that must not be empty"),
    },
}


def build_form(name: str, fields: Fields, report: Report) -> Any:
    return build_query(fields, report) if name == "query" else fields[name]


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
