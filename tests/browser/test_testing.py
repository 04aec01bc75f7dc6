"""Chrome for Testing against a local copy of its endpoint: what is chosen, what is checked, two installs at once."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.browser import cft, find, install
from harness.errors import BrowserError, UsageError

OLD, NEW = "157.0.1.2", "157.0.1.10"
INSTALL = "import sys; from harness.cli import main; main(['browsers', 'install', *sys.argv[1:]])"


def binary(version: str) -> bytes:
    return f"#!/bin/sh\necho Google Chrome for Testing {version}\n".encode()


def zipped(product: str, version: str, more: dict[str, bytes] | None = None) -> bytes:
    out, top = io.BytesIO(), f"{product}-linux64"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {product: binary(version), "resources.pak": bytes(5000), **(more or {})}.items():
            member = zipfile.ZipInfo(f"{top}/{name}")
            member.external_attr = (0o100755 if name == product else 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    return out.getvalue()


class Endpoint:
    """The published layout on loopback. `requests`: paths asked for; `headers`: more of them for a path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[str] = []
        self.headers: dict[str, dict[str, str]] = {}
        endpoint = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                endpoint.requests.append(self.path)
                super().do_GET()

            def end_headers(self) -> None:
                for name, value in endpoint.headers.get(self.path, {}).items():
                    self.send_header(name, value)
                super().end_headers()

            def log_message(self, *_: object) -> None:
                pass

        handler = functools.partial(Handler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        for version in (OLD, NEW):
            for product in cft.PRODUCTS:
                self.put(product, version, zipped(product, version))
        self.publish()

    def put(self, product: str, version: str, data: bytes) -> Path:
        file = self.folder / version / f"{product}.zip"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
        return file

    def publish(self, sha256: str = "") -> None:
        versions = []
        for version in ("113.0.5672.0", OLD, NEW):
            downloads = {
                product: [
                    {"platform": platform, "url": f"{version}/{product}.zip", **({"sha256": sha256} if sha256 else {})}
                    for platform in ("mac-x64", "linux64")
                ]
                for product in (cft.PRODUCTS if version != "113.0.5672.0" else ["chrome"])
            }
            versions.append({"version": version, "revision": "1", "downloads": downloads})
        known = {"timestamp": "2026-11-30T00:00:00Z", "versions": versions}
        last = {"timestamp": "", "channels": {"Stable": {"channel": "Stable", **versions[1]}, "Beta": versions[2]}}
        (self.folder / "known-good-versions-with-downloads.json").write_text(json.dumps(known))
        (self.folder / "last-known-good-versions-with-downloads.json").write_text(json.dumps(last))


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    (tmp_path / "cft").mkdir()
    found = Endpoint(tmp_path / "cft")
    monkeypatch.setenv("TRACEPROOF_CFT_URL", found.url)
    monkeypatch.setenv("TRACEPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cft, "_platform", lambda: "linux64")
    yield found
    found.server.shutdown()
    found.server.server_close()


def left(tmp_path: Path) -> list[str]:
    cache = tmp_path / "cache/browsers"
    return sorted(path.name for path in cache.iterdir() if path.is_dir()) if cache.is_dir() else []


def quiet(_: str) -> None:
    pass


@pytest.mark.parametrize(
    ("word", "version"),
    [
        ("chrome-headless-shell@157", NEW),
        ("chrome-headless-shell@157.0.1", NEW),
        (f"chrome-headless-shell@{OLD}", OLD),
        ("chrome@stable", OLD),
        ("chrome@beta", NEW),
    ],
)
def test_what_a_word_means(endpoint: Endpoint, word: str, version: str) -> None:
    archive = cft.find(word)
    assert (archive.product, archive.version) == (word.partition("@")[0], version)
    assert archive.url == f"{endpoint.url}/{version}/{archive.product}.zip"


@pytest.mark.parametrize(
    ("word", "says"),
    [("chrome@158", "113, 157"), ("chrome-headless-shell@113", "no chrome-headless-shell 113 for linux64")],
)
def test_what_is_not_published_is_told(endpoint: Endpoint, word: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        install([word], quiet)


def test_a_major_that_npm_has_not_got_comes_in_both_halves(endpoint: Endpoint, tmp_path: Path) -> None:
    shell, full = install(["157"], quiet)
    assert (shell.version, shell.modes, shell.product) == (NEW, ("shell",), "Chrome Headless Shell")
    assert (full.version, full.modes, full.product) == (NEW, ("headless", "headed"), "Google Chrome")
    assert left(tmp_path) == [f"{NEW}-chrome", f"{NEW}-chrome-headless-shell"]
    builds = find.find_builds()
    assert shell in builds
    assert full in builds
    assert find.for_mode(full, "shell") == shell
    assert (full.path.parent / "resources.pak").stat().st_mode & 0o777 == 0o644


def test_two_processes_at_once_fetch_once(endpoint: Endpoint, tmp_path: Path) -> None:
    command = [sys.executable, "-c", INSTALL, "chrome@157"]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
        for _ in range(3)
    ]
    told = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], told
    assert all(NEW in out for out, _ in told)
    assert sum(path.endswith(".zip") for path in endpoint.requests) == 1
    assert left(tmp_path) == [f"{NEW}-chrome"]


def _flip(data: bytes) -> bytes:
    """A bit of the packed binary turned, which only the CRC (or zlib) can tell."""
    at = 60
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_flip, "the archive is damaged"),
        (lambda data: data[: len(data) // 2], "the archive is damaged"),
        (lambda data: b"<html>no such thing</html>", "the archive is damaged"),
        (lambda data: b"", "the archive is damaged"),
        (lambda data: zipped("chrome", "157.0.1.9"), "is 157.0.1.9, not 157.0.1.10"),
        (lambda data: zipped("chrome", NEW, {"../../escape": b"no"}), "no plain file inside"),
    ],
    ids=["bit", "half", "page", "empty", "other version", "escape"],
)
def test_a_damaged_archive_leaves_nothing(endpoint: Endpoint, tmp_path: Path, damage, says: str) -> None:  # type: ignore[no-untyped-def]
    endpoint.put("chrome", NEW, damage(zipped("chrome", NEW)))
    with pytest.raises(BrowserError, match=says):
        install(["chrome@157"], quiet)
    assert left(tmp_path) == []
    assert not list(tmp_path.rglob("escape"))
    endpoint.put("chrome", NEW, zipped("chrome", NEW))
    assert install(["chrome@157"], quiet)[0].version == NEW


