"""The ledger: JSON Lines, one fact a line, on disk before the next attempt begins.

Order: one `RunHeader`, a `CaseResult` as each case ends, the `ClaimVerdict`s, one `RunFooter`. A ledger without a
footer is that of a run that was cut short; every line that it holds is still true.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

import msgspec

from harness.errors import Problem, UserError
from harness.events import LedgerLine
from harness.store.atomic import storing

_decoder = msgspec.json.Decoder(LedgerLine)


class Ledger:
    """Appends lines to a file; each is flushed and synced, or taken back when the disk refuses it (`StoreError`)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
            fcntl.flock(self._file, fcntl.LOCK_SH)  # gone with this process, however it ends; `in_use` asks for it

    def append(self, line: LedgerLine) -> None:
        data = msgspec.json.encode(line) + b"\n"
        with storing(self.path):
            start = self._file.seek(0, os.SEEK_END)
            try:
                written = self._file.write(data)
                while written < len(data):
                    written += self._file.write(data[written:])
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(start)
                raise

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def in_use(path: Path) -> bool:
    """Whether a run that is still going on writes this ledger."""
    with storing(path), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def read_ledger(path: Path) -> list[LedgerLine]:
    """All lines of a ledger. A last line that was cut by a kill is left out; any other broken line is a `UserError`."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UserError(Problem(f"cannot be read: {error.strerror}", file=str(path))) from error
    tail = lines.pop()
    found: list[LedgerLine] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(_decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise UserError(
                Problem("is not a line of a ledger", file=str(path), line=number, column=1, found=str(error))
            ) from error
    if tail:
        try:
            found.append(_decoder.decode(tail))
        except msgspec.MsgspecError:
            return found
    return found
