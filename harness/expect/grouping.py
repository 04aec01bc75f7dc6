"""Events that belong together because they have the same values at some paths."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from harness.expect.items import Item
from harness.expect.recording import NotShown
from harness.expect.values import canonical, show, values_at
from harness.expect.where import path_at
from harness.scenario.model import Place
from harness.trace import Trace


class Grouping:
    """With no path everything is one group. An event without a value belongs to none, and asking raises `NotShown`."""

    def __init__(self, paths: Iterable[str], at: Place, trace: Trace) -> None:
        self._paths = [path_at(path, at) for path in paths]
        self._trace = trace

    def of(self, item: Item) -> Hashable:
        return canonical(self._values(item))

    def label(self, item: Item) -> str:
        """The group in words: `args.frame 7, tid 3`; '' where everything is one group."""
        values = self._values(item)
        return ", ".join(f"{path.text} {show(v)}" for path, v in zip(self._paths, values, strict=True))

    def _values(self, item: Item) -> list[Any]:
        found = []
        for path in self._paths:
            values = values_at(item, path, self._trace)
            if not values:
                raise NotShown(f"{item.name} at {item.ts:.15g} has no {path.text}, so it belongs to no group")
            found.append(values[0] if len(values) == 1 else values)
        return found
