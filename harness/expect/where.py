"""Tests on the values at a path of one event, with the reason when they fail.

Equality is typed. On a list path one element must pass all operators of the condition, so that `{type: integer,
compare: ">= 3"}` cannot be met by two elements that each pass half. Nothing but `absent` is met by a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from harness.errors import Problem, ScenarioError
from harness.expect.items import Item
from harness.expect.templates import resolve
from harness.expect.values import (
    ValuePath,
    canonical,
    is_number,
    parse_path,
    show,
    stripped,
    values_at,
)
from harness.numbers import NumberTest
from harness.scenario.model import Condition, Place, ValueTest
from harness.scenario.words import TIME_FIELDS
from harness.trace import Trace
from harness.trace.argpaths import type_name
from harness.trace.context import RecordingContext

Check = Callable[[Any], str | None]  # None, or what the value is that it should not be


class Where:
    """One condition, ready for the events of one recording."""

    def __init__(self, condition: Condition, trace: Trace, context: RecordingContext) -> None:
        self._path = path_at(condition.path, condition.at)
        self._trace = trace
        self._unit = " us" if self._path.root in TIME_FIELDS else ""
        self._wants_value = [bool(t.operand) == (t.op == "present") for t in condition.tests if _on_presence(t)]
        self._checks = [_check(t, condition.at, context) for t in condition.tests if not _on_presence(t)]

    def accepts(self, item: Item) -> bool:
        values = values_at(item, self._path, self._trace)
        if any(wanted != bool(values) for wanted in self._wants_value) or self._unknown(item):
            return False
        return not self._checks or any(all(check(value) is None for check in self._checks) for value in values)

    def _unknown(self, item: Item) -> bool:
        return self._path.root == "args" and stripped(item)

    def why_not(self, item: Item) -> str:
        if self._unknown(item):
            return f"has arguments that were stripped, so nobody knows of {self._path.text}"
        values = values_at(item, self._path, self._trace)
        if not values:
            return f"has no {self._path.text}"
        if False in self._wants_value:
            return f"has {self._path.text}: {show(values[0])}"
        reasons = [
            f"{show(value)}{self._unit} {reason}"
            for value in values
            for check in self._checks
            if (reason := check(value))
        ]
        if len(values) == 1:
            return f"{self._path.text} {reasons[0]}"
        return f"none of {len(values)} values at {self._path.text}: {'; '.join(reasons[:3])}"


def path_at(text: str, at: Place) -> ValuePath:
    """The path; an impossible one is a `ScenarioError` that names the place."""
    try:
        return parse_path(text)
    except ValueError as error:
        raise ScenarioError(Problem(str(error), at.file, at.line, at.column, at.path)) from None


def _on_presence(test: ValueTest) -> bool:
    return test.op in ("present", "absent")


def _check(test: ValueTest, at: Place, context: RecordingContext) -> Check:
    operand = resolve(test.operand, context)
    match test.op:
        case "is":
            wanted = canonical(operand)
            return lambda value: None if canonical(value) == wanted else f"is not {_typed(operand, value)}"
        case "not":
            refused = canonical(operand)
            return lambda value: f"is what it must not be: {show(operand)}" if canonical(value) == refused else None
        case "one_of":
            allowed = {canonical(option) for option in operand}
            return lambda value: None if canonical(value) in allowed else f"is not one of {show(list(operand))}"
        case "compare":
            return lambda value: number_fails(value, operand)
        case "length":
            return lambda value: _length_fails(value, operand)
        case "matches":
            return _matches(str(operand), at)
        case "type":
            return lambda value: None if _is_type(value, operand) else f"is {article(type_name(value))}, not {operand}"
        case "keys":
            return lambda value: _keys_fail(value, set(operand))
        case _:
            raise AssertionError(test.op)


def number_fails(value: Any, test: NumberTest) -> str | None:
    if not is_number(value):
        return f"is {article(type_name(value))}, not a number {test}"
    return None if test.accepts(value) else f"is not {test}"


def _matches(pattern: str, at: Place) -> Check:
    regex = compile_regex(pattern, at)
    return lambda value: (
        f"is {article(type_name(value))}, not text"
        if not isinstance(value, str)
        else None
        if regex.search(value)
        else f"does not match /{pattern}/"
    )


def compile_regex(pattern: str, at: Place) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"{pattern!r} is not a regular expression: {error}"
        raise ScenarioError(Problem(message, at.file, at.line, at.column, at.path)) from None


def _is_type(value: Any, wanted: str) -> bool:
    return type_name(value) == wanted or (wanted == "number" and type_name(value) == "integer")


def _length_fails(value: Any, test: NumberTest) -> str | None:
    if not isinstance(value, str | list | dict):
        return f"is {article(type_name(value))}, which has no length"
    return None if test.accepts(len(value)) else f"has the length {len(value)}, not {test}"


def _keys_fail(value: Any, wanted: set[str]) -> str | None:
    if not isinstance(value, dict):
        return f"is {article(type_name(value))}, not an object"
    extra, missing = sorted(set(value) - wanted), sorted(wanted - set(value))
    parts = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has {', '.join(extra)} besides"] * bool(extra)
    return " and ".join(parts) or None


def _typed(operand: Any, value: Any) -> str:
    same_type = type_name(operand) == type_name(value)
    return show(operand) if same_type else f"{show(operand)} ({type_name(value)}, not {type_name(operand)})"


def article(word: str) -> str:
    return word if word == "null" else f"{'an' if word[0] in 'aeio' else 'a'} {word}"