def test_what_the_server_and_the_index_state_is_checked(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.headers[f"/{NEW}/chrome.zip"] = {"x-goog-hash": "crc32c=AAAAAA==,md5=AAAAAAAAAAAAAAAAAAAAAA=="}
    with pytest.raises(BrowserError, match="md5"):
        install(["chrome@157"], quiet)
    endpoint.headers.clear()
    endpoint.publish(sha256="0" * 64)
    with pytest.raises(BrowserError, match="sha256"):
        install(["chrome@157"], quiet)
    endpoint.publish(sha256=hashlib.sha256(zipped("chrome", NEW)).hexdigest())
    assert left(tmp_path) == []


def test_a_connection_that_breaks_off_is_told(endpoint: Endpoint, tmp_path: Path) -> None:
    data = zipped("chrome", NEW)

    class Cut(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data) + 100))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Cut)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    archive = cft.Archive("chrome", NEW, f"http://127.0.0.1:{server.server_port}/chrome.zip")
    try:
        with pytest.raises(BrowserError, match=f"cut short: {len(data)} of {len(data) + 100} bytes"):
            cft._fetch(archive, tmp_path)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("body", ["{}", "not json", '{"versions": [{}]}'])
def test_an_index_of_another_shape_is_told(endpoint: Endpoint, body: str) -> None:
    (endpoint.folder / "known-good-versions-with-downloads.json").write_text(body)
    with pytest.raises(BrowserError, match="not what Chrome for Testing publishes"):
        cft.find("chrome@157")


def test_an_endpoint_that_cannot_be_reached_is_named_with_the_remedy(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEPROOF_CFT_URL", "http://127.0.0.1:9/")
    with pytest.raises(BrowserError, match=r"http://127\.0\.0\.1:9/last-.* cannot be reached: .*TRACEPROOF_CFT_URL"):
        install(["chrome@stable"], quiet)
    with pytest.raises(BrowserError, match=r"npm has no Chrome 157 \(it has 153, .*cannot be reached"):
        install(["157"], quiet)
    monkeypatch.setenv("TRACEPROOF_CFT_URL", f"{endpoint.url}/nowhere")
    with pytest.raises(BrowserError, match="answered 404"):
        install(["chrome@stable"], quiet)
