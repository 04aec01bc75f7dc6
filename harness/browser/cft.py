"""Chrome for Testing by its published JSON: `chrome@157`, `chrome-headless-shell@stable`.

https://github.com/GoogleChromeLabs/chrome-for-testing describes the endpoints. `TRACEPROOF_CFT_URL` names a mirror; the
downloads' addresses may be relative to it.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import os
import platform
import re
import shutil
import sys
import urllib.error
import urllib.request
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import NoReturn, TypeVar
from urllib.parse import urljoin

import msgspec

from harness.browser.build import probe
from harness.browser.cache import Draft, Echo, Record
from harness.errors import BrowserError, CapabilityError, Problem, UsageError

T = TypeVar("T")
VARIABLE = "TRACEPROOF_CFT_URL"
PUBLISHED = "https://googlechromelabs.github.io/chrome-for-testing/"
PRODUCTS = ("chrome-headless-shell", "chrome")
CHANNELS = ("stable", "beta", "dev", "canary")
_KNOWN, _LAST = "known-good-versions-with-downloads.json", "last-known-good-versions-with-downloads.json"
_PLATFORMS = {("linux", "x86_64"): "linux64", ("linux", "aarch64"): "linux-arm64"}
_WORD = re.compile(rf"({'|'.join(PRODUCTS)})@(\d+(?:\.\d+){{0,3}}|{'|'.join(CHANNELS)})")
_SECONDS = 60.0
_CHUNK = 1 << 20


class _File(msgspec.Struct, frozen=True):
    platform: str
    url: str
    sha256: str = ""  # a mirror's own; the published JSON has none


class _Version(msgspec.Struct, frozen=True):
    version: str
    downloads: dict[str, list[_File]] = {}


class _KnownVersions(msgspec.Struct, frozen=True):
    versions: list[_Version]  # rising


class _LastVersions(msgspec.Struct, frozen=True):
    channels: dict[str, _Version]


class Archive(msgspec.Struct, frozen=True):
    """One product of one version for this machine."""

    product: str
    version: str
    url: str
    sha256: str = ""

    @property
    def key(self) -> str:
        return f"{self.version}-{self.product}"


def is_word(text: str) -> bool:
    """`product@major`, `product@version` or `product@channel`."""
    return bool(_WORD.fullmatch(text))


def base_url() -> str:
    return (os.environ.get(VARIABLE) or PUBLISHED).rstrip("/") + "/"


def find(word: str) -> Archive:
    """The newest that a word means. `BrowserError` when the endpoint cannot be reached or read, `UsageError` with what
    is near when there is no such version, `CapabilityError` on a machine that nothing is published for."""
    product, _, wanted = word.partition("@")
    if wanted in CHANNELS:
        channels = _read(_LAST, _LastVersions).channels
        versions = [one for name, one in channels.items() if name.lower() == wanted]
    else:
        known = _read(_KNOWN, _KnownVersions).versions
        versions = [one for one in known if f"{one.version}.".startswith(f"{wanted}.")]
        if not versions:
            majors = sorted({int(one.version.partition(".")[0]) for one in known})
            raise UsageError(
                Problem(f"Chrome for Testing has no {word}", expected=_spans(majors), remedy="or a channel: stable")
            )
    here = _platform()
    for one in reversed(versions):
        for file in one.downloads.get(product, ()):
            if file.platform == here:
                return Archive(product, one.version, urljoin(base_url(), file.url), file.sha256)
    raise UsageError(
        Problem(f"Chrome for Testing has no {product} {wanted} for {here}", remedy="try the other product")
    )


def bring(archive: Archive, draft: Draft, echo: Echo) -> Record:
    """Fetch, check, unpack and ask, for `cache.install_into`."""
    echo(f"fetching {archive.url}")
    zipped = _fetch(archive, draft.work)
    echo(f"{zipped.stat().st_size / 1e6:.0f} MB: unpacking")
    binary = _unzip(zipped, draft.browser) / archive.product
    build = probe(binary)
    if build.version != archive.version:
        raise BrowserError(f"the binary in {archive.url} is {build.version}, not {archive.version}")
    product = "" if archive.product == "chrome-headless-shell" else "Google Chrome"
    path = str(binary.relative_to(draft.browser))
    return Record(f"{archive.product}@{archive.version}", build.version, path, archive.sha256, product=product)


def _platform() -> str:
    machine = (sys.platform, platform.machine())
    if machine not in _PLATFORMS:
        raise CapabilityError(f"Chrome for Testing publishes nothing for {' '.join(machine)} that this lab can drive")
    return _PLATFORMS[machine]


def _read(name: str, kind: type[T]) -> T:
    url = urljoin(base_url(), name)
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            return msgspec.json.decode(answer.read(), type=kind)
    except (OSError, http.client.HTTPException, ValueError) as error:
        _unreachable(url, error)


def _unreachable(url: str, error: Exception) -> NoReturn:
    if isinstance(error, msgspec.MsgspecError):
        said = f"is not what Chrome for Testing publishes: {error}"
    elif isinstance(error, urllib.error.HTTPError):
        said = f"answered {error.code} {error.reason}"
    else:
        said = f"cannot be reached: {getattr(error, 'reason', error)}"
    remedy = f"set {VARIABLE} to a mirror, or take a build that npm has (traceproof browsers list)"
    raise BrowserError(f"{url} {said}; {remedy}") from None


def _fetch(archive: Archive, folder: Path) -> Path:
    target = folder / "archive.zip"
    hashes = {"md5": hashlib.md5(usedforsecurity=False), "sha256": hashlib.sha256()}
    size = 0
    try:
        with urllib.request.urlopen(archive.url, timeout=_SECONDS) as answer, target.open("wb") as file:
            promised, google = answer.headers.get("Content-Length"), answer.headers.get("x-goog-hash", "")
            while piece := answer.read(_CHUNK):
                file.write(piece)
                size += len(piece)
                for one in hashes.values():
                    one.update(piece)
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        _unreachable(archive.url, error)
    if promised and int(promised) != size:
        raise BrowserError(f"{archive.url} was cut short: {size} of {promised} bytes")
    md5 = re.search(r"md5=([\w+/=]+)", google)
    if md5 and md5[1] != base64.b64encode(hashes["md5"].digest()).decode():
        raise BrowserError(f"{archive.url} was damaged on the way: its md5 is not the one that the server states")
    if archive.sha256 and archive.sha256.lower() != hashes["sha256"].hexdigest():
        raise BrowserError(f"{archive.url} was tampered with: its sha256 is not the one of the index")
    return target


def _unzip(zipped: Path, folder: Path) -> Path:
    """Regular files only and none outside of `folder`, each against its CRC; the one folder at the top."""
    try:
        with zipfile.ZipFile(zipped) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            needed, free = sum(one.file_size for one in members), shutil.disk_usage(folder).free
            if needed > free:
                raise BrowserError(f"{needed / 1e6:.0f} MB are needed in {folder.parent}, {free / 1e6:.0f} MB are free")
            for one in members:
                path, mode = PurePosixPath(one.filename), one.external_attr >> 16
                if path.is_absolute() or ".." in path.parts or (mode & 0o170000) not in (0, 0o100000):
                    raise BrowserError(f"the archive is damaged: {one.filename!r} is no plain file inside of it")
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(one) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file, _CHUNK)
                target.chmod(0o755 if mode & 0o100 else 0o644)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise BrowserError(f"the archive is damaged: {error}") from None
    tops = sorted(folder.iterdir())
    if len(tops) != 1 or not tops[0].is_dir():
        raise BrowserError(f"the archive is damaged: it holds {', '.join(one.name for one in tops) or 'nothing'}")
    return tops[0]


def _spans(majors: list[int]) -> str:
    """`113..157` where no major is missing."""
    if majors and majors == list(range(majors[0], majors[-1] + 1)):
        return f"{majors[0]}..{majors[-1]}"
    return ", ".join(map(str, majors)) or "nothing"
