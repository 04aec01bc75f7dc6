"""Which of two events comes first, where timestamps of whole microseconds often tie.

On one thread a tie is settled by nesting (a parent starts before its child) and then by file order, for Chrome writes
the events of a thread in order. Between threads nothing settles it: neither comes before the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from harness.trace import Event
from harness.trace.outline import Bare

if TYPE_CHECKING:
    from harness.expect.items import Item


_OF_THE_TREE = ("slice", "instant", "flow", "object", "sample")


def in_tree(item: Item) -> bool:
    """Whether the trace's tree of slices has a place for it: pseudo-events have none, nor have spans and counters."""
    return item.kind in _OF_THE_TREE and isinstance(item, (Event, Bare))


def _chain(item: Item) -> tuple[tuple[float, int], ...]:
    """Position in the thread's tree: a prefix of another chain is its ancestor and sorts before it."""
    return (*((above.ts, above.seq) for above in reversed(list(item.ancestors()))), (item.ts, item.seq))


def same_thread(a: Item, b: Item) -> bool:
    return a.pid == b.pid and a.tid == b.tid


def starts_before(a: Item, b: Item) -> bool:
    """`a` starts before `b`; false on a tie between threads."""
    if a.ts != b.ts:
        return a.ts < b.ts
    if not same_thread(a, b):
        return False
    return _chain(a) < _chain(b) if in_tree(a) and in_tree(b) else a.seq < b.seq


def ends_before(a: Item, b: Item) -> bool:
    """`a` has ended when `b` starts. Touching counts on one thread, unless `b` still lies inside `a`."""
    if a.end != b.ts:
        return a.end < b.ts
    if a.ts == b.ts:
        return starts_before(a, b)
    return same_thread(a, b) and not any(above is a for above in b.ancestors())


def in_time_order(items: Iterable[Item]) -> list[Item]:
    """By start; ties as above, and between threads by pid and tid only to be the same each time."""
    ordered: list[Item] = []
    for _, tied in groupby(sorted(items, key=attrgetter("ts", "seq")), key=attrgetter("ts")):
        group = list(tied)
        if len(group) > 1:
            nested = all(map(in_tree, group))
            group.sort(key=lambda item: (item.pid, item.tid, _chain(item) if nested else ((0, item.seq),)))
        ordered += group
    return ordered
