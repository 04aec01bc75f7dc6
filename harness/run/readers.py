"""Readers: programs in node that say what a consumer of traces makes of a recording (`readers:` in a scenario).

A reader is a folder `configs/readers/<name>/` with `read.mjs`, other modules, `package.json` and `package-lock.json`.
The lock file pins each package by its hash; they are installed once into the cache, by npm itself and without running
their scripts. `node read.mjs <trace>` writes one JSON value to stdout, which expectations reach as `values.<name>`.
With a second path, `node read.mjs <trace> <reading>`, it also writes a trace there: the recording, and what was made of
it.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness import paths
from harness.browser.guard import die_with_parent
from harness.errors import CapabilityError, HarnessError

FILES = ("*.json", "*.mjs")
INSTALL_S = 180.0
READ_S = 120.0


async def read_recording(name: str, trace: Path, reading: Path | None = None) -> Any:
    """What the reader says of a trace file; with `reading` it writes there what it made of it, as a trace.

    `CapabilityError` where node, npm or the packages cannot be had, and for a trace that is not JSON; `HarnessError`
    when the reader fails.
    """
    if ".pftrace" in trace.suffixes:
        raise CapabilityError(f"the reader {name} reads JSON; record with cdp-browser or cdp-page")
    folder = await installed(name)
    status, out, err = await _run(_command(trace, reading), folder, READ_S)
    if status:
        raise HarnessError(f"the reader {name} failed with status {status}: {_tail(err)}")
    try:
        return msgspec.json.decode(out)
    except msgspec.DecodeError as error:
        raise HarnessError(f"the reader {name} did not answer with JSON: {error}") from None


def _command(trace: Path, reading: Path | None) -> list[str]:
    return ["node", "read.mjs", *(str(path.resolve()) for path in (trace, reading) if path)]  # it runs in the cache


async def installed(name: str) -> Path:
    """The folder in the cache where the reader stands beside its packages."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise CapabilityError(f"the reader {name} needs {program}, which is not on the PATH")
    source = paths.readers_root() / name
    files = sorted(file for pattern in FILES for file in source.glob(pattern))
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
    target = paths.cache_root() / "readers" / f"{name}-{digest[:16]}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = Path(folder) / name
        fresh.mkdir()
        for file in files:
            shutil.copyfile(file, fresh / file.name)
        status, _, err = await _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], fresh, INSTALL_S)
        if status:
            raise CapabilityError(f"npm could not install the packages of the reader {name}: {_tail(err)}")
        try:
            fresh.rename(target)
        except OSError:  # another worker was quicker, with the same bytes
            if not target.is_dir():
                raise
    return target


async def _run(command: Sequence[str], folder: Path, seconds: float) -> tuple[int, bytes, bytes]:
    """Status, stdout and stderr. The process group is ended when the time is over or the task is cancelled, and the
    program by the kernel when we are killed."""
    own = os.getpid()
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: die_with_parent(signal.SIGKILL, own),
    )
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate()
    except TimeoutError:
        raise HarnessError(f"`{' '.join(command[:2])}` did not end within {seconds:g} s") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode or 0, out, err


def _tail(err: bytes) -> str:
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    return " ".join(lines[-3:]) or "it said nothing"
