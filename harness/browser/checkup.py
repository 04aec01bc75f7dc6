"""What this machine can do for the lab, tried out rather than guessed; each lack with its remedy."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright

from harness.browser.build import HEADED, HEADLESS, SHELL, Build
from harness.browser.cache import browsers_cache
from harness.browser.catalogue import catalogue
from harness.browser.display import display_arguments
from harness.browser.driver import driver
from harness.browser.find import find_builds, for_mode, modes_of, one_per_version
from harness.browser.launch import launch
from harness.browser.profile import sandbox_works
from harness.browser.raster import prove_gpu_raster
from harness.browser.sample import sample
from harness.cdp import Session
from harness.display import display_lacking
from harness.errors import BrowserError, CapabilityError, TraceproofError
from harness.scenario.model import BrowserSpec

_NEEDED_PYTHON = (3, 11)
_FEW_CORES, _FEW_BYTES = 2, 2 * 10**9
_LAUNCH_SECONDS = 30.0
_CLOCK_TOLERANCE_US = 500_000.0  # clocks of different origin differ by far more


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried. `required`: without it no scenario can run here."""

    name: str
    ok: bool
    says: str
    remedy: str = ""
    required: bool = False


async def doctor(builds: list[Build] | None = None) -> list[Check]:
    """Every check, in the order in which a person would mend things. Launches each mode of each version once."""
    return [check async for check in examine(builds)]


async def examine(builds: list[Build] | None = None, *, every: bool = True) -> AsyncIterator[Check]:
    """The same, each check as soon as it is known. Without `every` only the newest build is launched."""
    for check in (_python(), _cores(), _disk(), _display(), _node(), _sandbox()):
        yield check
    if builds is None:
        try:
            builds = one_per_version(await asyncio.to_thread(find_builds))
        except TraceproofError as error:
            yield Check("browsers", False, str(error), required=True)
            return
    yield _browsers(builds)
    if not builds:
        return
    try:
        async with driver() as playwright:
            for build in builds if every else builds[:1]:
                for mode in modes_of(build):
                    yield await _mode(playwright, build, mode)
            async for check in _tracing(playwright, builds[0]):
                yield check
    except BrowserError as error:
        yield Check("Playwright", False, str(error), "make, which installs what its driver needs", required=True)


def _python() -> Check:
    version = platform.python_version()
    ok = sys.version_info[:2] >= _NEEDED_PYTHON
    return Check("Python", ok, version, "" if ok else "install Python 3.11 or newer", required=True)


def _cores() -> Check:
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    busy = load > cores
    remedy = "wait until the machine is quiet: frame timing under load looks like a refutation" if busy else ""
    if cores < _FEW_CORES:
        remedy = "give it two cores or more: a single one makes threads that overlap look serial"
    return Check("cores", not remedy, f"{cores}, load {load:.1f}", remedy)


def _disk() -> Check:
    rooms = {}
    for label, folder in (("temporary", Path(tempfile.gettempdir())), ("cache", browsers_cache())):
        while not folder.exists():
            folder = folder.parent
        rooms[label] = shutil.disk_usage(folder).free
    ok = min(rooms.values()) >= _FEW_BYTES
    says = ", ".join(f"{free / 1e9:.0f} GB free for {label} files" for label, free in rooms.items())
    return Check("disk", ok, says, "" if ok else "free 2 GB, or set TMPDIR and TRACEPROOF_CACHE to another disk")


def _display() -> Check:
    if display_lacking():
        return Check("display", False, "none, and no Xvfb: mode headed is UNSUPPORTED", "apt-get install xvfb")
    way, which = display_arguments(BrowserSpec())
    says = (
        f"{shutil.which('Xvfb')} is started for each headed browser" if way == "--xvfb" else f"windows open on {which}"
    )
    return Check("display", True, says)


