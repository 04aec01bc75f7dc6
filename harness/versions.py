"""Chrome versions and ranges of majors: `">=111"`, `"83..101"`, `"153"`, `"<=110"`, `"83..101, >=111"`."""

from __future__ import annotations

import re
from dataclasses import dataclass

HELP = 'a major such as "153", a range such as "83..101", a bound such as ">=111", or several with commas'
_BOUND = re.compile(r"(>=|<=|>|<)\s*(\d+)")
_RANGE = re.compile(r"(\d+)\s*\.\.\s*(\d+)")


def parse_version(text: str) -> tuple[int, int, int, int]:
    """The first dotted number in a text such as `Chromium 153.0.8010.0 built on Debian`; `ValueError` without one."""
    if not (found := re.search(r"\d+(?:\.\d+){1,3}", text) or re.search(r"\d+", text)):
        raise ValueError(f"no version number in {text!r}")
    parts = [int(part) for part in found[0].split(".")]
    a, b, c, d = (*parts, 0, 0, 0)[:4]
    return a, b, c, d


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Closed ranges of majors; a version is inside when any of them holds it. Empty `spans` means every version."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()

    def contains(self, major: int) -> bool:
        return not self.spans or any(low <= major <= high for low, high in self.spans)

    def __str__(self) -> str:
        return self.text or "every version"


EVERY = VersionRange("")


def parse_range(raw: object) -> VersionRange:
    """Read a version range; `ValueError` says what was expected."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return VersionRange(str(raw), ((raw, raw),))
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(f"expected {HELP}")
    spans: list[tuple[int, int]] = []
    for part in (piece.strip() for piece in raw.split(",")):
        if found := _RANGE.fullmatch(part):
            low, high = int(found[1]), int(found[2])
            if low > high:
                raise ValueError(f"the range {part!r} is empty: {low} is above {high}")
        elif found := _BOUND.fullmatch(part):
            sign, major = found[1], int(found[2])
            low = {">=": major, ">": major + 1}.get(sign, 0)
            high = {"<=": major, "<": major - 1}.get(sign, 10**6)
        elif part.isdecimal():
            low = high = int(part)
        else:
            raise ValueError(f"{part!r} is not a version range; expected {HELP}")
        spans.append((low, high))
    return VersionRange(raw.strip(), tuple(spans))
