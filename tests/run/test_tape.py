"""What happens to the browser while the tape runs, on a real one."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any, cast

import pytest

from harness.browser import launch
from harness.errors import BrowserError
from harness.record import make_recorder, process_types
from harness.run.tape import UNENDED, Tape
from harness.scenario.model import RecordSpec
from harness.server import FixtureServer
from harness.steps import StepContext
from tests.lab import SHELL, build_at

pytestmark = pytest.mark.browser


async def test_a_gpu_process_that_ends_while_it_is_recorded_is_no_evidence(tmp_path: Path) -> None:
    async with FixtureServer([tmp_path]) as server, launch(build_at(SHELL), "shell") as launched:
        page = await launched.new_page()
        steps = await StepContext.open(launched, page, server=server, variables={})
        tape = Tape(make_recorder(RecordSpec(("blink",)), ["blink"]), launched, steps)
        await tape.start()
        (gpu,) = [pid for pid, kind in (await process_types(launched)).items() if kind == "GPU"]
        os.kill(gpu, signal.SIGKILL)
        async with asyncio.timeout(30):
            while gpu in await process_types(launched):  # noqa: ASYNC110 - the browser tells it only when asked
                await asyncio.sleep(0.01)
        with pytest.raises(BrowserError, match="the GPU process ended"):
            await tape.stop()


async def test_a_browser_that_does_not_end_the_recording_is_named_and_not_the_steps() -> None:
    class Unending:
        async def stop(self) -> None:
            await asyncio.Event().wait()

    tape = Tape(cast(Any, Unending()), cast(Any, None), cast(Any, None))
    tape._running = True
    with pytest.raises(TimeoutError) as late:
        async with asyncio.timeout(0):
            await tape.stop()
    assert late.value.__cause__ is not None and late.value.__cause__.__notes__ == [UNENDED]
