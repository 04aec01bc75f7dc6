"""A browser process of ours, whoever drives it: how it is started, and how work on it ends when it crashes."""

from __future__ import annotations

import asyncio
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from harness.browser import guard
from harness.browser.attempt import Attempt
from harness.browser.build import HEADED, Build
from harness.browser.display import check_window, display_arguments
from harness.browser.frames import Frame
from harness.browser.profile import command_line
from harness.cdp import Session
from harness.errors import BrowserError, CapabilityError
from harness.scenario.model import BrowserSpec

T = TypeVar("T")
P = TypeVar("P")
PORT = "--remote-debugging-port=0"  # the kernel picks one, on loopback
_STDERR = "stderr"
_CRASH_REPORT_SECONDS = 2.0


@dataclass(slots=True, kw_only=True)
class Running:
    """`crashed` is set when the browser or a renderer goes away before we end it, with the reason in `crash_reason`."""

    build: Build
    mode: str
    spec: BrowserSpec
    command_line: tuple[str, ...]
    version: str  # as the running browser says it; as the binary does where nobody can ask
    pids: dict[str, int]
    profile: Path
    crashed: asyncio.Event = field(default_factory=asyncio.Event)
    crash_reason: str = ""
    _ending: bool = False

    @property
    def pid(self) -> int:
        return self.pids["browser"]

    @property
    def gone(self) -> bool:
        """Nobody is there any more who could answer."""
        return self.crashed.is_set()

    async def watch(self, work: Awaitable[T]) -> T:
        """The result of `work`, or `BrowserError` as soon as the browser or a renderer crashes."""
        task = asyncio.ensure_future(work)
        crash = asyncio.ensure_future(self.crashed.wait())
        try:
            await asyncio.wait({task, crash}, return_when=asyncio.FIRST_COMPLETED)
            if task.done() and (error := task.exception()) is not None:
                # A call that a crash broke off may fail before the crash itself is reported.
                await asyncio.wait({crash}, timeout=_CRASH_REPORT_SECONDS if self._may_be_a_crash(error) else 0)
            if self.crashed.is_set():
                raise BrowserError(self.crash_reason)
            return await task
        finally:
            for one in (task, crash):
                one.cancel()
            await asyncio.gather(task, crash, return_exceptions=True)

    def _may_be_a_crash(self, error: BaseException) -> bool:
        return False

    def _note_crash(self, reason: str) -> None:
        if not self._ending and not self.crashed.is_set():
            self.crash_reason = reason
            self.crashed.set()


@dataclass(slots=True, kw_only=True)
class Controlled(Running, ABC, Generic[P]):
    """A browser that a client is connected to. `P` is the client's kind of page."""

    session: Session  # browser-level; knows of crashes in every target, child frames of other sites too

    @abstractmethod
    async def new_page(self) -> P:
        """A page at about:blank: the one that the browser opened at its start, then new ones."""

    @abstractmethod
    async def new_session(self) -> Session:
        """Another browser-level session, the caller's to detach."""

    @abstractmethod
    async def page_session(self, page: P) -> Session:
        """A session with a page, the caller's to detach."""

    @abstractmethod
    async def frames_of(self, page: P) -> list[Frame]:
        """The main frame first, then in the order of the tree, those of other processes last. The sessions are the
        caller's to detach."""

    async def gpu_features(self) -> dict[str, str]:
        """Chrome's own word on what runs on the GPU: `rasterization: enabled_force`, ..."""
        info = await self.session.send("SystemInfo.getInfo")
        return dict(info["gpu"].get("featureStatus", {}))

    async def check_mode(self) -> None:
        """`CapabilityError` when GPU raster was asked for and is off, or a window is not as it was asked for.

        Tiles are made on the GPU only where compositing is there too: with `--disable-gpu` Chrome still says
        `rasterization: enabled_force`.
        """
        if self.spec.raster == "gpu":
            features = await self.gpu_features()
            states = {name: features.get(name, "absent") for name in ("rasterization", "gpu_compositing")}
            if not all(state.startswith("enabled") for state in states.values()):
                said = ", ".join(f"{name} is {state}" for name, state in states.items())
                raise CapabilityError(f"no GPU raster in {self.build} in mode {self.mode}: {said}")
        if self.mode == HEADED:
            await check_window(self.session, self.spec)


@dataclass(frozen=True, slots=True)
class Spawned:
    """The guard with the browser under it. `command` is the browser's, without the URL."""

    process: asyncio.subprocess.Process
    command: tuple[str, ...]
    stderr: Path

    def complaint(self) -> str:
        """What the browser complained of, without the noise about a system bus that every container makes."""
        lines = self.stderr.read_text(errors="replace").splitlines()
        said = [line.strip() for line in lines if line.strip() and "dbus" not in line]
        return " | ".join(said[:6])[:900]

    async def endpoint(self, profile: Path) -> str:
        """The address of the browser's websocket, as soon as it listens; `ChildProcessError` when it ends before."""
        while not (endpoint := _read_endpoint(profile / "DevToolsActivePort")):
            if self.process.returncode is not None:
                raise ChildProcessError(f"it ended with status {self.process.returncode}")
            await asyncio.sleep(0.01)
        return endpoint

    async def while_running(self, work: Awaitable[T]) -> T:
        """The result of `work`, or `ChildProcessError` as soon as the browser ends, which a client may wait out."""
        task, end = asyncio.ensure_future(work), asyncio.ensure_future(self.process.wait())
        try:
            await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise ChildProcessError(f"it ended with status {self.process.returncode}")
            return await task
        finally:
            for one in (task, end):
                one.cancel()
            await asyncio.gather(task, end, return_exceptions=True)


async def spawn(
    attempt: Attempt, build: Build, mode: str, spec: BrowserSpec, host_rules: str, more: Sequence[str], url: str
) -> Spawned:
    """Start the guard with the browser under it. `CapabilityError` when the mode needs a display and there is none."""
    command = (*command_line(build, mode, spec, attempt.profile, host_rules=host_rules), *more)
    display = display_arguments(spec) if mode == HEADED else []
    said = attempt.folder / _STDERR
    with said.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", guard.__file__, str(attempt.folder), *display, "--", *command, url),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, **build.environment(), **attempt.environment()},
            start_new_session=True,  # a Ctrl-C in the terminal is the harness's to handle
        )
    return Spawned(process, command, said)


async def end_attempt(attempt: Attempt) -> None:
    """Kill and remove whatever is left of a browser."""
    if left := await asyncio.shield(attempt.end()):
        raise BrowserError(f"processes {left} of the browser could not be ended")


def _read_endpoint(port_file: Path) -> str | None:
    """The address that Chrome writes into its profile once it listens; None before."""
    try:
        port, _, path = port_file.read_text().partition("\n")
    except FileNotFoundError:
        return None
    return f"ws://127.0.0.1:{port}{path.strip()}" if path else None
