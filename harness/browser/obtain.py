"""Getting a browser: `ensure` finds or installs one, `install` brings a given major into the cache."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from harness.browser.build import Build, probe
from harness.browser.find import VARIABLE, browsers_cache, find_builds
from harness.browser.package import (
    Echo,
    Package,
    PackageRecord,
    catalogue,
    fetch,
    system_has_fonts,
    unpack,
)
from harness.errors import BrowserError, Problem, UsageError

_DEBIAN = ("chromium", "chromium-headless-shell")
_PLAYWRIGHT_SECONDS, _APT_SECONDS = 600.0, 1200.0


def ensure(echo: Echo) -> Build:
    """A browser that runs here, installed when there is none. `echo` gets one line for each thing that is tried.

    Raises `BrowserError` with what a person can do when nothing works.
    """
    if found := find_builds():
        build = found[0]
        echo(f"found {build} ({build.source})")
        return build
    echo(f"no browser found: not in {VARIABLE}, not installed, not in Playwright's cache, not in {browsers_cache()}")
    attempts: tuple[tuple[str, Callable[[Echo], None]], ...] = (
        ("Playwright's download", _by_playwright),
        ("Debian packages", _by_apt),
        ("npm package", _by_npm),
    )
    failures = []
    for name, attempt in attempts:
        echo(f"trying {name}")
        try:
            attempt(echo)
        except BrowserError as error:
            failures.append(f"{name}: {error}")
            echo(f"{name} did not work: {error}")
            continue
        if found := find_builds():
            echo(f"{name} gave {found[0]}")
            return found[0]
        failures.append(f"{name}: ended without an error, but no browser that runs is there")
        echo(failures[-1])
    raise BrowserError(
        "no browser could be installed:\n  "
        + "\n  ".join(failures)
        + f"\n  remedy: install Chrome or Chromium by hand and set {VARIABLE} to the path of its binary"
    )


def install(major: int, echo: Echo) -> Build:
    """The browser of a major that `configs/builds.yaml` lists, from the cache or from npm."""
    for package in catalogue():
        if package.major == major:
            return install_package(package, echo)
    raise UsageError(
        Problem(
            f"no package is known for Chrome {major}",
            expected="one of " + ", ".join(str(package.major) for package in catalogue()),
            remedy="add one to configs/builds.yaml, or name an installed browser by its path",
        )
    )


def install_package(package: Package, echo: Echo) -> Build:
    """Fetch, check, unpack, ask. Two at once are safe, and one that breaks off leaves nothing that looks whole."""
    root = browsers_cache()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BrowserError(f"cannot write to the cache {root}: {error.strerror}; set TRACEPROOF_CACHE") from None
    with _locked(root / f".lock-{package.major}", echo):
        if build := _cached(package):
            echo(f"{build} is in the cache")
            return build
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=root))
        try:
            return _bring(package, draft, root, echo)
        except OSError as error:
            raise BrowserError(f"{package.package}: {error.strerror or error} ({root})") from None
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _cached(package: Package) -> Build | None:
    for folder in browsers_cache().glob("[0-9]*"):
        record = PackageRecord.read(folder)
        if record and record.package == package.package:
            return record.build(folder)
    return None


def _bring(package: Package, draft: Path, root: Path, echo: Echo) -> Build:
    final = root / package.says
    tarball = fetch(package, draft, echo)
    echo("unpacking")
    browser = draft / "browser"
    browser.mkdir()
    unpack(tarball, browser, final)
    record = _ask(package, browser, echo)
    record.write(browser)
    if final.exists():
        shutil.rmtree(final)
    browser.rename(final)
    build = record.build(final)
    assert build is not None  # it answered a moment ago
    echo(f"installed {build}")
    return build


def _ask(package: Package, browser: Path, echo: Echo) -> PackageRecord:
    """Start the binary with the system's libraries, and with the package's only where those do not do."""
    record = PackageRecord(package.package, package.integrity, package.says, needs_fonts=not system_has_fonts())
    try:
        build = probe(browser / record.binary)
    except BrowserError as error:
        echo(f"{error}: now with the package's own libraries")
        record = msgspec.structs.replace(record, needs_libraries=True)
        build = probe(browser / record.binary, support=record.support(browser))
    if build.version != package.says:
        raise BrowserError(f"the binary of {package.package} is {build.version}, builds.yaml says {package.says}")
    return record


@contextlib.contextmanager
def _locked(file: Path, echo: Echo) -> Iterator[None]:
    """One install of a package at a time; the kernel frees the lock of one that was killed."""
    with file.open("w") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            echo("another install of it is under way: waiting")
            fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def _by_npm(echo: Echo) -> None:
    install_package(catalogue()[0], echo)


def _by_playwright(echo: Echo) -> None:
    playwright = [sys.executable, "-m", "playwright"]
    _run([*playwright, "install", "chromium"], _PLAYWRIGHT_SECONDS, echo)
    if not find_builds() and as_root() is not None:
        echo("it does not start yet: libraries of the system may be missing")
        _run([*playwright, "install-deps", "chromium"], _APT_SECONDS, echo)


def _by_apt(echo: Echo) -> None:
    if not shutil.which("apt-get"):
        raise BrowserError("there is no apt-get here")
    prefix = as_root()
    if prefix is None:
        raise BrowserError("neither root nor sudo without a password")
    _run([*prefix, "apt-get", "update", "-q"], _APT_SECONDS, echo, check=False)
    for package in _DEBIAN:
        _run([*prefix, "apt-get", "install", "-y", "-q", "--no-install-recommends", package], _APT_SECONDS, echo)


def as_root() -> list[str] | None:
    """What to put before a command for root's rights: nothing for root, `sudo -n` where it asks no password."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None


def _run(command: list[str], seconds: float, echo: Echo, check: bool = True) -> None:
    echo("$ " + " ".join(command))
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrowserError(f"{command[0]} took more than {seconds:.0f} s") from None
    except OSError as error:
        raise BrowserError(f"{command[0]}: {error.strerror}") from None
    if check and done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines()]
        telling = [line for line in lines if "rror" in line or line.startswith("E:")] or lines or ["it said nothing"]
        raise BrowserError(f"{command[0]} ended with status {done.returncode}: {telling[0][:300]}")
