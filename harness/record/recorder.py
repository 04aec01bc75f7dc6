"""What every recorder is, whatever the way in which it takes the trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from harness.browser import Controlled

P = TypeVar("P")

GZIP_JSON = ".json.gz"


@dataclass(frozen=True, slots=True)
class Collected:
    """A recording on disk. Times are microseconds of CLOCK_MONOTONIC.

    buffer_peak: the fullest that the browser reported its buffer, from 0 to 1; None where it never did. A full buffer
        shows about 0.8 to 0.9 here, never 1: `data_loss` decides.
    categories, exclude: as they were sent.
    start_us, stop_us: when the browser had confirmed the start, and when it was told to stop.
    notes: in what this recording differs from what was asked, in words.
    """

    path: Path
    bytes: int
    data_loss: bool
    buffer_peak: float | None
    categories: tuple[str, ...]
    exclude: tuple[str, ...]
    start_us: float
    stop_us: float
    notes: tuple[str, ...] = ()


class Recorder(Protocol):
    """One recording. The phases are called once each, in this order; `suffix` is the ending that the file should have.

    Every phase ends in bounded time: with `RecorderError`, or with `BrowserError` as soon as the browser is gone.
    """

    suffix: str

    def setup(self) -> tuple[str, ...]:
        """Arguments that the browser must be started with."""
        ...

    async def start(self, launched: Controlled[P], page: P) -> None:
        """Record from here on; returns when the browser records."""
        ...

    async def stop(self) -> None:
        """End the recording; returns when the browser has gathered the events of all processes."""
        ...

    async def collect(self, path: Path) -> Collected:
        """Bring the trace to `path`, whole or not at all. `StoreError` when it cannot be written."""
        ...
