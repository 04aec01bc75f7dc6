"""The scalars of the scenario language: numbers, durations, names, paths into events, roles, windows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from harness import numbers, units, versions
from harness.roles import PROCESS_ROLES, THREAD_ROLES, parse_role
from harness.scenario.report import Report
from harness.scenario.runtime import parse_steps
from harness.scenario.schema import Json, Scalar, Schema
from harness.scenario.tree import Node
from harness.wording import did_you_mean, listed

IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
DOTTED_ID = rf"{SLUG}\.{SLUG}"

EVENT_FIELDS = (
    *("name", "cat", "ph", "ts", "dur", "end", "tts", "tdur", "self", "written", "pid", "tid", "id", "scope"),
    *("thread", "process", "depth", "parent"),
)
TIME_FIELDS = ("ts", "dur", "end", "tts", "tdur", "self")  # in microseconds
SPENT_FIELDS = ("dur", "tdur", "self")
NUMBER_FIELDS = (*TIME_FIELDS, "written", "pid", "tid", "depth")
PHASE_WORDS = ("slice", "instant", "async", "flow", "counter", "metadata", "object", "sample")
PHASE_LETTERS = tuple("BEXIiRbnestfCMNODPSTpFvVc")


def _fits(pattern: str, what: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def parse(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f'"{text}" is not {what}')
        return text

    return parse


def text_like(
    expected: str,
    parse: Callable[[str], Any] = str,
    pattern: str = "",
    templates: bool = False,
    hint: Callable[[Any], str] = lambda value: "",
) -> Scalar:
    """Text that `parse` accepts; `pattern` is what JSON Schema can say of it."""
    form: Json = {"type": "string", "pattern": f"^{pattern}$"} if pattern else {"type": "string"}
    return Scalar(expected, (str,), form, parse, templates, hint)


def number(
    expected: str,
    low: float | None = None,
    whole: bool = False,
    templates: bool = False,
    high: float | None = None,
) -> Scalar:
    def parse(value: float) -> float:
        if whole and value != int(value):
            raise ValueError(f"{value} is not a whole number")
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"{value} is not a finite number")
        if low is not None and value < low:
            raise ValueError(f"{value} is too small")
        if high is not None and value > high:
            raise ValueError(f"{value} is too large")
        return value

    form: Json = {"type": "integer" if whole else "number"}
    if low is not None:
        form["minimum"] = low
    if high is not None:
        form["maximum"] = high
    return Scalar(expected, (int,) if whole else (int, float), form, parse, templates)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is empty")
    return text


def _duration(text: str) -> str:
    if units.duration_us(text) < 0:
        raise ValueError(f"{text!r} is negative; expected a duration such as 300ms")
    return text


def _size(text: str) -> int:
    if (size := units.size_bytes(text)) <= 0:
        raise ValueError(f"{text!r} is no room at all; expected a size such as 200MiB")
    return size


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise ValueError(f"not a regular expression{place}: {error.msg}") from None
    except (OverflowError, RecursionError) as error:  # `a{99999999999}`, or thousands of parentheses
        raise ValueError(f"not a regular expression that can be read: {error}") from None
    return text


def _role(text: str) -> str:
    parse_role(text)
    return text


def parse_path(text: str) -> str:
    """Check a path into an event: `args.data.url`, `args.list[].x`, `args.list[0]`, `args."a.b"`, or a field."""
    if text in EVENT_FIELDS or _is_argument(text):
        return text
    head = re.split(r"[.\[]", text, maxsplit=1)[0]
    if head == "args":
        raise ValueError(f'"{text}" is not a path; expected dots and brackets, such as args.data.list[].url')
    if head in EVENT_FIELDS:
        raise ValueError(
            f'"{head}" is one value: nothing lies beneath it; expected {head}, or a path that starts with args.'
        )
    near = did_you_mean(head, ("args", *EVENT_FIELDS))
    hint = near or f"for an argument write args.{text}"
    raise ValueError(
        f'"{text}" is not a field of an event ({hint}); expected args. and the rest, or one of {listed(EVENT_FIELDS)}'
    )


def _is_argument(text: str) -> bool:
    try:
        return parse_steps(text)[:1] == ("args",)
    except ValueError:
        return False


def parse_number_path(text: str) -> str:
    parse_path(text)
    if text in EVENT_FIELDS and text not in NUMBER_FIELDS:
        raise ValueError(
            f'"{text}" is not a number; expected an argument such as args.data.n, or one of {listed(NUMBER_FIELDS)}'
        )
    return text


def _phase(text: str) -> str:
    if text not in (*PHASE_WORDS, *PHASE_LETTERS):
        near = did_you_mean(text, PHASE_WORDS)
        raise ValueError(f'"{text}" is not a phase{"; " + near if near else ""}')
    return text


def _category(text: str) -> str:
    if "," in text or " " in text.strip():
        parts = [part for part in re.split(r"[\s,]+", text) if part]
        raise ValueError(f'"{text}" is {len(parts)} names in one text; write [{", ".join(parts)}]')
    if not text.strip():
        raise ValueError("the name is empty")
    return text.strip()


def _unit_hint(example: str) -> Callable[[Any], str]:
    """For a bare number: the same with a unit."""
    return lambda value: (
        f"add a unit: {value:g}{example}" if isinstance(value, int | float) and not isinstance(value, bool) else ""
    )


def _number_test_hint(value: Any) -> str:
    """For comparisons with the sign the wrong way round, and signs that no keyboard should make."""
    if not isinstance(value, str):
        return ""
    mended = value
    for wrong, right in (("=>", ">="), ("=<", "<="), ("≥", ">="), ("≤", "<="), ("≠", "!="), ("+/-", "±")):
        mended = mended.replace(wrong, right)
    mended = re.sub(r"(?<=\d)\s*(?:-|to|\.\.\.)\s*(?=\d)", "..", re.sub(r"^=(?=[\s\d])", "==", mended))
    return f'did you mean "{mended}"?' if mended != value else ""


def _version_hint(value: Any) -> str:
    mended = re.sub(r"\s*(?:-|to|\.\.\.)\s*", "..", re.sub(r"^=>", ">=", value)) if isinstance(value, str) else value
    return f'did you mean "{mended}"?' if mended != value else ""


TEXT = text_like("text", templates=True)
PROSE = text_like("a sentence", _not_blank)
WORD = text_like("a name", _fits(IDENTIFIER, "a name: letters, digits and _, not a digit first"), IDENTIFIER)
TAG = text_like("a word with dashes", _fits(SLUG, "a word with dashes: small letters, digits, single dashes"), SLUG)
SCENARIO_ID = text_like(
    "an id such as parse-html.one-per-burst",
    _fits(DOTTED_ID, "an id: small letters, digits and dashes, with one dot after the event's slug"),
    SLUG + r"\." + SLUG,
)
BOOL = Scalar("true or false", (bool,), {"type": "boolean"})
TRUE = Scalar("true", (bool,), {"const": True}, lambda value: value or _raise("only true may stand here"))
ATOM = Scalar(
    "text, a number, true, false or null",
    (str, int, float, bool, type(None)),
    {"type": ["string", "number", "boolean", "null"]},
    templates=True,
)
POSITIVE = number("a whole number, at least 1", 1, whole=True)
ATTEMPTS = number("a whole number from 1 to 1000", 1, whole=True, high=1000)  # as --attempts
PIXELS = number("a whole number from 1 to 16384", 1, whole=True, high=16_384)  # the largest texture
NUMBER_TEST = Scalar(
    numbers.HELP, (str, int, float), {"type": ["number", "string"]}, numbers.parse_number_test, hint=_number_test_hint
)
DURATION = text_like("a duration such as 300ms", _duration, templates=True, hint=_unit_hint("ms"))
SECONDS = text_like(
    "a duration such as 60s", lambda text: units.duration_us(_duration(text)) / 1e6, hint=_unit_hint("s")
)
SIZE = text_like("a size such as 200MiB", _size, hint=_unit_hint("MiB"))
VERSIONS = Scalar(versions.HELP, (str, int), {"type": ["string", "integer"]}, versions.parse_range, hint=_version_hint)
REGEX = text_like("a regular expression", _regex)
ROLE = text_like(
    f"<process> or <process>.<thread>; processes {listed(PROCESS_ROLES)}; threads {listed(THREAD_ROLES)}", _role
)
PATH = text_like("a path such as args.data.url or dur", parse_path)
NUMBER_PATH = text_like("a path to a number, such as dur or args.data.n", parse_number_path)
PHASE = text_like(f"one of {listed(PHASE_WORDS)}, or a letter such as X", _phase)
CATEGORY = text_like("a category or the name of a category set", _category)


def _raise(message: str) -> Any:
    raise ValueError(message)


class Anything(Schema):
    """Any data at all, with run-time names inside it."""

    expected = "any value"

    def read(self, node: Node, report: Report) -> Any:
        return node.plain()

    def json(self, defs: Json) -> Json:
        return {}


class Nothing(Schema):
    """What stands behind the colon of a verb without an argument."""

    expected = "nothing"

    def read(self, node: Node, report: Report) -> Any:
        return None if node.value is None else self.wrong(node, report, "this verb takes no argument")

    def json(self, defs: Json) -> Json:
        return {"type": "null"}
