"""Playwright's driver, a process of its own: one for many launches, since starting one takes about half a second."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextvars import ContextVar

from playwright.async_api import Playwright, async_playwright

from harness.errors import BrowserError

_END_SECONDS = 10.0


class _Shared:
    """A driver that starts when it is asked for and there is none."""

    def __init__(self) -> None:
        self._stack = contextlib.AsyncExitStack()
        self._playwright: Playwright | None = None

    async def get(self) -> Playwright:
        if self._playwright is None:
            self._playwright = await self._stack.enter_async_context(_started())
        return self._playwright

    async def end(self) -> None:
        self._playwright = None
        await self._stack.aclose()


_shared: ContextVar[_Shared | None] = ContextVar("shared_driver", default=None)


@contextlib.asynccontextmanager
async def shared_driver() -> AsyncIterator[None]:
    """Launches inside, one after the other, share a driver; it starts with the first that needs it and ends here.

    Inside another `shared_driver` it is that one's. Whoever has met a failure says `renew_driver`.
    """
    if _shared.get():
        yield
        return
    shared = _Shared()
    token = _shared.set(shared)
    try:
        yield
    finally:
        _shared.reset(token)
        await shared.end()


async def renew_driver() -> None:
    """The next launch gets another driver: one that has died would fail every launch from now on."""
    if shared := _shared.get():
        with contextlib.suppress(Exception):  # what a dead driver says on its way out is no news
            await asyncio.wait_for(shared.end(), _END_SECONDS)


@contextlib.asynccontextmanager
async def driver() -> AsyncIterator[Playwright]:
    """The shared driver, or one for this use alone. `BrowserError` with the remedy when it does not start."""
    if shared := _shared.get():
        yield await shared.get()
    else:
        async with _started() as own:
            yield own


@contextlib.asynccontextmanager
async def _started() -> AsyncIterator[Playwright]:
    try:
        playwright = await (manager := async_playwright()).__aenter__()
    except Exception as error:  # Playwright raises nothing more special
        raise BrowserError(
            f"Playwright's driver does not start ({error}): `python -m playwright --version` says what it lacks "
            "(Debian: apt-get install libatomic1)"
        ) from None
    try:
        yield playwright
    finally:
        await manager.__aexit__(None, None, None)
