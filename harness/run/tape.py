"""The one recording of a step script: started and stopped once, by steps or around them."""

from __future__ import annotations

from typing import Any

from harness.browser import Controlled
from harness.errors import StepError
from harness.record import Recorder, identify_page
from harness.steps import StepContext
from harness.trace.context import PageIdentity


class Tape:
    """`identity` is the page's as soon as the recording has stopped: later steps may lead the page elsewhere."""

    def __init__(self, recorder: Recorder, launched: Controlled[Any], steps: StepContext) -> None:
        self._recorder, self._launched, self._steps = recorder, launched, steps
        self._running = False
        self.identity: PageIdentity | None = None

    async def start(self) -> None:
        """`StepError` for a second start: a scenario's arm is one recording."""
        if self._running or self.identity:
            raise StepError("the recording was started before; one arm makes one recording")
        await self._recorder.start(self._launched, self._steps.page.page)
        self._running = True

    async def stop(self) -> None:
        """Stop, and find out which page it was. `StepError` when it is not running."""
        if not self._running:
            raise StepError("there is no recording to stop")
        await self._recorder.stop()
        self._running = False
        self.identity = await identify_page(self._launched, self._steps.page.page)

    async def finish(self) -> PageIdentity:
        """After the last step: stop where no step did."""
        if self._running:
            await self.stop()
        if self.identity is None:
            raise StepError("no step started the recording")
        return self.identity
