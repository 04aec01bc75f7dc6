"""Rows put in order in bounded memory: sorted runs in a temporary file, which are merged as they are read.

The file has no name (`O_TMPFILE`, or removed as soon as it is made), so it goes with the process, however that ends.
"""

from __future__ import annotations

import heapq
import marshal
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import IO, Any, Final, Generic, TypeVar

import zstandard

HELD: Final = 16_000_000  # bytes of rows in memory, about
_BLOCK: Final = 256  # rows that are read at once

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class _Run(Generic[Row]):
    """Rows in order. blocks: where they are in the file, and how many bytes they have."""

    first: Row
    blocks: list[tuple[int, int]]


def nameless_file(owner: object) -> IO[bytes]:
    """A temporary file that is closed with its owner."""
    file = tempfile.TemporaryFile(prefix="traceproof-")  # noqa: SIM115 - closed with the owner
    weakref.finalize(owner, _close, file)
    return file


def _close(file: IO[bytes]) -> None:
    # On a full disk what could not be written is tried again; nobody reads it any more.
    with suppress(OSError):
        file.close()


class SortedRuns(Generic[Row]):
    """`add` rows, then iterate once, in order of `key`; those of one key come as they were added.

    pack: a row as a tuple of what `marshal` knows; unpack: the row again. `OSError` where the disk has no room.
    """

    def __init__(
        self, key: Callable[[Row], Any], pack: Callable[[Row], tuple[Any, ...]], unpack: Callable[[Any], Row]
    ) -> None:
        self._key, self._pack, self._unpack = key, pack, unpack
        self._held: list[Row] = []
        self._size = 0
        self._file: IO[bytes] | None = None
        self._runs: list[_Run[Row]] = []

    def add(self, row: Row, size: int) -> None:
        """`size`: bytes that it takes in memory, about."""
        self._held.append(row)
        self._size += size
        if self._size > HELD:
            self._spill()

    def __iter__(self) -> Iterator[Row]:
        if self._file is None:
            self._held.sort(key=self._key)
            yield from self._held
            self._held = []
            return
        if self._held:
            self._spill()
        with closing(self._file):
            yield from heapq.merge(*map(self._read, self._runs), key=self._key)

    def _spill(self) -> None:
        if self._file is None:
            self._file = nameless_file(self)
        self._held.sort(key=self._key)
        packer = zstandard.ZstdCompressor(level=1)
        blocks = []
        for start in range(0, len(self._held), _BLOCK):
            rows = [self._pack(row) for row in self._held[start : start + _BLOCK]]
            block = packer.compress(marshal.dumps(rows))
            blocks.append((self._file.tell(), len(block)))
            self._file.write(block)
        self._runs.append(_Run(self._held[0], blocks))
        self._held, self._size = [], 0

    def _read(self, run: _Run[Row]) -> Iterator[Row]:
        # The first row comes from memory: a run that is not yet on its way has no block there.
        yield run.first
        assert self._file is not None
        unpacker = zstandard.ZstdDecompressor()
        for number, (start, size) in enumerate(run.blocks):
            self._file.seek(start)
            rows = marshal.loads(unpacker.decompress(self._file.read(size)))
            yield from map(self._unpack, rows if number else rows[1:])
