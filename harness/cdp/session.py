"""What the harness asks of a protocol session, whoever made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Session(Protocol):
    """A session with the browser or with one target: Playwright's `CDPSession`, or a `Socket` of our own."""

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a command."""
        ...

    def on(self, event: str, f: Callable[[dict[str, Any]], Any]) -> None:
        """Call `f` with the parameters of each event of this name."""
        ...

    async def detach(self) -> None:
        """End the session; the target goes on."""
        ...
