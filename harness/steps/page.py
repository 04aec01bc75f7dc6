"""What the verbs of steps ask of a page, whoever drives the browser."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Error as PlaywrightError

from harness.cdp import Session
from harness.errors import BrowserError


@dataclass(slots=True)
class Mouse:
    """Position in CSS pixels of the viewport, and the button that is down (`none` when none is)."""

    x: float = 0
    y: float = 0
    button: str = "none"


@dataclass(eq=False, kw_only=True)
class StepPage(ABC):
    """One page under our hands: a protocol session, and what the steps did to it so far."""

    session: Session
    page: Any  # as the client that drives it names it
    mouse: Mouse = field(default_factory=Mouse)
    media: dict[str, str] = field(default_factory=dict)  # the emulation that is in force

    @abstractmethod
    async def navigate(self, url: str, until: str = "load") -> None:
        """Navigate the main frame. A script that navigates further before `until` is followed."""

    @abstractmethod
    async def close(self) -> None:
        """Close it."""

    @abstractmethod
    async def cover_up(self) -> None:
        """Put another page in front of it."""

    @abstractmethod
    async def uncover(self) -> None:
        """Close what `cover_up` opened, if anything."""

    @abstractmethod
    async def press(self, key: str) -> None:
        """Press a key by its name and let it go."""

    @abstractmethod
    async def type(self, text: str) -> None:
        """Type a text, key by key."""


_running: set[asyncio.Task[None]] = set()


def detached(work: Awaitable[Any]) -> None:
    """Let `work` go on by itself; that the page or the browser ends first is nobody's failure."""

    async def run() -> None:
        try:
            await work
        except (PlaywrightError, BrowserError):
            return

    task = asyncio.ensure_future(run())
    _running.add(task)
    task.add_done_callback(_running.discard)
