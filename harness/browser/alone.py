"""A browser that nobody is connected to: it opens the URL of its command line, and no port listens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.browser.attempt import create, sweep
from harness.browser.build import SHELL, Build
from harness.browser.find import for_mode
from harness.browser.running import PORT, Running, Spawned, end_attempt, spawn
from harness.errors import CapabilityError
from harness.scenario.model import BrowserSpec

_STAYS_OPEN = 111


@dataclass(slots=True, kw_only=True)
class Alone(Running):
    """`folder` is the attempt's, gone when the browser is ended."""

    folder: Path


@contextlib.asynccontextmanager
async def launch_alone(
    build: Build,
    mode: str,
    url: str,
    arguments: Callable[[Path], Sequence[str]],
    spec: BrowserSpec | None = None,
    *,
    host_rules: str = "",
) -> AsyncIterator[Alone]:
    """Start a browser at `url`, and end it whatever happens inside.

    `arguments` gets the attempt's folder and returns what is added to the command line. `CapabilityError` when the
    build has not got the mode, or for GPU raster: without a client nobody can ask whether it is on.
    """
    spec = spec or BrowserSpec()
    if spec.raster == "gpu":
        raise CapabilityError("no GPU raster without a client: nobody can ask the browser whether it is on")
    build = await asyncio.to_thread(for_mode, build, mode)
    async with contextlib.AsyncExitStack() as stack:
        await asyncio.to_thread(sweep)
        attempt = create()
        stack.push_async_callback(end_attempt, attempt)
        # Shells of 64 to 83 end as soon as the page is there, unless a port listens; nobody ever connects to it.
        more = [*arguments(attempt.folder), *([PORT] if mode == SHELL and build.major < _STAYS_OPEN else [])]
        spawned = await spawn(attempt, build, mode, spec, host_rules, more, url)
        alone = Alone(
            build=build,
            mode=mode,
            spec=spec,
            command_line=(*spawned.command, url),
            version=build.version,
            pids={},
            profile=attempt.profile,
            folder=attempt.folder,
        )
        watching = asyncio.create_task(_watch(alone, spawned))
        stack.push_async_callback(_stop_watching, alone, watching)
        yield alone


async def _watch(alone: Alone, spawned: Spawned) -> None:
    status = await spawned.process.wait()
    alone._note_crash(f"the browser ended with status {status}: {spawned.complaint() or 'it said nothing'}")


async def _stop_watching(alone: Alone, watching: asyncio.Task[None]) -> None:
    alone._ending = True
    watching.cancel()
