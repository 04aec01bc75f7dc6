"""What a browser binary is: asked of the binary itself, since names and package versions lie."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from harness.browser.ask import ask
from harness.errors import BrowserError, CapabilityError
from harness.versions import parse_version

HEADLESS, SHELL, HEADED = "headless", "shell", "headed"
_NEW_HEADLESS, _OLD_HEADLESS_GONE = 96, 132  # `--headless=chrome` came with 96; old headless left the browser in 132
_NAMES = (
    "chrome",
    "chromium",
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium-browser",
)


@dataclass(frozen=True, slots=True)
class Build:
    """One browser binary.

    `product`: `Chromium`, `Google Chrome` or `Chrome Headless Shell`. `path`: the binary itself, never a wrapper
    script, which would add arguments of its own. `source`: where it was found (`installed`, `cache`, ...).
    `libraries`: a folder for LD_LIBRARY_PATH where the system lacks what the binary needs.
    """

    product: str
    version: str
    major: int
    path: Path
    source: str
    modes: tuple[str, ...]
    libraries: Path | None = None
    fonts: Path | None = None  # for FONTCONFIG_PATH where the system has no fonts

    def environment(self) -> dict[str, str]:
        """The variables that this binary needs on top of the harness's own."""
        found = {}
        if self.libraries:
            older = os.environ.get("LD_LIBRARY_PATH", "")
            found["LD_LIBRARY_PATH"] = f"{self.libraries}:{older}" if older else str(self.libraries)
        if self.fonts:
            found["FONTCONFIG_PATH"] = str(self.fonts)
        return found

    def require(self, mode: str) -> None:
        """`CapabilityError` with the remedy when this binary has not got the mode."""
        if mode in self.modes:
            return
        if mode == SHELL:
            remedy = "install chrome-headless-shell of the same version (Debian: chromium-headless-shell)"
        else:
            remedy = "install the full browser of the same version (Debian: chromium)"
        raise CapabilityError(f"{self.product} {self.version} at {self.path} has no mode {mode!r}: {remedy}")

    def headless_argument(self, mode: str) -> str | None:
        """The spelling of `--headless` that gives this mode on this version."""
        if mode == HEADED:
            return None
        if mode == SHELL:
            return "--headless=old" if HEADLESS in self.modes and self.major >= 109 else "--headless"
        if self.major >= _OLD_HEADLESS_GONE:
            return "--headless"
        return "--headless=new" if self.major >= 109 else "--headless=chrome"

    def __str__(self) -> str:
        return f"{self.product} {self.version} ({'/'.join(self.modes)}) at {self.path}"


@dataclass(frozen=True, slots=True)
class Support:
    """What a binary from a package needs beside itself."""

    libraries: Path | None = None
    fonts: Path | None = None


NO_SUPPORT = Support()


def is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def behind_wrapper(path: Path) -> Path:
    """The binary that a shell wrapper such as `/usr/bin/chromium` runs in the end; the path itself when unclear."""
    path = path.resolve()
    if is_elf(path):
        return path
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return path
    variables = {found[1]: found[2] for found in re.finditer(r"^\s*(\w+)=[\"']?([^\"'\s`]*)[\"']?\s*$", text, re.M)}
    for _ in range(3):  # one variable may use another
        text = re.sub(r"\$\{?(\w+)\}?", lambda found: variables.get(found[1], found[0]), text)
    named = [Path(found) for found in re.findall(r"(?<![\w$}])(/[\w./+-]+)", text)]
    beside = [path.parent / name for name in _NAMES]
    for candidate in (*(one for one in named if one.name in _NAMES), *beside):
        if candidate != path and is_elf(candidate):
            return candidate.resolve()
    return path


def _is_shell(binary: Path, answer: str) -> bool:
    """A full browser cannot start without resources.pak beside it; a single-file shell has none."""
    if re.search(r"headless[-_ ]?shell", f"{binary.name} {answer}", re.IGNORECASE):
        return True
    return not (binary.parent / "resources.pak").is_file()


def probe(path: Path | str, source: str = "path", support: Support = NO_SUPPORT) -> Build:
    """Ask a binary what it is. `BrowserError` when it is no Chromium that runs here, with what it said."""
    binary = behind_wrapper(Path(path))
    if not os.access(binary, os.X_OK) or binary.is_dir():
        raise BrowserError(f"{path} is not an executable file")
    environment = Build("", "", 0, binary, source, (), support.libraries, support.fonts).environment()
    answer = ask(binary, environment)
    version = ".".join(str(part) for part in parse_version(answer))
    if _is_shell(binary, answer):
        return shell_build(version, binary, source, support)
    product = "Google Chrome" if "google" in answer.lower() else "Chromium"
    return full_build(version, product, binary, source, support)


def full_build(version: str, product: str, binary: Path, source: str, support: Support = NO_SUPPORT) -> Build:
    major = int(version.partition(".")[0])
    modes = (
        *((HEADLESS,) if major >= _NEW_HEADLESS else ()),
        *((SHELL,) if major < _OLD_HEADLESS_GONE else ()),
        HEADED,
    )
    return Build(product, version, major, binary, source, modes, support.libraries, support.fonts)


def shell_build(version: str, binary: Path, source: str, support: Support = NO_SUPPORT) -> Build:
    major = int(version.partition(".")[0])
    return Build("Chrome Headless Shell", version, major, binary, source, (SHELL,), support.libraries, support.fonts)
