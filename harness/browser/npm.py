"""npm packages that carry a Chromium: fetching one, unpacking it, asking the binary what it is.

The tarball holds `bin/chromium.br` (the binary), `bin/swiftshader.tar.br` (software GL) and a tar of libraries and
fonts for systems that lack them. Nothing of a package is ever executed but the browser.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import urllib.request
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

import brotli
import msgspec

from harness.browser.build import probe
from harness.browser.cache import Draft, Echo, Record
from harness.browser.catalogue import Package
from harness.errors import BrowserError, Problem, UsageError

_BINARY, _SUPPORT = "chrome-headless-shell", "support"
_LIBRARY_TARS, _FONT_TAR = ("al2023.tar.br", "al2.tar.br", "aws.tar.br"), "fonts.tar.br"
_NAME = re.compile(r"(@[\w.-]+/)?[\w.-]+@\d+\.\d+\.\d+[\w.-]*")
_FETCH_SECONDS = 900.0
_CHUNK = 1 << 20
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
_FONTS_CONF = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>
"""


def bring(package: Package, draft: Draft, echo: Echo) -> Record:
    """Fetch, check, unpack and ask, for `cache.install_into`."""
    tarball = _fetch(package.package, draft.work, echo)
    if (found := integrity_of(tarball)) != package.integrity:
        raise BrowserError(f"{package.package}: the tarball is {found}, not the {package.integrity} of builds.yaml")
    echo("its sha512 is as expected: unpacking")
    record = _unpacked(package.package, tarball, draft, echo)
    if record.version != package.says:
        raise BrowserError(f"the binary of {package.package} is {record.version}, builds.yaml says {package.says}")
    return record


def identify(package: str, echo: Echo) -> Package:
    """What a package (`name@version`) that `configs/builds.yaml` does not list holds: fetched, asked, thrown away."""
    if not _NAME.fullmatch(package):
        raise UsageError(Problem(f"{package!r} is no package", expected="name@version, the version a whole one"))
    with tempfile.TemporaryDirectory(prefix="traceproof-identify-", ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        draft = Draft(work, work / "browser", work / "browser")
        draft.browser.mkdir()
        tarball = _fetch(package, work, echo)
        record = _unpacked(package, tarball, draft, echo)
        return Package(package, record.version, record.integrity)


def _fetch(package: str, folder: Path, echo: Echo) -> Path:
    if shutil.which("npm"):
        echo(f"npm pack {package}")
        tarball = _npm_pack(package, folder)
    else:
        echo(f"npm is not installed: fetching {package} from the registry over HTTPS")
        tarball = _https(package, folder)
    echo(f"{tarball.stat().st_size / 1e6:.0f} MB")
    return tarball


def integrity_of(tarball: Path) -> str:
    """As npm writes it: `sha512-` and base64."""
    with tarball.open("rb") as opened:
        return "sha512-" + base64.b64encode(hashlib.file_digest(opened, "sha512").digest()).decode()


def _unpacked(package: str, tarball: Path, draft: Draft, echo: Echo) -> Record:
    """Start the binary with the system's libraries, and with the package's only where those do not do."""
    try:
        unpack(tarball, draft.browser, draft.final)
    except (tarfile.TarError, brotli.error, zlib.error, EOFError) as error:
        raise BrowserError(f"{package}: the archive is damaged: {error}") from None
    fonts = "" if system_has_fonts() else _SUPPORT
    record = Record(package, "", _BINARY, integrity_of(tarball), fonts=fonts)
    try:
        build = probe(draft.browser / _BINARY)
    except BrowserError as error:
        echo(f"{error}: now with the package's own libraries")
        record = msgspec.structs.replace(record, libraries=f"{_SUPPORT}/lib")
        build = probe(draft.browser / _BINARY, support=record.support(draft.browser))
    return msgspec.structs.replace(record, version=build.version)


def _npm_pack(package: str, folder: Path) -> Path:
    command = ["npm", "pack", package, "--ignore-scripts", "--silent", "--pack-destination", str(folder)]
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
        raise BrowserError(f"npm pack {package} took more than {_FETCH_SECONDS:.0f} s") from None
    found = list(folder.glob("*.tgz"))
    if done.returncode or not found:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise BrowserError(f"npm pack {package} failed: {said[:300]}")
    return found[0]


def _https(package: str, folder: Path) -> Path:
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org").rstrip("/")
    name, _, version = package.rpartition("@")
    url = f"{registry}/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
    target = folder / "package.tgz"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer, target.open("wb") as file:
            shutil.copyfileobj(answer, file, _CHUNK)
            stated, came = answer.headers.get("Content-Length"), file.tell()
        if stated and int(stated) != came:
            raise BrowserError(f"{url}: the connection broke off after {came} of {stated} bytes")
    except OSError as error:
        raise BrowserError(f"{url}: {error}") from None
    return target


def unpack(tarball: Path, folder: Path, final: Path) -> None:
    """The browser as `folder/chrome-headless-shell`, its GL libraries, and `folder/support`.

    `final` is where the folder will lie in the end: the fonts' configuration holds absolute paths.
    """
    support: dict[str, bytes] = {}
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
            elif name in (*_LIBRARY_TARS, _FONT_TAR):
                support[name] = b"".join(_inflate(opened))
    if not (folder / _BINARY).is_file():
        raise BrowserError(f"{tarball.name} holds no bin/chromium.br")
    newest = next((name for name in _LIBRARY_TARS if name in support), None)  # never libraries of two systems mixed
    for chosen in (newest, _FONT_TAR):
        if chosen in support:
            _untar(support[chosen], folder / _SUPPORT)
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
