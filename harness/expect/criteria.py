"""The criteria of a selection: each accepts an event or says in words why not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, cast

from harness.expect.items import Item
from harness.expect.nesting import Contents, Nest
from harness.expect.values import thread_name
from harness.trace import Event, Trace

NOT_BY_DEFAULT = ("flow", "metadata")


class Criterion(Protocol):
    def accepts(self, item: Item) -> bool: ...

    def why_not(self, item: Item) -> str: ...


class Name:
    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def accepts(self, item: Item) -> bool:
        return item.name in self._names

    def why_not(self, item: Item) -> str:
        return f"is {item.name}"


class NamePattern:
    def __init__(self, regex: re.Pattern[str]) -> None:
        self._regex = regex
        self._known: dict[str, bool] = {}  # a trace has a million events and a thousand names

    def accepts(self, item: Item) -> bool:
        if (known := self._known.get(item.name)) is None:
            known = self._known[item.name] = self._regex.search(item.name) is not None
        return known

    def why_not(self, item: Item) -> str:
        return f"is {item.name}"


class Category:
    def __init__(self, token: str) -> None:
        self._token = token
        self._known: dict[str, bool] = {}

    def accepts(self, item: Item) -> bool:
        if (known := self._known.get(item.cat)) is None:
            known = self._known[item.cat] = self._token in (token.strip() for token in item.cat.split(","))
        return known

    def why_not(self, item: Item) -> str:
        return f"has the categories {item.cat}, not {self._token}"


class Phase:
    """Group words and raw letters; none of them means every group but flow and metadata."""

    def __init__(self, phases: tuple[str, ...]) -> None:
        self._phases = phases

    def accepts(self, item: Item) -> bool:
        if not self._phases:
            return item.kind not in NOT_BY_DEFAULT
        return item.kind in self._phases or item.ph in self._phases

    def why_not(self, item: Item) -> str:
        wanted = " or ".join(self._phases) or "an event that is looked at by default"
        return f"is ph {item.ph} ({item.kind}), not {wanted}"


class Scope:
    """`on:` the process and thread; `plays` tells the role's events from others."""

    def __init__(self, role: str, plays: Callable[[Event], bool], trace: Trace) -> None:
        self._role, self._plays, self._trace = role, plays, trace

    def accepts(self, item: Item) -> bool:
        return self._plays(cast(Event, item))  # a gap has the pid and tid of its thread, which is all that counts

    def why_not(self, item: Item) -> str:
        return f"is on {thread_name(item, self._trace) or 'thread'} {item.pid}:{item.tid}, not on {self._role}"


class ThreadName:
    def __init__(self, regex: re.Pattern[str], trace: Trace) -> None:
        self._regex, self._trace = regex, trace

    def accepts(self, item: Item) -> bool:
        return self._regex.search(thread_name(item, self._trace)) is not None

    def why_not(self, item: Item) -> str:
        name = thread_name(item, self._trace) or "without a name"
        return f"is on the thread {name}, which does not match /{self._regex.pattern}/"


class During:
    """The start lies in [begin, end), times of the trace in us."""

    def __init__(self, text: str, begin: float, end: float) -> None:
        self._text, self._begin, self._end = text, begin, end

    def accepts(self, item: Item) -> bool:
        return self._begin <= item.ts < self._end

    def why_not(self, item: Item) -> str:
        if item.ts < self._begin:
            return f"starts {self._begin - item.ts:.15g} us before the window {self._text} opens"
        return f"starts {item.ts - self._end:.15g} us after the window {self._text} closes"


class Inside:
    def __init__(self, name: str, outers: list[Item], wanted: bool) -> None:
        self._name, self._nest, self._wanted = name, Nest(outers), wanted

    def accepts(self, item: Item) -> bool:
        return self._nest.holds(item) == self._wanted

    def why_not(self, item: Item) -> str:
        if not self._wanted:
            outer = next(self._nest.around(item))
            return f"is inside `{self._name}` ({outer.name} at {outer.ts:.15g})"
        return f"is not inside any `{self._name}`; {parents_in_words(item)}"


class Containing:
    def __init__(self, name: str, inners: list[Item], wanted: bool) -> None:
        self._name, self._contents, self._wanted = name, Contents(inners), wanted

    def accepts(self, item: Item) -> bool:
        return self._contents.within(item) == self._wanted

    def why_not(self, item: Item) -> str:
        return f"contains {'no' if self._wanted else 'a'} `{self._name}`"


def parents(item: Item) -> list[str]:
    """Names of the slices around it, from the outermost in."""
    return [above.name for above in item.ancestors()][::-1]


def parents_in_words(item: Item) -> str:
    names = parents(item)
    return f"its parents are {' > '.join(names)}" if names else "it has no parent"
