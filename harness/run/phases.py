"""Where the time of an attempt goes: seconds by phase, of which no two count the same moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from harness.events import PHASES

_spent: ContextVar[dict[str, float] | None] = ContextVar("spent", default=None)
_open: ContextVar[_Open | None] = ContextVar("open", default=None)


@dataclass(slots=True)
class _Open:
    """A phase that goes on, and how many of its seconds are those of phases inside."""

    inside: float = 0.0


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Whatever `phase` measures inside, by name."""
    spent: dict[str, float] = {}
    token = _spent.set(spent)
    try:
        yield spent
    finally:
        _spent.reset(token)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """This is `name`, one of `PHASES`, but for what is another phase inside."""
    assert name in PHASES, name
    spent, outer, own = _spent.get(), _open.get(), _Open()
    token, began = _open.set(own), time.monotonic()
    try:
        yield
    finally:
        seconds = time.monotonic() - began
        _open.reset(token)
        if outer is not None:
            outer.inside += seconds
        if spent is not None:
            spent[name] = spent.get(name, 0.0) + seconds - own.inside
