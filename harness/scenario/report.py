"""What reading a file finds: problems with their places, and the names that must mean something."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.errors import Problem
from harness.scenario.model import Place


class Invalid:
    """What reading answers where a problem was reported."""

    def __repr__(self) -> str:
        return "INVALID"


INVALID = Invalid()


OUTSIDE = ("category", "need")  # kinds of names that only a browser or a machine gives a meaning


@dataclass(frozen=True, slots=True)
class Use:
    """A name that stands in the file and must mean something: `kind` is selection, arm, claim, mark, value or one of
    `OUTSIDE`."""

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
