"""Waits that always end: with the answer, at their time limit, or when the browser is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError

from harness.browser import Running
from harness.cdp import Refused
from harness.errors import BrowserError, RecorderError

T = TypeVar("T")


async def bounded(launched: Running, work: Awaitable[T], seconds: float, doing: str) -> T:
    """The result of `work`. `doing` completes the sentence "The browser did not ...".

    `BrowserError` at once when the browser or a renderer is gone, `RecorderError` when the browser refuses or takes
    longer than `seconds`.
    """
    try:
        async with asyncio.timeout(seconds):
            return await launched.watch(work)
    except TimeoutError:
        raise RecorderError(f"the browser did not {doing} within {seconds:g} s") from None
    except Refused as error:
        raise RecorderError(f"the browser did not {doing}: {error}") from None
    except PlaywrightError as error:
        if launched.gone:
            reason = launched.crash_reason or "the browser went away"
            raise BrowserError(f"the browser did not {doing}: {reason}") from None
        raise RecorderError(f"the browser did not {doing}: {error.message.splitlines()[0]}") from None
