"""Every error that traceproof raises on purpose.

TraceproofError
├── UserError                 exit 2: the remedy is in the user's hands; carries one or more Problems
│   ├── ScenarioError         a scenario, claims or category file does not say what the schema allows
│   ├── ConfigError           a file under configs/ is wrong
│   ├── CategoryError         a trace category that the build under test does not know
│   ├── UsageError            a command line that cannot be carried out
│   └── TraceFileError        a trace file that cannot be read as a Chrome trace
├── CapabilityError           UNSUPPORTED: this machine or build lacks something (never evidence)
└── HarnessError              exit 3: the harness or the browser failed (ERROR, never evidence)
    ├── BrowserError          launch, crash, lost connection
    ├── RecorderError         tracing did not start, stop or arrive
    ├── StepError             a step did not finish
    ├── ServerError           the fixture server
    └── StoreError            a recording or ledger could not be written (a full disk)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, said so that a person can mend it.

    `line` and `column` count from 1; 0 means that the place is not known. `path` is the place inside the
    document, such as `$.expect[2].count`. `remedy` is an instruction; a near match belongs in it.
    """

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    expected: str = ""
    found: str = ""
    remedy: str = ""

    @property
    def place(self) -> str:
        if not self.file:
            return ""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __str__(self) -> str:
        head = ": ".join(part for part in (self.place, self.message) if part)
        rows = (("at", self.path), ("expected", self.expected), ("found", self.found), ("remedy", self.remedy))
        return "\n".join([head, *(f"  {label + ':':<9} {text}" for label, text in rows if text)])


class TraceproofError(Exception):
    """Base of all; `exit_code` is the status of the command that it ends."""

    exit_code = 3


class UserError(TraceproofError):
    """One or more mistakes in what the user wrote; never shown with a traceback."""

    exit_code = 2

    def __init__(self, problems: Problem | Sequence[Problem] | str) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class ScenarioError(UserError):
    """A scenario, claims or category file that the schema does not allow."""


class ConfigError(UserError):
    """A file under `configs/` that the schema does not allow."""


class CategoryError(UserError):
    """A trace category that the build under test does not know."""


class UsageError(UserError):
    """A command line that cannot be carried out."""


class TraceFileError(UserError):
    """A file that is not a Chrome trace, or one that was cut short."""


class CapabilityError(TraceproofError):
    """This machine or this build cannot do what was asked; the verdict is UNSUPPORTED."""


class HarnessError(TraceproofError):
    """The harness or the browser failed; the verdict is ERROR and evidence of nothing."""


class BrowserError(HarnessError):
    """The browser did not start, crashed or went away."""


class RecorderError(HarnessError):
    """Tracing did not start, did not stop, or the trace did not arrive."""


class StepError(HarnessError):
    """A step of a scenario did not finish."""


class ServerError(HarnessError):
    """The fixture server could not start or serve."""


class StoreError(HarnessError):
    """A file could not be written; the message says which and why."""
