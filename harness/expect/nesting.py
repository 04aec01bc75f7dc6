"""Which events lie inside which, over whole selections at once.

What the trace's own tree holds nests as it says; where slices of a thread overlap, which no tree can hold, one that
covers another's time holds it too, or an event could be said to lie outside what it lies in. Everything else (async
spans, counters, gaps) lies inside what covers its time on the same thread. Nothing lies inside itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate

from harness.expect.items import Item
from harness.expect.timing import in_tree


def _bounds(item: Item) -> tuple[float, float]:
    return min(item.ts, item.end), max(item.ts, item.end)  # an overlap is a gap that ends before it starts


class _Spans:
    """Intervals of one thread: which cover a given one, in the time of the answer rather than of all intervals."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = sorted(items, key=lambda item: _bounds(item)[0])
        self._starts = [_bounds(item)[0] for item in self._items]
        self._latest_end = list(accumulate((_bounds(item)[1] for item in self._items), max))

    def around(self, inner: Item) -> Iterator[Item]:
        low, high = _bounds(inner)
        for index in range(bisect_right(self._starts, low) - 1, -1, -1):
            if self._latest_end[index] < high:
                return
            if (outer := self._items[index]) is not inner and _bounds(outer)[1] >= high:
                yield outer


class Nest:
    """The outer side of a containment: asks of any item which of `outers` it lies in."""

    def __init__(self, outers: Iterable[Item]) -> None:
        self._nodes: dict[int, Item] = {}
        self._spans_of_tree: dict[tuple[int, int], _Spans] | None = None
        others: list[Item] = []
        for outer in outers:
            if in_tree(outer):
                self._nodes[id(outer)] = outer
            else:
                others.append(outer)
        self._others = _by_thread(others)
        self._known: dict[int, bool] = {}  # of events of the tree: one of the outers, or inside one

    def holds(self, inner: Item) -> bool:
        """Whether `inner` lies inside one of them."""
        if in_tree(inner):
            if self._holds_node(inner):
                return True
            others = self._covering(self._others, inner)
            return next(others, None) is not None or next(self._across(inner), None) is not None
        return next(self.around(inner), None) is not None

    def around(self, inner: Item) -> Iterator[Item]:
        """Those that `inner` lies in, from the innermost out."""
        if not in_tree(inner):
            covering = [*self._covering(self._others, inner), *self._covering(self._tree(), inner)]
            yield from sorted(covering, key=_length)
            return
        above = [node for node in inner.ancestors() if id(node) in self._nodes]
        others = [*self._covering(self._others, inner), *self._across(inner)]
        yield from sorted([*above, *others], key=_length) if others else above

    def _tree(self) -> dict[tuple[int, int], _Spans]:
        if self._spans_of_tree is None:
            self._spans_of_tree = _by_thread(self._nodes.values())
        return self._spans_of_tree

    def _across(self, inner: Item) -> Iterator[Item]:
        return (outer for outer in self._covering(self._tree(), inner) if _by_time_alone(outer, inner))

    def _holds_node(self, inner: Item) -> bool:
        passed, answer, above = [], False, inner.parent
        while above is not None:
            if id(above) in self._nodes:
                answer = True
            elif (known := self._known.get(id(above))) is not None:
                answer = known
            else:
                passed.append(id(above))
                above = above.parent
                continue
            break
        self._known.update(dict.fromkeys(passed, answer))
        return answer

    def _covering(self, spans: dict[tuple[int, int], _Spans], inner: Item) -> Iterator[Item]:
        thread = spans.get((inner.pid, inner.tid))
        return thread.around(inner) if thread else iter(())


class Contents:
    """The inner side: asks of any item whether one of `inners` lies in it."""

    def __init__(self, inners: Iterable[Item]) -> None:
        self._above: set[int] = set()
        nodes: dict[tuple[int, int], list[Item]] = defaultdict(list)
        others: dict[tuple[int, int], list[Item]] = defaultdict(list)
        for inner in inners:
            (nodes if in_tree(inner) else others)[inner.pid, inner.tid].append(inner)
            above = inner.parent if in_tree(inner) else None
            while above is not None and id(above) not in self._above:
                self._above.add(id(above))
                above = above.parent
        self._nodes = {thread: _Starts(members) for thread, members in nodes.items()}
        self._others = {thread: _Starts(members) for thread, members in others.items()}

    def within(self, outer: Item) -> bool:
        """Whether one of them lies inside `outer`."""
        thread = (outer.pid, outer.tid)
        if (others := self._others.get(thread)) and others.within(outer):
            return True
        if in_tree(outer):
            return id(outer) in self._above or (
                (starts := self._nodes.get(thread)) is not None
                and any(_by_time_alone(outer, inner) for inner in starts.inside(outer))
            )
        nodes = self._nodes.get(thread)
        return nodes is not None and nodes.within(outer)


class _Starts:
    """Intervals of one thread: is one inside a given one?"""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = sorted(items, key=lambda item: _bounds(item)[0])
        self._starts = [_bounds(item)[0] for item in self._items]
        ends = [_bounds(item)[1] for item in reversed(self._items)]
        self._earliest_end = list(accumulate(ends, min))[::-1]  # of this one and all that start later

    def within(self, outer: Item) -> bool:
        return next(self.inside(outer), None) is not None

    def inside(self, outer: Item) -> Iterator[Item]:
        low, high = _bounds(outer)
        for index in range(bisect_left(self._starts, low), len(self._items)):
            if self._earliest_end[index] > high:
                return
            if (inner := self._items[index]) is not outer and _bounds(inner)[1] <= high:
                yield inner


def _by_time_alone(outer: Item, inner: Item) -> bool:
    """Whether a slice holds an event that the tree puts elsewhere, as it must where slices overlap.

    Edges are the tree's to judge: it knows what of equal times came first.
    """
    if outer.kind != "slice" or (outer.ts, outer.end) == (inner.ts, inner.end):
        return False
    if inner.ts == inner.end and not outer.ts < inner.ts < outer.end:
        return False
    return all(above is not outer for above in inner.ancestors())


def _length(item: Item) -> float:
    low, high = _bounds(item)
    return high - low


def _by_thread(items: Iterable[Item]) -> dict[tuple[int, int], _Spans]:
    threads: dict[tuple[int, int], list[Item]] = defaultdict(list)
    for item in items:
        threads[item.pid, item.tid].append(item)
    return {thread: _Spans(members) for thread, members in threads.items()}


def inner_counts(outers: Iterable[Item], inners: Iterable[Item], innermost: bool = False) -> dict[int, int]:
    """How many of `inners` each outer holds, by `id(outer)`; with `innermost` each is its nearest outer's only."""
    nest, counts = Nest(outers), defaultdict[int, int](int)
    for inner in inners:
        for outer in nest.around(inner):
            counts[id(outer)] += 1
            if innermost:
                break
    return counts
