"""Durations and sizes as people write them.

Durations come out in microseconds (the unit of trace timestamps), sizes in bytes. Both raise `ValueError` with
a message fit for a `Problem`; the caller knows the place.
"""

from __future__ import annotations

import re

_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
DURATION_US = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6}
SIZE_BYTES = {"B": 1, "kB": 1000, "KiB": 1024, "MB": 1000**2, "MiB": 1024**2, "GB": 1000**3, "GiB": 1024**3}
_DURATION = re.compile(rf"{_NUMBER}\s*({'|'.join(DURATION_US)})")
LONGEST_US, LARGEST = 24 * 60 * 60e6, 1024**4
_SIZE = re.compile(rf"{_NUMBER}\s*({'|'.join(SIZE_BYTES)})")


def duration_us(text: str) -> float:
    """`"300ms"` → 300000.0. A bare number has no unit and is refused."""
    if not (found := _DURATION.fullmatch(text.strip())):
        raise ValueError(f"{text!r} is not a duration; write a number with us, ms, s or min, such as 300ms")
    if (value := float(found[1]) * DURATION_US[found[2]]) > LONGEST_US:
        raise ValueError(f"{text:.40} is longer than a day")
    return value


def duration_ms(text: str) -> float:
    return duration_us(text) / 1e3


def size_bytes(text: str) -> int:
    """`"64KiB"` → 65536. A bare number has no unit and is refused."""
    if not (found := _SIZE.fullmatch(text.strip())):
        raise ValueError(f"{text!r} is not a size; write a number with {', '.join(SIZE_BYTES)}, such as 200MiB")
    if (value := float(found[1]) * SIZE_BYTES[found[2]]) > LARGEST:
        raise ValueError(f"{text:.40} is more than 1024GiB")
    return round(value)


def format_us(value: float) -> str:
    """A duration in microseconds for people: `1234567` → `1.235 s`."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3f} s"
    if abs(value) >= 1e3:
        return f"{value / 1e3:.3f} ms"
    return f"{value:g} us"
