"""The slices of one thread in a few bytes each: enough to say which holds which, and how they are called.

A slice that somebody asks for is kept whole beside this. The others come back for a moment, in order of time, while the
tree is made (`slices.nested`). Of those that a kept one lies inside a `Holder` stays. Where there are many, and they
come in order of time with their ends, they lie in a file until then.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isnan, nan
from operator import attrgetter
from typing import ClassVar, Final, cast

import msgspec

from harness.trace import slices
from harness.trace.event import Event
from harness.trace.rows import Row, Rows

_NO_END: Final = -1
_KEPT: Final = 0x80
_SEQ: Final = attrgetter("seq")


class Holder(msgspec.Struct, gc=False, eq=False):
    """What is known of a slice that was not asked for and holds one that was. Nothing else of it can be looked at."""

    kind: ClassVar[str] = "slice"

    name: str
    parent: Event | Holder | None
    at: complex  # ts and seq: there are millions, and two numbers would take twice the memory of this one

    @property
    def ts(self) -> float:
        return self.at.real

    @property
    def seq(self) -> int:
        return int(self.at.imag)


class Bare(msgspec.Struct, gc=False, eq=False):
    """A whole slice of which only the place is looked at, as of an `Event`. Nothing else of it can be."""

    kind: ClassVar[str] = "slice"
    ph: ClassVar[str] = "X"
    open: ClassVar[bool] = False
    end_seq: ClassVar[int] = _NO_END

    seq: int
    thread: tuple[int, int]
    name: str
    cat: str
    ts: float
    dur: float
    parent: Event | None = None
    depth: int = 0

    @property
    def end(self) -> float:
        return self.ts + self.dur

    @property
    def pid(self) -> int:
        return self.thread[0]

    @property
    def tid(self) -> int:
        return self.thread[1]

    def ancestors(self) -> Iterator[Event]:
        return Event.ancestors(cast(Event, self))


class _Passing(msgspec.Struct, gc=False, eq=False):
    """A slice that was not asked for, with what the making of the tree looks at."""

    kind: ClassVar[str] = "slice"

    seq: int
    name: str
    ph: str
    ts: float
    end: float
    end_seq: int = _NO_END
    parent: Event | None = None
    depth: int = 0
    holder: Holder | None = None


_WHOLE: Final = (Event, Bare)


class Words:
    """Texts by number, so that an event needs four bytes for one."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        if (known := self._numbers.get(text)) is None:
            known = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return known


class Outline:
    """`add` every slice of a thread in file order, begins and ends apart; then `pair`, then `nest`.

    kept: the events that were asked for, in file order; ends among them.
    """

    def __init__(self, thread: tuple[int, int], words: Words) -> None:
        self.kept: list[Event] = []
        self._thread, self._words = thread, words
        self._rows = Rows()
        self._end_seqs: array[int] = array("q")
        self._paired = False
        self._covered, self._reached = array("d"), array("d")  # of those that are kept

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, event: Event, keep: bool) -> None:
        """`keep`: it was asked for."""
        if event.ph == "E":
            self._paired, self._rows.to_file = True, False
        ph = ord(event.ph) | _KEPT if keep else ord(event.ph)
        end = nan if event.dur is None else event.end  # NaN: not known
        self._rows.add((event.seq, self._words.number(event.name), ph, event.ts, end))
        if keep:
            self.kept.append(event)

    def pair(self, anomalies: Counter[str]) -> None:
        """Give each begin its end."""
        if not self._paired:
            return
        rows = self._rows
        rows.take_back()
        self._end_seqs = array("q", [_NO_END]) * len(rows)
        for begin, end in slices.pairs((self._whole(row) for _, row in rows.in_order()), anomalies):
            slices.close(begin, end)
            place = bisect_left(rows.seqs, begin.seq)
            rows.ends[place], self._end_seqs[place] = begin.end, begin.end_seq

    def nest(self, points: Sequence[Event], end_ts: float, anomalies: Counter[str]) -> None:
        """Give those that are kept, and `points` of the thread, their parents. What never ended ends at `end_ts`.

        After this only what is kept is left.
        """
        self._covered = array("d", [0.0]) * len(self.kept)
        self._reached = array("d", [nan]) * len(self.kept)
        for event in slices.nested(self._track(points, end_ts, anomalies), anomalies):
            if event.kind == "slice" and isinstance(event.parent, _WHOLE):
                self._cover(event.parent, event)
            if not isinstance(event, _Passing):
                event.parent = cast(Event | None, _stays(event.parent))
        self._rows = Rows()
        self._end_seqs, self._reached = array("q"), array("d")

    def covered(self, event: Event) -> float:
        """The time of a kept slice that its direct children cover."""
        at = bisect_left(self.kept, event.seq, key=_SEQ)
        return self._covered[at] if at < len(self.kept) and self.kept[at] is event else 0.0

    def _cover(self, parent: Event, child: Event) -> None:
        """The rule of `slices.covered_by_children`."""
        at = bisect_left(self.kept, parent.seq, key=_SEQ)
        reached = self._reached[at]
        start = child.ts if isnan(reached) else max(child.ts, reached)
        end = min(child.end, parent.end)
        self._covered[at] += max(end - start, 0.0)
        self._reached[at] = end if isnan(reached) else max(end, reached)

    def _track(self, points: Sequence[Event], end_ts: float, anomalies: Counter[str]) -> Iterator[Event]:
        """The slices, and the points among them, in order of time."""
        waiting = iter(sorted(points, key=attrgetter("ts", "seq")))
        point = next(waiting, None)
        for place, row in self._rows.in_order():
            seq, _, ph, ts, _ = row
            while point is not None and (point.ts, point.seq) < (ts, seq):
                yield point
                point = next(waiting, None)
            if ph & ~_KEPT == ord("E"):
                continue
            yield self._kept(seq) if ph & _KEPT else self._passing(place, row, end_ts, anomalies)
        while point is not None:
            yield point
            point = next(waiting, None)

    def _kept(self, seq: int) -> Event:
        return self.kept[bisect_left(self.kept, seq, key=_SEQ)]

    def _passing(self, place: int, row: Row, end_ts: float, anomalies: Counter[str]) -> Event:
        seq, name, ph, ts, end = row
        if isnan(end):
            end = max(end_ts, ts)
            anomalies["open slices"] += 1
        passing = _Passing(seq, self._words.texts[name], chr(ph), ts, end)
        if self._end_seqs:
            passing.end_seq = self._end_seqs[place]
        return cast(Event, passing)

    def _whole(self, row: Row) -> Event:
        """A slice for the pairing of begins with ends."""
        seq, name, ph, ts, end = row
        if ph & _KEPT:
            return self._kept(seq)
        dur, end = (None, ts) if isnan(end) else (end - ts, end)
        return Event(seq, "slice", self._thread, self._words.texts[name], "", chr(ph), ts, dur, end)


def _stays(above: Event | _Passing | None) -> Event | Holder | None:
    """What a kept event has for a parent: of slices that pass, and all that these lie in, their holders."""
    passing: list[_Passing] = []
    while isinstance(above, _Passing) and above.holder is None:
        passing.append(above)
        above = above.parent
    parent = above.holder if isinstance(above, _Passing) else above
    for one in reversed(passing):
        parent = one.holder = Holder(one.name, parent, complex(one.ts, one.seq))
    return parent
