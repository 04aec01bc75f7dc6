"""The keys of a scenario file: its head, its recordings, its arms."""

from __future__ import annotations

import re
from typing import Any

from harness.scenario.forms import COMMON, FORMS, build_form
from harness.scenario.mentions import CLAIM, READER, Noted
from harness.scenario.model import MODES, RECORDERS, BrowserSpec, NoneOf, Paired, RecordSpec, Step
from harness.scenario.readings import READING
from harness.scenario.report import INVALID, Report
from harness.scenario.schema import Choice, Fields, Forms, Json, Key, Keys, ListOf, MapOf, Named, Schema
from harness.scenario.selecting import SELECTION
from harness.scenario.tree import Node
from harness.scenario.verbs import BARE, STEP_MAPPING, VERBS
from harness.scenario.words import (
    ATOM,
    ATTEMPTS,
    BOOL,
    CATEGORY,
    IDENTIFIER,
    PIXELS,
    PROSE,
    SCENARIO_ID,
    SECONDS,
    SIZE,
    TAG,
    TEXT,
    VERSIONS,
    text_like,
)
from harness.wording import did_you_mean, listed

TABLES = ("events", "flows", "marks", "server")  # names of the SQL tables that every recording has


def check_name(name: str) -> str:
    if not re.fullmatch(IDENTIFIER, name):
        raise ValueError(f'"{name}" is not a name: letters, digits and _, not a digit first')
    return name


def check_selection_name(name: str) -> str:
    if name in TABLES:
        raise ValueError(f'"{name}" is the name of a table that every query has; choose another')
    return check_name(name)


_NAME_FORM: Json = {"pattern": f"^{IDENTIFIER}$"}


class StepSchema(Schema):
    """A verb without an argument as bare text, or a mapping with one verb."""

    expected = "a step: a verb alone, or {verb: argument, options…}"

    def read(self, node: Node, report: Report) -> Any:
        if isinstance(node.value, dict):
            read = STEP_MAPPING.read(node, report)
            if read is INVALID:
                return INVALID
            verb, fields = read
            options = {key: fields[key] for key in fields if key != verb}
            if "args" in options:
                options["args"] = list(options["args"])  # data for the page, which knows no tuples
            return Step(0, verb, fields[verb], options, node.at)
        if not isinstance(node.value, str):
            return self.wrong(node, report)
        if node.value in BARE:
            return Step(0, node.value, None, {}, node.at)
        if verb_known := VERBS.get(node.value):
            assert verb_known.arg is not None
            expected = f"{node.value}: {verb_known.arg.expected}"
            return report.add(node.at, f'the step "{node.value}" needs an argument', expected=expected)
        remedy = did_you_mean(node.value, VERBS)
        return report.add(node.at, f'unknown step "{node.value}"', expected=f"one of {listed(VERBS)}", remedy=remedy)

    def json(self, defs: Json) -> Json:
        return {"anyOf": [{"enum": list(BARE)}, STEP_MAPPING.json(defs)]}


STEP = Named("step", StepSchema.expected, StepSchema)


def _build_record(fields: Fields, report: Report) -> Any:
    return RecordSpec(
        fields["categories"],
        fields.get("exclude", ("*",)),
        fields.get("recorder", "cdp-browser"),
        fields.get("buffer", 200 * 1024 * 1024),
        fields.get("buffer_mode", "until-full"),
        fields.get("markers", "clock"),
        fields.node.at,
    )


_CATEGORY = Noted("category", CATEGORY)
RECORD_KEYS = {
    "categories": Key(
        ListOf(Noted("category", CATEGORY), at_least=1), "category sets and raw categories", required=True
    ),
    "exclude": Key(ListOf(_CATEGORY), 'categories to leave out; ["*"]: all that are not named'),
    "recorder": Key(Choice(RECORDERS, "recorder"), "the way in which the trace is taken; cdp-browser if not given"),
    "buffer": Key(SIZE, "the size of the trace buffer; 200MiB if not given"),
    "buffer_mode": Key(
        Choice(("until-full", "continuously", "as-much-as-possible"), "buffer mode"),
        "what a full buffer does; until-full",
    ),
    "markers": Key(
        Choice(("clock", "page", "none"), "kind of markers"), "what marks start and end inside the trace; clock"
    ),
}
BROWSER_KEYS = {
    "profile": Key(TAG, "a file of configs/browsers"),
    "args": Key(ListOf(TEXT), "command-line switches to add"),
    "window": Key(ListOf(PIXELS, exactly=2), "width and height of the window"),
    "raster": Key(Choice(("software", "gpu"), "way to raster"), "software if not given"),
    "extension": Key(
        text_like("the path of an extension's manifest.json"), "an extension to load, found as fixtures are"
    ),
}
RECORD = Keys("record", RECORD_KEYS, _build_record)
BROWSER = Keys("browser", BROWSER_KEYS, lambda fields, report: BrowserSpec(**fields))
LET = MapOf(ATOM, "a name", check_name, key_form=_NAME_FORM)
STEPS = ListOf(STEP, at_least=1)
FIXTURE = text_like("the path of a fixture, such as parse-html/plain.html")

