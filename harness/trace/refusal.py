"""What is said of a file that is no whole trace: what is wrong, where, and what to do."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from harness.errors import Problem, TraceFileError

AGAIN: Final = "record it again, and wait until the recording has been written to its end"
_EXPECTED: Final = 'a Chrome trace: JSON ({"traceEvents": [...]} or [...]) or Perfetto\'s protobuf, plain, gzip or zstd'
_ZIP: Final = b"PK\x03\x04"


def refusal(
    path: Path, message: str, *, found: str = "", remedy: str = AGAIN, at: str = "", line: int = 0, column: int = 0
) -> TraceFileError:
    """The error for a file; it names the file, what was expected and the remedy."""
    problem = Problem(
        message, file=str(path), line=line, column=column, path=at, expected=_EXPECTED, found=found, remedy=remedy
    )
    return TraceFileError(problem)


def not_json(head: bytes, path: Path) -> TraceFileError:
    """For a file that begins as no trace does."""
    if head.startswith(_ZIP):
        return refusal(path, "a zip archive, not a trace", found="zip", remedy="unpack it and give the file inside")
    if head[:1] == b"<":
        return refusal(path, "a page, not a trace", found="HTML or XML", remedy="save the trace itself as JSON")
    if b"\0" in head or not head[:64].isascii():
        return refusal(path, "neither JSON nor a Perfetto trace", found="other binary data", remedy="give a trace file")
    return refusal(path, "not JSON", found=repr(head[:40].decode("utf-8", "replace")), remedy="give a trace file")


def malformed(error: msgspec.ValidationError, path: Path, document: bytes, at: str) -> TraceFileError:
    """For JSON that is no trace. at: where in the file; `document`: the JSON, for what it has instead of events."""
    text = str(error)
    if "traceEvents" in text and "missing" in text:
        found = f"a JSON object with {', '.join(_top_keys(document)) or 'other keys'}"
        return refusal(path, "not a trace: it has no traceEvents", found=found, remedy="give the trace file itself")
    remedy = "a field has a type that no trace writer uses: mend what wrote the file"
    return refusal(path, "an event in it is malformed", at=at, found=text.partition(" - at ")[0], remedy=remedy)


def _top_keys(document: bytes) -> list[str]:
    try:
        return list(msgspec.json.decode(document, type=dict[str, msgspec.Raw]))[:8]
    except msgspec.DecodeError:
        return []


def cut(path: Path, size: int, tail: bytes) -> TraceFileError:
    """For JSON that does not reach its end."""
    found = f"the end of the file after {size:,} bytes, at …{tail[-60:].decode('utf-8', 'replace').strip()!r}"
    return refusal(path, "cut short: its JSON has no end", found=found)


def two_lists(path: Path) -> TraceFileError:
    """For an object that has its events twice: nobody knows which are meant."""
    remedy = "leave one list in it, or make a file of each"
    return refusal(path, "more than one list of events", found="the key traceEvents several times", remedy=remedy)


def too_deep(path: Path) -> TraceFileError:
    """For JSON that no reader has the stack for."""
    return refusal(path, "its JSON is nested too deeply to read", found="values inside values, hundreds of levels deep")


def no_room(path: Path, error: OSError) -> TraceFileError:
    """For a trace that takes a temporary file, which cannot be written."""
    remedy = "make room, or let TMPDIR name a folder that has as much as the trace takes"
    # Not gettempdir(): where no folder will do, it fails as the caller did.
    found = f"{error.strerror} in {tempfile.tempdir}" if tempfile.tempdir else str(error.strerror)
    return refusal(path, "too large to be held, and it cannot be put on disk", found=found, remedy=remedy)


def byte_of(error: Exception) -> int | None:
    """The offset that an error of the decoder names; None without."""
    return int(byte[1]) if (byte := re.search(r"\(byte (\d+)\)", str(error))) else None
