"""The ledger: JSON Lines, one fact a line, on disk before the next attempt begins.

Order: one `RunHeader`, an `AttemptDone` as each attempt ends and a `CaseResult` as each case does, the `ClaimVerdict`s,
one `RunFooter`. A ledger without a footer is that of a run that was cut short; every line that it holds is still true,
and `Ledger.resume` goes on with it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from harness.errors import Problem, UserError
from harness.events import SCHEMA, ClaimVerdict, LedgerLine, RunFooter, RunHeader
from harness.store.atomic import drafted, storing
from harness.trace.reader import collector_paused

LEDGER = "ledger.jsonl"
_decoder = msgspec.json.Decoder(LedgerLine)


class Ledger:
    """Appends lines to a file; each is flushed and synced, or taken back when the disk refuses it (`StoreError`).

    Holds the folder of the file until it is closed or its process is gone, however that ends: a second ledger there is
    a `UserError`, since each run would write over the recordings that the other's verdicts rest on.
    """

    def __init__(self, path: Path, *, lock: int | None = None) -> None:
        self.path = path
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = hold(path.parent) if lock is None else lock
            self._file = path.open("ab", buffering=0)

    @classmethod
    def fresh(cls, folder: Path) -> Ledger:
        """A new `ledger.jsonl`; that of an earlier run in the folder is kept as `ledger-<n>.jsonl`."""
        path, number, lock = folder / LEDGER, 1, hold(folder)
        if path.exists():
            while (kept := path.with_stem(f"{path.stem}-{number}")).exists():
                number += 1
            with storing(kept):
                path.rename(kept)
        return cls(path, lock=lock)

    @classmethod
    def resume(cls, path: Path) -> tuple[Ledger, list[LedgerLine]]:
        """A ledger without a footer and what it says. Nothing is changed before `go_on`.

        `UserError` while its run still goes on, and for a file that is no ledger.
        """
        ledger = cls(path, lock=hold(path.parent))
        try:
            return ledger, read_ledger(path)
        except UserError:
            ledger.close()
            raise

    def go_on(self) -> None:
        """Take off what the end of the run is to write again: a line that was cut, and verdicts without a footer."""
        with storing(self.path):
            data = self.path.read_bytes()
            kept = 0
            for line, end in _lines(data, str(self.path)):
                if isinstance(line, ClaimVerdict):
                    break
                kept = end
            self._file.truncate(kept)
            if kept and data[kept - 1 : kept] != b"\n":  # whole, but for its last byte
                self._file.write(b"\n")
            os.fsync(self._file.fileno())

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
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def write_lines(path: Path, lines: Iterable[LedgerLine]) -> None:
    """A whole ledger at once: it is there with its footer, or not at all (`StoreError`)."""
    with drafted(path) as file:
        for line in lines:
            file.write(msgspec.json.encode(line) + b"\n")


def hold(folder: Path) -> int:
    """A lock on a folder that ends with its descriptor; `UserError` while another run has it."""
    with storing(folder):
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            remedy = "wait until it has ended, or choose another folder with --out"
            raise UserError(Problem("another run is writing here", file=str(folder), remedy=remedy)) from None
    return lock


def in_use(folder: Path) -> bool:
    """Whether a run that is still going on writes into this folder."""
    try:
        os.close(hold(folder))
    except UserError:
        return True
    return False


def is_whole(path: Path) -> bool:
    """Whether a ledger has its footer: its run was not cut short."""
    lines = read_ledger(path)
    return bool(lines) and isinstance(lines[-1], RunFooter)


def read_ledger(path: Path) -> list[LedgerLine]:
    """All lines of a ledger. A last line that was cut by a kill is left out; any other broken line is a `UserError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(Problem(f"cannot be read: {error.strerror}", file=str(path))) from error
    with collector_paused():
        return [line for line, _ in _lines(data, str(path))]


def _lines(data: bytes, file: str) -> Iterator[tuple[LedgerLine, int]]:
    """Each line with the place where it ends."""
    *rows, tail = data.split(b"\n")
    end = 0
    for number, row in enumerate(rows, 1):
        end += len(row) + 1
        try:
            yield _readable(_decoder.decode(row), file, number), end
        except (msgspec.MsgspecError, RecursionError) as error:
            remedy = "a ledger is never edited: take it from a copy, or run again" if end else "give a ledger.jsonl"
            problem = Problem("is not a line of a ledger", file, number, 1, found=str(error), remedy=remedy)
            raise UserError(problem) from error
    if tail:
        with suppress(msgspec.MsgspecError, RecursionError):
            yield _readable(_decoder.decode(tail), file, len(rows) + 1), end + len(tail)


def _readable(line: LedgerLine, file: str, number: int) -> LedgerLine:
    """The line; `UserError` where a header says that what follows means something else than here."""
    if isinstance(line, RunHeader) and line.schema != SCHEMA:
        problem = Problem(
            "the ledger is of another schema",
            file,
            number,
            1,
            expected=f"schema {SCHEMA}",
            found=f"schema {line.schema}, written by traceproof {line.traceproof}",
            remedy="read it with the traceproof that wrote it",
        )
        raise UserError(problem)
    return line
