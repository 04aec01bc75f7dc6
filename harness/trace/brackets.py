"""Where the list of events begins in a piece of JSON and where its events end, by counting brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_USUAL_HEAD: Final = re.compile(rb'\s*(?:\[|\{\s*"traceEvents"\s*:\s*\[)')
# A text that the piece cuts off is one to the end of it: brackets in it are none of the file's.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_KEY: Final = re.compile(rb"\s*:\s*\[?")
_BETWEEN: Final = re.compile(rb"\s*,\s*")


def list_start(data: bytes) -> int | None:
    """Behind the bracket that opens the list of events, in the array form or behind the key `traceEvents`."""
    if usual := _USUAL_HEAD.match(data):
        return usual.end()
    return next((key.end() for key in lists(data) if key[0].endswith(b"[")), None)


def lists(data: bytes) -> Iterator[re.Match[bytes]]:
    """Each `traceEvents` of an object itself, not of what is in it, with what begins its value."""
    depth = 0
    for token in _TOKEN.finditer(data):
        if token[0] in b"{[":
            depth += 1
        elif token[0] in b"}]":
            depth -= 1
        elif depth == 1 and token[0] == b'"traceEvents"' and (key := _KEY.match(data, token.end())):
            yield key


def last_border(data: bytes) -> tuple[int, int, bool]:
    """Where the last event ends that another follows, and where that begins, both 0 without; whether the list ends."""
    depth = ended = 0
    border = 0, 0
    for token in _TOKEN.finditer(data):
        if token[0] in b"{[":
            if not depth and ended:
                if not _BETWEEN.fullmatch(data, ended, token.start()):
                    break
                border = ended, token.start()
            depth += 1
        elif token[0] in b"}]":
            depth -= 1
            if depth < 0:
                return *border, True
            if not depth:
                ended = token.end()
    return *border, False
