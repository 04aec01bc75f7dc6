"""Rows of numbers, 25 bytes each, of which a file holds the most as long as they come in order of time."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain, count, starmap
from math import inf
from typing import IO, Any, Final

from harness.trace.runs import nameless_file

_AT_ONCE: Final = 1 << 15

Row = tuple[int, int, int, float, float]  # seq, number of the name, phase, start, end
_Columns = tuple["array[Any]", ...]


def _columns() -> _Columns:
    return array("I"), array("I"), array("B"), array("d"), array("d")


class Rows:
    """`add` rows in file order, then read them `in_order` of time. `OSError` where the disk has no room.

    to_file: may be set False; they are held then, and `seqs` and `ends` have them all after `take_back`.
    """

    def __init__(self) -> None:
        self.to_file = True
        self._columns = _columns()
        self._file: IO[bytes] | None = None
        self._put = 0  # how many are in the file
        self._sorted, self._latest = True, -inf

    def __len__(self) -> int:
        return self._put + len(self.seqs)

    @property
    def seqs(self) -> array[int]:
        return self._columns[0]

    @property
    def ends(self) -> array[float]:
        return self._columns[-1]

    def add(self, row: Row) -> None:
        if row[3] < self._latest:
            self._sorted = False
        self._latest = row[3]
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)
        if len(self.seqs) == _AT_ONCE and self.to_file and self._sorted:
            self._put_away()

    def in_order(self) -> Iterator[tuple[int, Row]]:
        """Each with its place among those that were added; what comes at one moment in the order of the file."""
        if self._sorted:
            yield from zip(count(), chain.from_iterable(starmap(zip, self._blocks())))
            return
        import numpy as np

        self.take_back()
        seqs, names, phs, starts, ends = self._columns
        order = np.argsort(np.frombuffer(starts), kind="stable")
        for first in range(0, len(order), _AT_ONCE):
            for row in order[first : first + _AT_ONCE].tolist():
                yield row, (seqs[row], names[row], phs[row], starts[row], ends[row])

    def take_back(self) -> None:
        """Hold those in the file again."""
        first, *more = self._blocks()
        for block in more:
            for column, added in zip(first, block, strict=True):
                column.extend(added)
        self._columns, self._file, self._put = first, None, 0

    def _put_away(self) -> None:
        if self._file is None:
            self._file = nameless_file(self)
        self._file.write(b"".join(column.tobytes() for column in self._columns))
        self._put += len(self.seqs)
        self._columns = _columns()

    def _blocks(self) -> Iterator[_Columns]:
        if self._file is not None:
            self._file.seek(0)
            for _ in range(0, self._put, _AT_ONCE):
                block = _columns()
                for column in block:
                    column.frombytes(self._file.read(_AT_ONCE * column.itemsize))
                yield block
        yield self._columns
