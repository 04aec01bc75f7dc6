"""Values just on the wrong side of a test, and values on the right side: an own reading of what tests mean.

Nothing here calls the code that evaluates expectations. What a contradiction must do would otherwise be told by the
very thing that is put to the test.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from harness.expect.templates import resolve
from harness.numbers import NumberTest
from harness.scenario.model import Condition, ValueTest
from harness.trace.context import RecordingContext


class Missing:
    """Stands for no value at a path."""

    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = Missing()
_SAMPLES: Final[tuple[Any, ...]] = (1, 0, 1.5, "x", "", True, [1], {"x": 1}, None)


def fits(test: NumberTest, value: float) -> bool:
    """Whether a number passes."""
    outside = value < test.low or value > test.high
    outside = outside or (test.low_open and value == test.low) or (test.high_open and value == test.high)
    return outside if test.negated else not outside


def just_past(test: NumberTest, step: float) -> list[float]:
    """The nearest numbers, in steps, that fail: below the lower bound and above the upper one."""
    if test.negated:
        return [test.low]
    found = []
    if math.isfinite(test.low):
        found.append(test.low if test.low_open else test.low - step)
    if math.isfinite(test.high):
        found.append(test.high if test.high_open else test.high + step)
    return found


def nearest_counts(test: NumberTest, count: int, most: int = 200) -> tuple[int | None, int | None]:
    """The nearest smaller and larger whole numbers that fail."""
    fewer = next((n for n in range(count - 1, -1, -1) if not fits(test, n)), None)
    more = next((n for n in range(count + 1, count + most + 1) if not fits(test, n)), None)
    return fewer, more


def alike(a: Any, b: Any) -> bool:
    """Equal JSON values of one type; 1 is 1.0, but neither true nor "1"."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    return (type(a) is type(b) and a == b) or (_number(a) and _number(b) and a == b)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def passes(test: ValueTest, operand: Any, value: Any) -> bool:
    """Whether a value that is there passes one test."""
    match test.op:
        case "present" | "absent":
            return bool(operand) == (test.op == "present")
        case "is":
            return alike(value, operand)
        case "not":
            return not alike(value, operand)
        case "one_of":
            return any(alike(value, one) for one in operand)
        case "compare":
            return _number(value) and math.isfinite(value) and fits(operand, value)
        case "matches":
            return isinstance(value, str) and re.search(str(operand), value) is not None
        case "type":
            return operand in _types(value)
        case "keys":
            return isinstance(value, dict) and set(value) == set(operand)
        case "length":
            return isinstance(value, str | list | dict) and fits(operand, len(value))


def _types(value: Any) -> tuple[str, ...]:
    for kind, names in (
        (bool, ("boolean",)),
        (int, ("integer", "number")),
        (float, ("number",)),
        (str, ("string",)),
        (list, ("list",)),
        (dict, ("object",)),
    ):
        if isinstance(value, kind):
            return names
    return ("null",)


def breaking(test: ValueTest, current: Any, context: RecordingContext) -> list[tuple[str, Any]]:
    """Values near `current` that fail a test, each with the operator that makes it. Missing fails all but `absent`."""
    operand = resolve(test.operand, context)
    if test.op in ("present", "absent"):
        if bool(operand) == (test.op == "present"):
            return [("delete an argument", MISSING)]
        return [("add an argument", 1)]
    near = [("change an argument", value) for value in _near(test, operand, current)]
    near.append(("retype an argument", retyped(current)))
    found = [(operator, value) for operator, value in near if not passes(test, operand, value)]
    kinds = dict.fromkeys(operator for operator, _ in found)
    firsts = [next(entry for entry in found if entry[0] == kind) for kind in kinds]
    return [*firsts, *[entry for entry in found if entry not in firsts][:2], ("delete an argument", MISSING)]


