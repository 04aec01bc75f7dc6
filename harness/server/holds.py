"""Named gates that responses wait at until a step releases them."""

from __future__ import annotations

import asyncio
from collections import Counter


class Holds:
    """A name is released once and for good: all who wait at it go on, and whoever comes later does not wait."""

    def __init__(self) -> None:
        self._gates: dict[str, asyncio.Event] = {}
        self._waiting: Counter[str] = Counter()

    async def wait(self, name: str) -> None:
        self._waiting[name] += 1
        try:
            await self._gates.setdefault(name, asyncio.Event()).wait()
        finally:
            self._waiting[name] -= 1

    def release(self, name: str) -> int:
        """How many responses were waiting."""
        self._gates.setdefault(name, asyncio.Event()).set()
        return self._waiting[name]

    def reset(self) -> None:
        """Forget what was released, for another recording on the same server. Who waits goes on waiting."""
        self._gates = {name: gate for name, gate in self._gates.items() if not gate.is_set()}
