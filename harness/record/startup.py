"""The recorder that needs no client: the browser records from its start for a number of seconds and writes a file.

Nobody is connected, so nobody can start, stop or mark this recording, and nobody hears of data loss; what the file says
itself (`harness.trace.losses`) is read instead.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.browser import Alone
from harness.errors import RecorderError, StoreError
from harness.record.cdp import monotonic_us
from harness.record.recorder import GZIP_JSON, Collected
from harness.record.stream import gzipped, write_chunks
from harness.scenario.model import RecordSpec
from harness.trace import losses_told

_FILE = "startup.json"
# Measured here on two busy cores: 5 s after the end of the recording in a shell, 10 s in the full browser.
PATIENCE_S = 90.0
_POLL_S = 0.05
_CHUNK = 1 << 20


class _File(msgspec.Struct):
    traceEvents: msgspec.Raw
    metadata: dict[str, Any] = {}


class StartupRecorder:
    """One recording of at least `seconds` from the start of the browser.

    `arguments` goes on the command line of the browser, `collect` waits for its file. `start_us` is when the browser
    was about to be started.
    """

    suffix = GZIP_JSON

    def __init__(self, spec: RecordSpec, categories: Sequence[str], seconds: float) -> None:
        self._spec, self._categories, self._seconds = spec, tuple(categories), math.ceil(seconds)
        self.start_us = 0.0

    def arguments(self, folder: Path) -> tuple[str, ...]:
        """For a browser that is started now; the file will be in `folder`."""
        self.start_us = monotonic_us()
        excluded = [f"-{category}" for category in self._spec.exclude]
        return (
            f"--trace-startup={','.join([*self._categories, *excluded])}",
            f"--trace-startup-file={folder / _FILE}",
            f"--trace-startup-duration={self._seconds}",
            "--trace-startup-format=json",
        )

    async def collect(self, alone: Alone, path: Path) -> Collected:
        """Wait until the browser has written its file, and bring it to `path`, whole or not at all.

        `RecorderError` when the recording was over before this was called (the steps took too long), or when no whole
        file comes; `BrowserError` when the browser ends early; `StoreError` when `path` cannot be written.
        """
        stop_us = monotonic_us()
        overrun_s = (stop_us - self.start_us) / 1e6 - self._seconds
        if overrun_s > 0:
            raise RecorderError(
                f"the steps took {overrun_s:.1f} s longer than the {self._seconds} s that the browser was to record, "
                "which nobody can prolong: this machine became busier meanwhile, or the page is slow; try again"
            )
        draft = alone.folder / _FILE
        try:
            async with asyncio.timeout(self._seconds + PATIENCE_S):
                metadata = await alone.watch(_whole(draft))
        except TimeoutError:
            raise RecorderError(
                f"the browser did not write its file within {PATIENCE_S:g} s after a recording of {self._seconds} s"
            ) from None
        written = await write_chunks(gzipped(_chunks(draft)), path)
        return Collected(
            path,
            written,
            bool(losses_told(metadata)),
            None,
            self._categories,
            self._spec.exclude,
            self.start_us,
            stop_us,
            (
                f"recorded for {self._seconds} s from its start",
                "the browser chose the size of its buffer",
            ),
        )


async def _whole(file: Path) -> dict[str, Any]:
    """The metadata of the file, as soon as it is there and parses: 80 writes it in pieces."""
    size = -1
    while True:
        present = await asyncio.to_thread(_size, file)
        if present > 0 and present == size and (read := await asyncio.to_thread(_read, file)) is not None:
            return read
        size = present
        await asyncio.sleep(_POLL_S)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return -1


def _read(file: Path) -> dict[str, Any] | None:
    data = file.read_bytes()
    if not data.rstrip().endswith(b"}"):
        return None
    try:
        return msgspec.json.decode(data, type=_File).metadata
    except msgspec.MsgspecError:
        return None


async def _chunks(file: Path) -> AsyncIterator[bytes]:
    try:
        with file.open("rb") as opened:
            while chunk := await asyncio.to_thread(opened.read, _CHUNK):
                yield chunk
    except OSError as error:
        raise StoreError(f"the browser's trace cannot be read: {error.strerror}") from None
