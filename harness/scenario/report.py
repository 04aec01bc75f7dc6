"""What reading a file finds: problems with their places, and the names that must mean something."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.errors import Problem
from harness.scenario.model import Place


class Invalid:
    """What reading answers where a problem was reported."""

    def __repr__(self) -> str:
        return "INVALID"


INVALID = Invalid()


@dataclass(frozen=True, slots=True)
class Use:
    """A name that stands in the file and must mean something: `kind` is selection, arm, claim, mark or value."""

    kind: str
    name: str
    at: Place


@dataclass(slots=True)
class Report:
    """What reading found: the problems, and the names that were used."""

    problems: list[Problem] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    def add(self, at: Place, message: str, *, expected: str = "", found: str = "", remedy: str = "") -> Invalid:
        problem = Problem(message, at.file, at.line, at.column, at.path, expected, found, remedy)
        if problem not in self.problems:
            self.problems.append(problem)
        return INVALID

    def use(self, kind: str, name: str, at: Place) -> None:
        self.uses.append(Use(kind, name, at))


def nearest(word: str, words: Iterable[str]) -> str:
    """The known word that was probably meant, or nothing; a difference of case alone always counts."""
    known = list(words)
    if same := [candidate for candidate in known if candidate.lower() == word.lower()]:
        return same[0]
    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=0.6)), "")


def did_you_mean(word: str, words: Iterable[str]) -> str:
    near = nearest(word, words)
    return f'did you mean "{near}"?' if near else ""


def listed(words: Iterable[str], limit: int = 40) -> str:
    known = list(words)
    more = len(known) - limit
    return ", ".join(known[:limit]) + (f" and {more} more" if more > 0 else "")
