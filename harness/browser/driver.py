"""Playwright's driver, a process of its own: one for many launches, since starting one takes about half a second."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextvars import ContextVar

from playwright.async_api import Playwright, async_playwright

from harness.errors import BrowserError


class _Shared:
    """A driver that starts when it is first asked for, and ends with the stack."""

    def __init__(self, stack: contextlib.AsyncExitStack) -> None:
        self._stack = stack
        self._playwright: Playwright | None = None

    async def get(self) -> Playwright:
        if self._playwright is None:
            self._playwright = await self._stack.enter_async_context(_started())
        return self._playwright


_shared: ContextVar[_Shared | None] = ContextVar("shared_driver", default=None)


@contextlib.asynccontextmanager
async def shared_driver() -> AsyncIterator[None]:
    """Launches inside, one after the other, share a driver; it starts with the first that needs it and ends here.

    Open it around launches that stand or fall together: a driver that dies takes all of them with it.
    """
    async with contextlib.AsyncExitStack() as stack:
        token = _shared.set(_Shared(stack))
        try:
            yield
        finally:
            _shared.reset(token)


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
