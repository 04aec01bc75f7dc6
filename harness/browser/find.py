"""Which browsers this machine has, and which of them `--browser` means."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.browser.build import Build, behind_wrapper, probe
from harness.browser.cache import cached
from harness.browser.catalogue import catalogue
from harness.errors import BrowserError, CapabilityError, Problem, UsageError
from harness.versions import parse_range, parse_version

VARIABLE = "TRACEPROOF_BROWSER"
CHANNELS = {
    "chrome": ("google-chrome", "google-chrome-stable", "/opt/google/chrome/chrome"),
    "chrome-beta": ("google-chrome-beta", "/opt/google/chrome-beta/chrome"),
    "chrome-dev": ("google-chrome-unstable", "/opt/google/chrome-unstable/chrome"),
    "chrome-canary": ("google-chrome-canary", "/opt/google/chrome-canary/chrome"),
    "chromium": ("chromium", "chromium-browser"),
    "chrome-headless-shell": ("chrome-headless-shell", "chromium-headless-shell", "headless_shell"),
}
_probed: dict[tuple[Path, float, str], Build] = {}


def _probe_once(path: Path, source: str) -> Build | None:
    """A build, or None for a file that is none (a snap stub, missing libraries); each good one is asked once."""
    binary = behind_wrapper(path)
    try:
        key = (binary, binary.stat().st_mtime, source)
        if key not in _probed:
            _probed[key] = probe(path, source)
    except (OSError, BrowserError):
        return None
    return _probed[key]


def _from_variable() -> Iterator[Build]:
    if text := os.environ.get(VARIABLE):
        path = shutil.which(text) or text
        try:
            yield probe(path, VARIABLE)
        except BrowserError as error:
            raise UsageError(Problem(str(error), VARIABLE, remedy=f"correct or unset {VARIABLE}")) from None


def _installed() -> Iterator[Build]:
    for channel, names in CHANNELS.items():
        for name in names:
            where = shutil.which(name)
            if where and (build := _probe_once(Path(where), f"installed:{channel}")):
                yield build


def playwright_cache() -> Path:
    own = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    return Path(own) if own and own != "0" else Path.home() / ".cache" / "ms-playwright"


def _of_playwright() -> Iterator[Build]:
    for pattern in ("chromium-*/chrome-linux*/chrome", "chromium_headless_shell-*/*/*headless*shell"):
        for path in sorted(playwright_cache().glob(pattern), reverse=True):
            if build := _probe_once(path, "playwright"):
                yield build


def _cached() -> Iterator[Build]:
    for _, _, build in cached():
        yield build


def find_builds() -> list[Build]:
    """Every Chromium that runs here, each binary once, in the order in which `ensure` prefers them."""
    found: dict[Path, Build] = {}
    for source in (_from_variable, _installed, _of_playwright, _cached):
        for build in source():
            found.setdefault(build.path, build)
    return list(found.values())


def one_per_version(builds: Sequence[Build]) -> list[Build]:
    """Newest first, the full browser standing for the shell of the same version: `for_mode` finds that one again."""
    chosen: dict[str, Build] = {}
    for build in builds:
        if build.version not in chosen or len(build.modes) > len(chosen[build.version].modes):
            chosen[build.version] = build
    return sorted(chosen.values(), key=lambda build: parse_version(build.version), reverse=True)


def for_mode(build: Build, mode: str) -> Build:
    """The binary of the same version that has the mode: the build itself, or its other half (full browser and shell).

    A binary that was named by its path stands alone. `CapabilityError` with the remedy when there is none.
    """
    if mode in build.modes:
        return build
    if build.source not in ("path", VARIABLE):
        for other in find_builds():
            if other.version == build.version and mode in other.modes:
                return other
    build.require(mode)
    raise CapabilityError(f"{build} has no mode {mode!r}")


def modes_of(build: Build) -> tuple[str, ...]:
    """Every mode that `for_mode` would find, the build's own first."""
    others = [] if build.source in ("path", VARIABLE) else find_builds()
    modes = [*build.modes, *(mode for other in others if other.version == build.version for mode in other.modes)]
    return tuple(dict.fromkeys(modes))


def resolve(text: str) -> list[Build]:
    """What `--browser` means: paths, majors, versions, ranges (`83..101`, `>=111`), channels or `all`, with commas.

    One build for each version; `UsageError` with what there is where a part matches nothing.
    """
    builds = find_builds()
    chosen: dict[Path, Build] = {}
    for part in (piece.strip() for piece in text.split(",")):
        for build in _matching(part, builds):
            chosen.setdefault(build.path, build)
    return list(chosen.values())


def _matching(part: str, builds: list[Build]) -> list[Build]:
    if part == "all" and builds:
        return one_per_version(builds)
    if part in CHANNELS:
        if found := [build for build in builds if build.source == f"installed:{part}"]:
            return found[:1]
    elif "/" in part or Path(part).is_file():
        try:
            return [probe(part)]
        except BrowserError as error:
            raise UsageError(Problem(str(error), remedy="give the path of a Chromium binary")) from None
    elif re.fullmatch(r"\d+(\.\d+)+", part):
        if found := [build for build in one_per_version(builds) if f"{build.version}.".startswith(f"{part}.")]:
            return found[:1]
    elif part != "all":
        return _by_major(part, builds)
    raise _unknown(part, builds)


def _by_major(part: str, builds: list[Build]) -> list[Build]:
    try:
        wanted = parse_range(part)
    except ValueError:
        raise _unknown(part, builds) from None
    newest: dict[int, Build] = {}
    for build in one_per_version(builds):
        if wanted.contains(build.major):
            newest.setdefault(build.major, build)
    if not newest:
        raise _unknown(part, builds)
    return list(newest.values())


def _unknown(part: str, builds: list[Build]) -> UsageError:
    there_is = ", ".join(build.version for build in one_per_version(builds)) or "none"
    majors = [str(entry.major) for entry in catalogue()]
    if part in majors:
        remedy = f"traceproof browsers install {part}"
    elif not builds:
        remedy = "traceproof browsers ensure"
    else:
        remedy = f"a path, a major, a range such as >=111, all, or a channel ({', '.join(CHANNELS)}); "
        remedy += f"to install: {', '.join(majors)}"
    return UsageError(
        Problem(f"no browser matches {part!r}", expected="a browser of this machine", found=there_is, remedy=remedy)
    )
