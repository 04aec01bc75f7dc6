"""Trace files on disk: those that a word of the command line means."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.errors import Problem, UsageError
from harness.paths import below

_TRACE: Final = re.compile(r".*\.(json|trace|pftrace|perfetto-trace|pb|proto)(\.gz|\.zst)?")
_BESIDE: Final = re.compile(r".*\.?(manifest|context)\.json")  # what traceproof writes beside its recordings


def find_traces(text: str) -> list[Path]:
    """A file whatever its name, the trace files below a folder, or a glob over both; `UsageError` without any."""
    path = Path(text)
    if path.is_file():
        return [path]
    # `Path.glob` takes no absolute patterns.
    roots = [path] if path.exists() else [Path(each) for each in glob.glob(text, recursive=True)]  # noqa: PTH207
    if found := sorted({each for root in roots for each in _traces(root)}):
        return found
    nowhere = not path.exists() and not glob.has_magic(text)
    message = f"{text} does not exist" if nowhere else f"there is no recording in {text}"
    expected = "a trace file, a folder that holds recordings, or a quoted pattern such as 'out/*/…'"
    raise UsageError(Problem(message, expected=expected))


def _traces(root: Path) -> Iterator[Path]:
    for path in below(root, "*") if root.is_dir() else [root]:
        if path.is_file() and _TRACE.fullmatch(path.name) and not _BESIDE.fullmatch(path.name):
            yield path