def _node() -> Check:
    npm = shutil.which("npm")
    if not npm:
        return Check("npm", True, "not there: packages are fetched from the registry over HTTPS")
    try:
        done = subprocess.run([npm, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return Check("npm", False, "npm --version gave no answer in 30 s", "repair or remove npm")
    ok = done.returncode == 0
    return Check("npm", ok, done.stdout.strip() or done.stderr.strip(), "" if ok else "repair or remove npm")


def _sandbox() -> Check:
    ok, why = sandbox_works()
    return Check("sandbox", True, why if ok else f"off ({why}); pages of the lab are its own, so nothing is lost")


def _browsers(builds: list[Build]) -> Check:
    majors = ", ".join(str(package.major) for package in catalogue())
    if not builds:
        return Check("browsers", False, "none", "traceproof browsers ensure", required=True)
    says = "; ".join(f"{build.version} ({build.source})" for build in builds)
    return Check("browsers", True, f"{says}; more by traceproof browsers install ({majors})", required=True)


async def _mode(playwright: Playwright, build: Build, mode: str) -> Check:
    name, begun = f"{build.version} {mode}", time.monotonic()
    try:
        binary = for_mode(build, mode)
        async with launch(binary, mode, playwright=playwright, timeout_s=_LAUNCH_SECONDS) as launched:
            page = await launched.new_page()
            answer = await asyncio.wait_for(page.evaluate("6 * 7"), _LAUNCH_SECONDS)
            started = time.monotonic() - begun
    except CapabilityError as error:
        return Check(name, False, str(error), _remedy(mode))
    except (TraceproofError, PlaywrightError, TimeoutError) as error:
        return Check(
            name, False, str(error) or "the page gave no answer", "try the binary by hand; it may need libraries"
        )
    gpu = await _gpu(binary, mode)
    return Check(name, answer == 42, f"a page answers after {started:.1f} s{gpu}")


async def _gpu(build: Build, mode: str) -> str:
    try:
        await prove_gpu_raster(build, mode)
    except TraceproofError:
        return ", raster by software only"
    return ", raster by software and gpu"


def _remedy(mode: str) -> str:
    return {HEADED: "apt-get install xvfb", HEADLESS: "apt-get install chromium"}.get(
        mode, "traceproof browsers ensure"
    )


async def _tracing(playwright: Playwright, build: Build) -> AsyncIterator[Check]:
    """A recording there and back, and whether its clock is the host's: step marks are taken by `time.monotonic_ns`."""
    mode = SHELL if SHELL in modes_of(build) else build.modes[0]
    try:
        async with launch(build, mode, playwright=playwright, timeout_s=_LAUNCH_SECONDS) as launched:
            marker = _Marker()
            events = await asyncio.wait_for(sample(launched, ["devtools.timeline"], marker.write), _LAUNCH_SECONDS)
    except (TraceproofError, PlaywrightError, TimeoutError) as error:
        yield Check("tracing", False, str(error) or "no trace arrived", "try another browser", required=True)
        return
    yield Check("tracing", bool(events), f"{len(events)} events through Tracing and IO.read", required=True)
    syncs = [event["ts"] for event in events if event.get("name") == "clock_sync"]
    low, high = marker.before_us - _CLOCK_TOLERANCE_US, marker.after_us + _CLOCK_TOLERANCE_US
    ok = bool(syncs) and low <= syncs[0] <= high
    if not syncs:
        says = "the recording has no clock_sync event"
    elif ok:
        says = (
            f"trace timestamps are CLOCK_MONOTONIC: the marker lies {syncs[0] - marker.before_us:.0f} us after its call"
        )
    else:
        says = f"trace timestamps are not CLOCK_MONOTONIC: the marker is {syncs[0] - marker.before_us:.0f} us off"
    yield Check("clock", ok, says, "" if ok else "record with markers: page", required=False)


@dataclass(slots=True)
class _Marker:
    """When `clock_sync` was asked for, by the host's clock."""

    before_us: float = 0.0
    after_us: float = 0.0

    async def write(self, session: Session) -> None:
        self.before_us = time.monotonic_ns() / 1e3
        await session.send("Tracing.recordClockSyncMarker", {"syncId": "traceproof-doctor"})
        self.after_us = time.monotonic_ns() / 1e3
