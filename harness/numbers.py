"""Tests on numbers as scenarios write them.

`3` is exact. `">= 3"`, `"> 3"`, `"<= 3"`, `"< 3"`, `"!= 3"`, `"== 3"` compare. `"2..5"` is a closed range. `"100 ±10"`
(or `+-`) and `"100 ±10%"` are a value with a tolerance. A number may carry a unit of time (us, ms, s, min; then it is
in microseconds) or of size (B, kB, KiB, MB, MiB; then it is in bytes).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from harness.units import DURATION_US, SIZE_BYTES

_UNITS: dict[str, float] = {**DURATION_US, **SIZE_BYTES}
_NUM = rf"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*({'|'.join(sorted(_UNITS, key=len, reverse=True))})?"
_COMPARE = re.compile(rf"(>=|<=|==|!=|>|<)\s*{_NUM}")
_RANGE = re.compile(rf"{_NUM}\s*\.\.\s*{_NUM}")
_APPROX = re.compile(rf"{_NUM}\s*(?:±|\+-)\s*{_NUM}\s*(%)?")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
HELP = 'a number, a comparison such as ">= 3", a range such as "2..5", or a tolerance such as "100 ±10%"'


@dataclass(frozen=True, slots=True)
class NumberTest:
    """`accepts(x)` is true when `low <= x <= high` (or `<`, `>` where the bound is open), or x differs for `!=`."""

    text: str
    low: float
    high: float
    low_open: bool = False
    high_open: bool = False
    negated: bool = False

    def accepts(self, value: float) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return (above and below) != self.negated

    def accepts_all(self, low: float, high: float) -> bool:
        """Whether every number from `low` to `high` passes."""
        if self.negated:
            return not low <= self.low <= high
        return self.accepts(low) and self.accepts(high)

    def refuses_all(self, low: float, high: float) -> bool:
        """Whether no number from `low` to `high` passes."""
        if self.negated:
            return low == high == self.low
        below = high <= self.low if self.low_open else high < self.low
        above = low >= self.high if self.high_open else low > self.high
        return below or above

    def __str__(self) -> str:
        return self.text


def _number(digits: str, unit: str | None) -> float:
    return _finite(float(digits) * (_UNITS[unit] if unit else 1.0), digits)


def _finite(value: float, text: object) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number, so the test could never fail, or never pass")
    return value


def parse_number_test(raw: object) -> NumberTest:
    """Read a number test; `ValueError` says what was expected."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(f"expected {HELP}")
    if not isinstance(raw, str):
        try:
            exact = _finite(float(raw), raw)
        except OverflowError:
            raise ValueError("the number is too large to be tested") from None
        return NumberTest(str(raw), exact, exact)
    text, inf = raw.strip(), float("inf")
    if found := _COMPARE.fullmatch(text):
        sign, bound = found[1], _number(found[2], found[3])
        if sign in ("==", "!="):
            return NumberTest(text, bound, bound, negated=sign == "!=")
        if sign in (">=", ">"):
            return NumberTest(text, bound, inf, low_open=sign == ">")
        return NumberTest(text, -inf, bound, high_open=sign == "<")
    if found := _RANGE.fullmatch(text):
        low, high = _number(found[1], found[2]), _number(found[3], found[4])
        if low > high:
            raise ValueError(f"the range {text!r} is empty: its first number is above its second")
        return NumberTest(text, low, high)
    if found := _APPROX.fullmatch(text):
        middle = _number(found[1], found[2])
        spread = abs(middle) * float(found[3]) / 100 if found[5] else _number(found[3], found[4])
        if spread < 0:
            raise ValueError(f"the tolerance of {text!r} is below 0: nothing would pass")
        return NumberTest(text, middle - spread, middle + spread)
    if found := re.fullmatch(_NUM, text):
        exact = _number(found[1], found[2])
        return NumberTest(text, exact, exact)
    raise ValueError(f"{raw!r} is not a number test; expected {HELP}")


def compare(left: float, sign: str, right: float) -> bool:
    """`compare(1, "<", 2)`; the sign is one of >=, <=, ==, !=, >, <."""
    return _OPERATORS[sign](left, right)
