"""Which begin an end belongs to, and on which track: one rule, for `slices`, `spans`, `merged` and the census."""

from __future__ import annotations

from typing import Any, Final, Protocol, TypeVar

HALVES: Final = frozenset("BEbeSF")


class Disorder(Exception):
    """Half of a slice or span comes behind a later one of its track: only sorted can they be paired."""


class Half(Protocol):
    """A begin or an end of a track, which is a thread, or a category and id."""

    @property
    def name(self) -> str: ...
    @property
    def pid(self) -> Any: ...


Begin = TypeVar("Begin", bound=Half)


def span_track(cat: str, id_: str, name: str, ph: str) -> tuple[str, str, str]:
    """Of an async span: its category and id, and for S and F of old its name as well."""
    return cat, id_, name if ph in "SF" else ""


def take_begin(begun: list[Begin], end: Half) -> Begin | None:
    """Take out of a track's open begins the one that an end belongs to; None, where nothing began it.

    It is the innermost of its name, or of any name for an end without one; of several, one from its own process,
    because ids repeat across processes.
    """
    found = None
    for place in range(len(begun) - 1, -1, -1):
        if end.name not in ("", begun[place].name):
            continue
        if begun[place].pid == end.pid:
            found = place
            break
        if found is None:
            found = place
    return None if found is None else begun.pop(found)