def _near(test: ValueTest, operand: Any, current: Any) -> Iterator[Any]:
    match test.op:
        case "not":
            yield operand
        case "compare":
            whole = isinstance(current, int) and all(b.is_integer() for b in (operand.low, operand.high) if b == b)
            step = 1 if whole else max(abs(operand.low if math.isfinite(operand.low) else operand.high) * 1e-3, 1e-3)
            for value in just_past(operand, step):
                yield int(value) if value == int(value) else value
        case "keys":
            if isinstance(current, dict) and current:
                yield dict(list(current.items())[:-1])
                yield {**current, "traceproof": 1}
        case "length":
            for size in nearest_counts(operand, len(current) if hasattr(current, "__len__") else 0):
                if size is not None and size >= 0:
                    yield resized(current, size)
        case _:
            yield from neighbours(current)


def neighbours(value: Any) -> Iterator[Any]:
    """Values like this one that are another."""
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
            yield value - 1
            yield -value - 7
        case str():
            yield value + "~"
            yield value[:-1]
            yield ""
            yield "~"
        case list():
            yield value[:-1] if value else [1]
        case dict():
            yield {**value, "traceproof": 1}
        case _:
            yield 1


def retyped(value: Any) -> Any:
    """The same to the eye, of another type."""
    match value:
        case bool() | None:
            return str(value).lower()
        case int() | float():
            return str(value)
        case str():
            return int(value) if re.fullmatch(r"-?\d{1,15}", value) else [value]
    return str(value)


def resized(value: Any, size: int) -> Any:
    match value:
        case str():
            return (value + "~" * size)[:size]
        case list():
            return [*value, *([value[-1] if value else 1] * size)][:size]
        case dict():
            return dict([*value.items(), *((f"traceproof{n}", 1) for n in range(size))][:size])
    return [1] * size


def satisfying(condition: Condition, known: Sequence[Any], context: RecordingContext) -> Any:
    """A value that passes all tests of a condition, one of `known` if it can be. `LookupError` when none was found."""
    operands = [(test, resolve(test.operand, context)) for test in condition.tests]
    if any(test.op in ("absent", "present") and bool(op) == (test.op == "absent") for test, op in operands):
        return MISSING
    for value in [*known, *(made for test, op in operands for made in _made(test, op)), *_SAMPLES]:
        if all(passes(test, operand, value) for test, operand in operands):
            return value
    raise LookupError(f"no value was found that passes every test on {condition.path}")


def _made(test: ValueTest, operand: Any) -> Iterator[Any]:
    match test.op:
        case "is":
            yield operand
        case "not":
            yield from neighbours(operand)
        case "one_of":
            yield from operand
        case "compare":
            for bound in (operand.low, operand.high):
                if math.isfinite(bound):
                    for value in (bound, bound + 1, bound - 1):
                        yield int(value) if value == int(value) else value
            if math.isfinite(operand.low + operand.high):
                yield (operand.low + operand.high) / 2
        case "matches":
            yield example(str(operand))
        case "keys":
            yield dict.fromkeys(operand, 1)
        case "length":
            size = next((n for n in range(1000) if fits(operand, n)), 0)
            yield from ([1] * size, "x" * size)


def example(pattern: str) -> str:
    """A text in which the expression is found; for look-arounds and back references a guess."""
    return "".join(_text(import_module("re._parser").parse(pattern)))


def _text(parsed: Iterable[Any]) -> Iterator[str]:
    for op, argument in parsed:
        match str(op):
            case "LITERAL":
                yield chr(argument)
            case "NOT_LITERAL":
                yield "y" if argument == ord("x") else "x"
            case "ANY":
                yield "x"
            case "IN":
                yield _of_class(argument)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, _, repeated = argument
                yield "".join(_text(repeated)) * int(least)
            case "SUBPATTERN":
                yield from _text(argument[-1])
            case "BRANCH":
                yield from _text(argument[1][0])


def _of_class(members: Sequence[Any]) -> str:
    allowed = "x0 _~-/aA"
    for op, argument in members:
        match str(op):
            case "LITERAL":
                return chr(argument)
            case "RANGE":
                return chr(argument[0])
            case "CATEGORY":
                name = str(argument)
                return {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "x"}.get(name, "~")
    refused = [argument for op, argument in members if str(op) == "LITERAL"]
    return next((letter for letter in allowed if ord(letter) not in refused), "x")
