"""The page of a browser that nobody is connected to: there is nothing to do to it but to wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from harness.errors import StepError
from harness.server import FixtureServer
from harness.server.journal import State
from harness.steps.page import StepPage

_WHY = "no client is connected to the browser"


class Nobody:
    """The session that there is not."""

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """`StepError`, always."""
        raise StepError(f"{_WHY}, so {method} cannot be sent")

    def on(self, event: str, f: Callable[[dict[str, Any]], Any]) -> None:
        """Nothing will ever be heard."""

    async def detach(self) -> None:
        """There is nothing to detach."""


@dataclass(eq=False, kw_only=True)
class AlonePage(StepPage):
    """The page that the browser opens by itself; `server` is asked what it has fetched since `since_us`."""

    server: FixtureServer
    since_us: float
    timeout_s: float
    session: Nobody = field(default_factory=Nobody)
    page: None = None

    async def navigate(self, url: str, until: str = "load") -> None:
        """The browser is on its way: wait until the server has sent the document, or its head for `until: commit`."""
        parts = urlsplit(url)
        if until != "none" and parts.port == self.server.port:
            part = f"{parts.path}?{parts.query}" if parts.query else parts.path
            state: State = "headers" if until == "commit" else "done"
            await self.server.wait_for(part, state, self.timeout_s, since_us=self.since_us)

    async def close(self) -> None:
        raise StepError(_WHY)

    async def cover_up(self) -> None:
        raise StepError(_WHY)

    async def uncover(self) -> None:
        raise StepError(_WHY)

    async def press(self, key: str) -> None:
        raise StepError(_WHY)

    async def type(self, text: str) -> None:
        raise StepError(_WHY)
