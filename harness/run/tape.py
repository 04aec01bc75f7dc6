"""The one recording of a step script: started and stopped once, by steps or around them."""

from __future__ import annotations

import asyncio
from typing import Any

from harness.browser import Controlled
from harness.errors import BrowserError, StepError
from harness.record import Recorder, identify_page, process_types
from harness.run.phases import phase
from harness.steps import StepContext
from harness.trace.context import PageIdentity

UNENDED = (
    "the browser was told to end the recording and has not done so: it waits for every process, and a page whose main "
    "thread never rests keeps it waiting; let the page come to rest before the recording ends, or raise `timeout`"
)


class Tape:
    """`identity` is the page's as soon as the recording has stopped: later steps may lead the page elsewhere."""

    def __init__(self, recorder: Recorder, launched: Controlled[Any], steps: StepContext) -> None:
        self._recorder, self._launched, self._steps = recorder, launched, steps
        self._running = False
        self._gpu: set[int] = set()
        self.identity: PageIdentity | None = None

    async def start(self) -> None:
        """`StepError` for a second start: a scenario's arm is one recording."""
        if self._running or self.identity:
            raise StepError("the recording was started before; one arm makes one recording")
        with phase("start"):
            self._gpu = await self._gpu_processes()
            await self._recorder.start(self._launched, self._steps.page.page)
        self._running = True

    async def stop(self) -> None:
        """Stop, and find out which page it was. `StepError` when it is not running. A stop that is cancelled bears the
        note `UNENDED`.

        `BrowserError` when the GPU process is another one than at the start: the browser goes on with a new one and
        says nothing, but what the old one had to write is lost.
        """
        if not self._running:
            raise StepError("there is no recording to stop")
        with phase("stop"):
            try:
                await self._recorder.stop()
            except asyncio.CancelledError as cancelled:
                cancelled.add_note(UNENDED)
                raise
        self._running = False
        with phase("identity"):
            if self._gpu - await self._gpu_processes():
                raise BrowserError("the GPU process ended while it was recorded")
            self.identity = await identify_page(self._launched, self._steps.page.page)

    async def _gpu_processes(self) -> set[int]:
        return {pid for pid, kind in (await process_types(self._launched)).items() if kind == "GPU"}

    async def finish(self) -> PageIdentity:
        """After the last step: stop where no step did."""
        if self._running:
            await self.stop()
        if self.identity is None:
            raise StepError("no step started the recording")
        return self.identity
