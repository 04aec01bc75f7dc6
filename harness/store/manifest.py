"""Provenance of a recording: enough to say where it came from and to make another like it."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from harness import __version__
from harness.events import BuildView


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Stored as `<recording>.manifest.json`. The user's home folder reads `~` in it, so that it can be shared."""

    scenario: str
    claims: list[str] = []  # that it tests
    cell: str = ""
    arm: str
    block: int = 0
    attempt: int
    trace: str  # file name
    sha256: str
    bytes: int
    build: BuildView
    mode: str
    raster: str = "software"
    device_pixel_ratio: float | None = None  # None where nobody could ask
    emulated: dict[str, Any] = {}  # what `emulate` steps made the page believe, the last of each
    command_line: list[str] = []  # of the browser
    recorder: str
    categories: list[str] = []  # as sent
    excluded: list[str] = []
    buffer_bytes: int = 0
    buffer_mode: str = ""
    buffer_peak: float | None = None  # the fullest reported, from 0 to 1; None: never reported
    data_loss: bool = False
    notes: list[str] = []  # in what the recording differs from what was asked
    scenario_sha256: str = ""
    fixture: str = ""
    fixture_sha256: str = ""
    recorded: str = ""  # when the recording began: ISO 8601, UTC
    machine: dict[str, Any] = {}
    traceproof: str = __version__


def now() -> str:
    """The present moment in ISO 8601, UTC, to the millisecond."""
    return moment_of(time.monotonic_ns() / 1000)


def moment_of(ts_us: float) -> str:
    """A moment of CLOCK_MONOTONIC, in microseconds, as ISO 8601, UTC, to the millisecond."""
    ago = timedelta(microseconds=time.monotonic_ns() / 1000 - ts_us)
    return (datetime.now(UTC) - ago).isoformat(timespec="milliseconds")


def machine_facts() -> dict[str, Any]:
    """Kernel, processor, cores, memory in bytes, load average and locale of this machine, now."""
    return {
        "kernel": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load": round(os.getloadavg()[0], 2),
        "locale": os.environ.get("LC_ALL") or os.environ.get("LANG") or "C",
        "python": platform.python_version(),
    }


def without_home(words: Iterable[str]) -> list[str]:
    """The words with the user's home folder written `~`."""
    home = str(Path.home())
    return [word.replace(home, "~") if len(home) > 1 else word for word in words]


def sha256_file(path: Path | None) -> str:
    """Hex digest of a file; empty when there is none."""
    if path is None or not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
