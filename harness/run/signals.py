"""Ctrl-C and SIGTERM end a run in order: browsers killed, servers closed, the ledger left without its footer."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupted(Exception):
    """The work was told to stop, by the signal `name`; `exit_code` is the shell's convention for it (130, 143)."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number
        self.name = signal.Signals(number).name
        super().__init__(f"stopped by {self.name}")


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a loop of its own. SIGINT and SIGTERM cancel it, wait for its clean-up and raise `Interrupted`."""
    return asyncio.run(_until_signal(work))


async def _until_signal(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    received: list[int] = []

    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        received.append(number)
        # Answers that a browser can no longer give are not worth a traceback each, from the loop or from Playwright.
        loop.set_exception_handler(lambda loop, context: None)
        logging.getLogger("playwright").setLevel(logging.CRITICAL)
        task.cancel()

    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if received:
            raise Interrupted(received[0]) from None
        raise
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
