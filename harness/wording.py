"""Words that every message shares: plurals, lists, and the known name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def plural(count: int, noun: str) -> str:
    """`1 case`, `1,200 cases`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def nearest(word: str, words: Iterable[str], most: int = 1) -> list[str]:
    """The known words that were probably meant, the best first; a difference of case alone always counts."""
    known = list(words)
    if same := [candidate for candidate in known if candidate.lower() == word.lower()]:
        return same[:most]
    return difflib.get_close_matches(word, known, n=most, cutoff=0.6)


def did_you_mean(word: str, words: Iterable[str], most: int = 1, otherwise: str = "") -> str:
    """A remedy that names the nearest known words; `otherwise` where none is near."""
    near = " or ".join(f'"{one}"' for one in nearest(word, words, most))
    return f"did you mean {near}?" if near else otherwise


def listed(words: Iterable[str], limit: int = 40) -> str:
    """`a, b, c and 12 more`"""
    known = list(words)
    more = len(known) - limit
    return ", ".join(known[:limit]) + (f" and {more} more" if more > 0 else "")
