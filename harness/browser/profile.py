"""Argument profiles (`configs/browsers/*.yaml`) and the whole command line that one makes.

The harness hands over every argument itself: Playwright's defaults hide scrollbars, switch the back/forward cache off
and change paint holding, each of which changes documented events.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.browser.build import HEADED, SHELL, Build
from harness.errors import ConfigError, Problem
from harness.paths import configs_root
from harness.scenario.model import MODES, BrowserSpec
from harness.versions import EVERY, VersionRange, parse_range
from harness.wording import did_you_mean

_SMALL_SHM = 512 * 1024**2
_GPU_RASTER = (
    "--use-angle=swiftshader",
    "--enable-gpu-rasterization",
    "--ignore-gpu-blocklist",
    "--enable-unsafe-swiftshader",
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument with the reason for it, and the builds and modes that it is for."""

    text: str
    why: str
    versions: VersionRange = EVERY
    modes: tuple[str, ...] = MODES


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    purpose: str
    arguments: tuple[Argument, ...]

    def arguments_for(self, build: Build, mode: str) -> list[str]:
        return [one.text for one in self.arguments if one.versions.contains(build.major) and mode in one.modes]


def profile_names() -> list[str]:
    return sorted(path.stem for path in (configs_root() / "browsers").glob("*.yaml"))


@cache
def load_profile(name: str) -> Profile:
    """The profile of a name; `ConfigError` with the names that there are, or with all that is wrong in its file."""
    file = configs_root() / "browsers" / f"{name}.yaml"
    if not file.is_file():
        names = profile_names()
        remedy = did_you_mean(name, names, otherwise=f"one of: {', '.join(names)}")
        raise ConfigError(Problem(f"there is no browser profile {name!r}", remedy=remedy))
    return _read(file)


def _read(file: Path) -> Profile:
    problems: list[Problem] = []

    def wrong(path: str, message: str, expected: str = "") -> None:
        problems.append(Problem(message, str(file), path=path, expected=expected))

    try:
        raw = yaml.safe_load(file.read_text())
    except yaml.YAMLError as error:
        raise ConfigError(Problem(f"not YAML: {error}", str(file))) from None
    if not isinstance(raw, dict):
        raise ConfigError(Problem("not a profile", str(file), expected="a mapping with name, for and args"))
    for key in raw.keys() - {"name", "for", "extends", "args"}:
        wrong(f"$.{key}", f"unknown key {key!r}", "name, for, extends, args")
    if raw.get("name") != file.stem:
        wrong("$.name", "the name must be that of the file", file.stem)
    if not isinstance(raw.get("for"), str):
        wrong("$.for", "say what the profile is for", "a sentence")
    rows = raw.get("args")
    arguments = []
    for index, row in enumerate(rows if isinstance(rows, list) else []):
        try:
            arguments.append(_argument(row))
        except ValueError as error:
            wrong(f"$.args[{index}]", str(error))
    if not isinstance(rows, list):
        wrong("$.args", "no arguments", "a list of {arg, why, versions?, modes?}")
    if problems:
        raise ConfigError(problems)
    # What a profile extends comes first, so that its own arguments win.
    base = load_profile(raw["extends"]).arguments if "extends" in raw else ()
    return Profile(raw["name"], " ".join(raw["for"].split()), (*base, *arguments))


def _argument(row: Any) -> Argument:
    if not isinstance(row, Mapping) or row.keys() - {"arg", "why", "versions", "modes"}:
        raise ValueError("expected a mapping with arg, why and perhaps versions and modes")
    text, why = row.get("arg"), row.get("why")
    if not isinstance(text, str) or not text.startswith("--"):
        raise ValueError("arg is a command line argument that begins with --")
    if not isinstance(why, str) or not why.strip():
        raise ValueError(f"{text} has no why: say what it prevents")
    modes = tuple(row.get("modes", MODES))
    if unknown := set(modes) - set(MODES):
        raise ValueError(f"unknown modes {', '.join(sorted(unknown))}; the modes are {', '.join(MODES)}")
    return Argument(text, why, parse_range(row["versions"]) if "versions" in row else EVERY, modes)


def command_line(build: Build, mode: str, spec: BrowserSpec, profile: Path, *, host_rules: str = "") -> list[str]:
    """Every argument but the URL and the debugging channel, binary first. A scenario's own come last and win."""
    width, height = spec.window
    headless = build.headless_argument(mode)
    arguments = [
        str(build.path),
        *load_profile(spec.profile).arguments_for(build, mode),
        *([headless] if headless else []),
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        *(["--window-position=0,0"] if mode == HEADED else []),
        *_raster_arguments(spec),
        *([f"--host-resolver-rules={host_rules}"] if host_rules else []),
        *([] if sandbox_works()[0] else ["--no-sandbox"]),
        *(["--disable-dev-shm-usage"] if _small_shm() else []),
    ]
    if spec.extension:
        folder = spec.extension.parent
        arguments = [argument for argument in arguments if argument != "--disable-extensions"]
        arguments += [f"--disable-extensions-except={folder}", f"--load-extension={folder}"]
    arguments.extend(spec.args)
    if "--no-zygote" in arguments and "--no-sandbox" not in arguments:
        arguments.append("--no-sandbox")  # Chrome refuses the one without the other
    if "--no-sandbox" in arguments and mode != SHELL:
        arguments.append("--test-type")  # or a warning about the missing sandbox takes 56 pixels of the page's height
    return _merge_features(arguments)


def _raster_arguments(spec: BrowserSpec) -> tuple[str, ...]:
    if spec.raster == "software":
        return ("--disable-gpu",)  # a machine with a GPU then rasters as one without does
    return _GPU_RASTER


def _merge_features(arguments: list[str]) -> list[str]:
    """Chrome reads only the last of each: join them, so that a scenario's features add to ours."""
    merged: dict[str, list[str]] = {}
    rest = []
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name in ("--enable-features", "--disable-features", "--enable-blink-features", "--disable-blink-features"):
            merged.setdefault(name, []).extend(part for part in value.split(",") if part)
        else:
            rest.append(argument)
    return [*rest, *(f"{name}={','.join(dict.fromkeys(values))}" for name, values in merged.items())]


@cache
def sandbox_works() -> tuple[bool, str]:
    """Whether Chrome's sandbox can start here, and why not: root may not, and a container often has no namespaces."""
    if os.geteuid() == 0:
        return False, "Chrome refuses its sandbox to root"
    if not shutil.which("unshare"):
        return True, "not tried: unshare is missing"
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True, check=False)
    if tried.returncode:
        return False, "the kernel gives no user namespace to this user (a container, or a restriction by AppArmor)"
    return True, "user namespaces work"


def _small_shm() -> bool:
    """A container's 64 MB of /dev/shm are too few for compositor frames: the renderer crashes."""
    try:
        return shutil.disk_usage("/dev/shm").free < _SMALL_SHM
    except OSError:
        return True
