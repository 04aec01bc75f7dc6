"""The folder of one browser's life: its profile, its pids, and the lock that says that its harness still lives.

A folder is created under another name and renamed once its lock is held, so a sweep that finds the lock free knows
that the owner is dead; the kernel frees it however the owner ended, and containers that share the place see it too.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness.browser.guard import LIFE, PIDS, PROFILE, end_all

_PREFIX, _LOCK = "traceproof-", "lock"
# A profile is some hundred small files that a browser syncs to the disk when it starts. On a slow disk it starts in
# half the time with its profile in memory, and is as quickly removed.
_MEMORY, _DISK = "/dev/shm", "/tmp"
_ROOM = 1 << 30  # bytes; the browser's own shared memory and cache must fit beside it
_TEMPORARY, _SETTINGS = "t", "config"
_LONGEST_SOCKET = 107  # sun_path of a unix socket
_SINGLETON_SOCKET = len("/org.chromium.Chromium.XXXXXX/SingletonSocket")


@dataclass(frozen=True, slots=True)
class Attempt:
    """`folder` is removed by `end`; `life` is the end of the pipe whose closing tells the guard to kill."""

    folder: Path
    lock: int
    life: int

    @property
    def profile(self) -> Path:
        return self.folder / PROFILE

    def environment(self) -> dict[str, str]:
        """What the browser writes outside of its profile goes here too, and no setting of the user's desktop (theme,
        fonts) reaches it. The cache of font files stays shared: scanning them anew would slow every launch."""
        found = {"XDG_CONFIG_HOME": str(self.folder / _SETTINGS)}
        temporary = str(self.folder / _TEMPORARY)
        if len(temporary) + _SINGLETON_SOCKET <= _LONGEST_SOCKET:  # else Chrome would not start at all
            found["TMPDIR"] = temporary
        return found

    def pids(self) -> dict[str, int]:
        """`guard`, `browser` and, where one was started, `display`; empty before the browser was started."""
        return _pids(self.folder)

    async def end(self) -> list[int]:
        """Kill what is left, wait for it and remove the folder; returns pids that would not go (none, normally)."""
        with contextlib.suppress(OSError):
            os.close(self.life)
        left = await asyncio.to_thread(_end, self.folder)
        os.close(self.lock)
        return left


def _pids(folder: Path) -> dict[str, int]:
    try:
        found = json.loads((folder / PIDS).read_bytes())
    except (OSError, ValueError):
        return {}
    return {name: pid for name, pid in found.items() if pid}


def _end(folder: Path) -> list[int]:
    pids = _pids(folder)
    if guard := pids.get("guard"):
        _wait_gone(guard, str(folder), 8.0)
    left = end_all(str(folder), [pid for name, pid in pids.items() if name != "guard"])
    shutil.rmtree(folder, ignore_errors=True)
    return left


def _wait_gone(pid: int, folder: str, seconds: float) -> None:
    """Until the guard has ended by itself. Its command line names the folder, so a reused pid is not waited for."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.fsencode(folder) not in Path(f"/proc/{pid}/cmdline").read_bytes():
                return
        except OSError:
            return
        time.sleep(0.005)


def create() -> Attempt:
    """A fresh folder with an empty profile, locked by this process."""
    draft = Path(tempfile.mkdtemp(prefix="." + _PREFIX, dir=_place()))
    for name in (PROFILE, _TEMPORARY, _SETTINGS):
        (draft / name).mkdir()
    os.mkfifo(draft / LIFE)
    lock = os.open(draft / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    folder = draft.with_name(draft.name[1:])
    draft.rename(folder)
    return Attempt(folder, lock, os.open(folder / LIFE, os.O_RDWR))


def _place() -> str:
    """Where folders are made: in memory where there is room, unless the user names a place for what is temporary."""
    named = tempfile.gettempdir()
    if named != _DISK:
        return named
    try:
        return _MEMORY if shutil.disk_usage(_MEMORY).free > _ROOM and os.access(_MEMORY, os.W_OK) else named
    except OSError:
        return named


def sweep() -> list[Path]:
    """End and remove what dead harnesses of this user left behind; returns the folders removed."""
    removed = []
    places = dict.fromkeys((tempfile.gettempdir(), _MEMORY))
    for folder in (folder for place in places for folder in Path(place).glob(_PREFIX + "*")):
        try:
            if folder.lstat().st_uid != os.getuid() or not (folder / LIFE).is_fifo():
                continue  # another user's, or nothing that `create` made
            lock = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            _end(folder)
            removed.append(folder)
        finally:
            os.close(lock)
    return removed