# What an arm may override; `RECORD_PART` is what may stand in one place when the rest stands in the other.
PARTS = {
    "record": Key(RECORD, "what is recorded, and how"),
    "browser": Key(BROWSER, "how the browser is started"),
    "fixture": Key(FIXTURE, "the page, a path below the fixtures' folder or beside this file"),
    "steps": Key(STEPS, "what is done, in order"),
}
_PARTIAL_RECORD = Keys(
    "record", {name: Key(key.schema, key.says) for name, key in RECORD_KEYS.items()}, lambda fields, report: fields
)
ARM_KEYS = {
    **PARTS,
    "record": Key(_PARTIAL_RECORD, PARTS["record"].says),
    "let": Key(LET, "constants of this arm"),
    "read": Key(READING, "what a reader makes of another arm's recording; stands alone"),
}


def _build_expectation(form_name: str, fields: Fields, report: Report) -> Any:
    form = build_form(form_name, fields, report)
    if form is INVALID:
        return INVALID
    zero = form_name == "count" and (form.test.low, form.test.high, form.test.negated) == (0, 0, False)
    if (isinstance(form, NoneOf) or zero) and "control" not in fields:
        return report.add(
            fields.node.keys[form_name],
            "an absence is evidence only beside a control",
            expected="control: an expectation that shows the event where it does occur",
            found=f"`{form_name}` alone",
            remedy='add, for example, control: {count: {of: <selection>, is: ">= 1"}}',
        )
    if "claim" in fields and "claims" in fields:
        return report.add(
            fields.node.keys["claims"], "claim and claims stand in one expectation", remedy="keep one of them"
        )
    if "arm" in fields and "arms" in fields:
        return report.add(fields.node.keys["arms"], "arm and arms stand in one expectation", remedy="keep one of them")
    return form_name, form, fields


EXPECTATION = Forms("expectation", FORMS, COMMON, _build_expectation)
REQUIREMENT = Forms(
    "precondition",
    FORMS,
    {key: spec for key, spec in COMMON.items() if key not in ("claim", "claims")},
    _build_expectation,
)
DESIGN = Keys(
    "design",
    {
        "paired": Key(Choice(("alternating",), "pairing"), "two arms take turns: A B, B A, …", required=True),
        "blocks": Key(ATTEMPTS, "how many pairs in one attempt; 6 if not given"),
    },
    lambda fields, report: Paired(fields.get("blocks", 6)),
)
MATRIX = MapOf(ListOf(ATOM, at_least=1), "a name", check_name, 1, _NAME_FORM)
SELECT = MapOf(SELECTION, "a name", check_selection_name, key_form=_NAME_FORM)
HEAD = {
    "scenario": Key(SCENARIO_ID, "its id: the slug of the event, a dot, a name", required=True),
    "title": Key(PROSE, "what it shows, in one sentence", required=True),
    "claims": Key(ListOf(CLAIM, at_least=1), "the claims that it decides", required=True),
    "versions": Key(VERSIONS, "the Chrome versions that it is about"),
    "modes": Key(ListOf(Choice(MODES, "mode"), at_least=1), "the modes that it is about"),
    "reason": Key(PROSE, "why versions or modes are bound"),
    "needs": Key(ListOf(Noted("need", TAG)), "capabilities that the machine or build must have"),
    "tags": Key(ListOf(TAG), "words to select it by"),
    "attempts": Key(ATTEMPTS, "how many attempts, where the command line does not say"),
    "exclusive": Key(BOOL, "nothing else runs beside it"),
    "timeout": Key(SECONDS, "for one recording; 60s if not given"),
    "changes_process": Key(BOOL, "the page is meant to move to another process"),
    "matrix": Key(MATRIX, "names with lists of values: each combination is a case"),
    "let": Key(LET, "constants"),
    "design": Key(DESIGN, "paired arms"),
    "arms": Key(
        MapOf(Keys("arm", ARM_KEYS), "a name", check_name, 1, _NAME_FORM), "ways of recording that are compared"
    ),
    "readers": Key(ListOf(READER, at_least=1), "programs that read each recording: ${values.<reader>…}"),
    "select": Key(SELECT, "named events"),
    "require": Key(ListOf(REQUIREMENT), "preconditions: an attempt that does not meet them is no evidence"),
    "expect": Key(ListOf(EXPECTATION, at_least=1), "what must hold", required=True),
}
ORDER = (
    *(
        "scenario",
        "title",
        "claims",
        "versions",
        "modes",
        "reason",
        "needs",
        "tags",
        "attempts",
        "exclusive",
        "timeout",
    ),
    *(
        "changes_process",
        "matrix",
        "let",
        "record",
        "browser",
        "fixture",
        "steps",
        "design",
        "arms",
        "readers",
        "select",
        "require",
    ),
    "expect",
)
_ALL: dict[str, Key] = {**HEAD, **PARTS}
_ALL["record"] = ARM_KEYS["record"]  # with arms the categories may stand there
TOP = {name: _ALL[name] for name in ORDER}


def json_schema() -> Json:
    """JSON Schema, draft 2020-12, of `*.scenario.yaml`: what editors check while one types."""
    defs: Json = {}
    body = Keys("scenario", TOP).json(defs)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "traceproof scenario",
        **body,
        "$defs": defs,
    }
