"""Browsers in the user's cache folder: whole or not there, whatever happens while one is installed or removed.

A browser is made in a draft folder under a lock and renamed when it has answered. The kernel frees the lock of an
install that was killed, and the next one that takes it removes the draft that was left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from harness.browser.build import Build, Support, full_build, shell_build
from harness.errors import BrowserError
from harness.paths import cache_root
from harness.versions import parse_version

Echo = Callable[[str], None]
_RECORD = "build.json"


class Record(msgspec.Struct, frozen=True):
    """`build.json` in a cached browser's folder: its presence says that the folder is complete."""

    package: str  # where it came from: name@version of npm, or product@version of Chrome for Testing
    version: str  # as the binary says
    binary: str  # below the folder
    integrity: str = ""
    product: str = ""  # of a full browser; a shell has none
    libraries: str = ""  # folder for LD_LIBRARY_PATH, where the system lacked some when it was installed
    fonts: str = ""  # folder for FONTCONFIG_PATH, where the system had none

    @staticmethod
    def read(folder: Path) -> Record | None:
        try:
            return msgspec.json.decode((folder / _RECORD).read_bytes(), type=Record)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, folder: Path) -> None:
        with (folder / _RECORD).open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(self)))
            file.flush()
            os.fsync(file.fileno())

    def support(self, folder: Path) -> Support:
        return Support(folder / self.libraries if self.libraries else None, folder / self.fonts if self.fonts else None)

    def build(self, folder: Path) -> Build | None:
        """What lies in `folder`, by what the binary said when it was installed; None when the binary is gone."""
        binary = folder / self.binary
        if not binary.is_file():
            return None
        if self.product:
            return full_build(self.version, self.product, binary, "cache", self.support(folder))
        return shell_build(self.version, binary, "cache", self.support(folder))


@dataclass(frozen=True, slots=True)
class Draft:
    """`work`: for downloads, thrown away; `browser`: what becomes `final`, the folder in the cache."""

    work: Path
    browser: Path
    final: Path


def browsers_cache() -> Path:
    return cache_root() / "browsers"


def cached() -> list[tuple[Path, Record, Build]]:
    """Every whole browser of the cache with its folder, newest first."""
    found = []
    for folder in browsers_cache().glob("[0-9]*"):
        record = Record.read(folder)
        build = record.build(folder) if record else None
        if record and build:
            found.append((folder, record, build))
    return sorted(found, key=lambda one: parse_version(one[1].version), reverse=True)


def install_into(key: str, bring: Callable[[Draft], Record], echo: Echo) -> Build:
    """The browser in the folder `key`: at once when it is there, else what `bring` puts into the draft.

    Two at once are safe: the second waits and finds what the first made. `BrowserError` for what `bring` raises, a full
    disk and a cache that cannot be written; nothing is left behind then.
    """
    root = browsers_cache()
    final = root / key
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(key, echo):
            if (record := Record.read(final)) and (build := record.build(final)):
                echo(f"{build} is in the cache")
                return build
            with _draft(key) as work:
                draft = Draft(work, work / "browser", final)
                draft.browser.mkdir()
                record = bring(draft)
                record.write(draft.browser)
                if final.exists():
                    shutil.rmtree(final)
                draft.browser.rename(final)
    except OSError as error:
        raise BrowserError(f"{key}: {error.strerror or error} in the cache {root}; set TRACEPROOF_CACHE") from None
    build = record.build(final)
    assert build is not None  # it answered a moment ago
    echo(f"installed {build}")
    return build


def remove(folder: Path, echo: Echo) -> int:
    """Take a browser out of the cache; bytes freed. No half of it is ever found: it is renamed first."""
    with _locked(folder.name, echo), _draft(folder.name) as work:
        size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
        with contextlib.suppress(FileNotFoundError):  # another removal was quicker
            folder.rename(work / "browser")
    return size


@contextlib.contextmanager
def _locked(key: str, echo: Echo) -> Iterator[None]:
    """One install or removal of a browser at a time."""
    with (browsers_cache() / f".lock-{key}").open("w") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            echo(f"another install of {key} is under way: waiting")
            fcntl.flock(opened, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _draft(key: str) -> Iterator[Path]:
    """A folder of this holder of the lock; one of an earlier holder is left from a process that was killed."""
    prefix = f".draft-{key}+"
    for left in browsers_cache().glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=prefix, dir=browsers_cache()))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
