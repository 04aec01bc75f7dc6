"""The shape of an event's arguments: which paths it has, and of which types. A trace has few shapes and many events."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from harness.trace.argpaths import parent_path, typed_paths
from harness.trace.event import WireEvent, decode_args

Shape = tuple[tuple[str, str], ...]  # path, types at it in this event, joined by `|`; sorted

_EMPTY: Final = frozenset((b"", b"{}"))
_KNOWN, _LONGEST_KNOWN = 20_000, 512  # texts that are remembered, and their bytes


class Shapes:
    """Makes shapes, each held once."""

    def __init__(self) -> None:
        self._by_text: dict[bytes, Shape] = {}
        self._merged: dict[tuple[Shape, Shape], Shape] = {}
        self._held: dict[Shape, Shape] = {}

    def of(self, event: WireEvent) -> Shape:
        """The shape of its own arguments."""
        text = bytes(event.raw_args)
        if text in _EMPTY:
            return ()
        if (known := self._by_text.get(text)) is not None:
            return known
        types: defaultdict[str, list[str]] = defaultdict(list)
        for path, type_ in typed_paths(decode_args(event.raw_args)):
            types[path].append(type_)
        shape = self._hold(tuple((path, "|".join(sorted(found))) for path, found in sorted(types.items())))
        if len(text) <= _LONGEST_KNOWN and len(self._by_text) < _KNOWN:
            self._by_text[text] = shape
        return shape

    def merged(self, begin: Shape, end: Shape) -> Shape:
        """Of a begin with its end: the end's argument stands where both have one of the same name."""
        if not end or begin == end:
            return begin
        if (known := self._merged.get((begin, end))) is None:
            late = {path for path, _ in end if parent_path(path) == "args"}
            kept = [(path, types) for path, types in begin if _argument(path) not in late]
            known = self._merged[begin, end] = self._hold(tuple(sorted([*kept, *end])))
        return known

    def _hold(self, shape: Shape) -> Shape:
        return self._held.setdefault(shape, shape)


def _argument(path: str) -> str:
    """The path of the whole argument that a path leads into."""
    while (above := parent_path(path)) != "args":
        path = above
    return path
