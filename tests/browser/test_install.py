"""Packages: integrity, unpacking, two installs at once, and an honest account where nothing works."""

from __future__ import annotations

import base64
import functools
import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest

from harness.browser import ensure, find, install, npm, uninstall
from harness.browser.build import Build
from harness.browser.cache import Record
from harness.browser.catalogue import Package
from harness.errors import BrowserError, UsageError

_MODULE = "harness.browser.obtain"
BINARY = b"#!/bin/sh\necho Chromium 99.0.1.2\n"


def tar(files: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as opened:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o755
            opened.addfile(member, io.BytesIO(data))
    return out.getvalue()


def tarball(says: bytes = BINARY) -> bytes:
    libraries = {"lib/libnss3.so": b"nss", "../escape": b"no", ".fonts/a.ttf": b"font"}
    inner = {
        "package/bin/chromium.br": brotli.compress(says),
        "package/bin/swiftshader.tar.br": brotli.compress(tar({"libEGL.so": b"egl"})),
        "package/bin/aws.tar.br": brotli.compress(tar(libraries)),
        "package/package.json": b"{}",
    }
    return tar(inner, "w:gz")


def entry(data: bytes, says: str = "99.0.1.2") -> Package:
    digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
    return Package(package="@scope/fake@1.0.0", says=says, integrity=f"sha512-{digest}")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRACEPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "browsers"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A registry on loopback, for a machine without npm; the folder that it serves."""
    folder = tmp_path / "registry"
    (folder / "@scope/fake/-").mkdir(parents=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setattr(npm.shutil, "which", lambda name: None)
    yield folder / "@scope/fake/-/fake-1.0.0.tgz"
    server.shutdown()
    server.server_close()


def bring(one: Package, said: list[str]) -> Build:
    from harness.browser.obtain import install_package

    return install_package(one, said.append)


def test_a_package_comes_over_https_and_is_unpacked(cache: Path, registry: Path) -> None:
    registry.write_bytes(tarball())
    said: list[str] = []
    build = bring(entry(tarball_bytes := registry.read_bytes()), said)
    folder = cache / "99.0.1.2"
    assert build.path == folder / "chrome-headless-shell"
    assert (build.version, build.modes, build.source) == ("99.0.1.2", ("shell",), "cache")
    assert (folder / "swiftshader/libEGL.so").read_bytes() == b"egl"
    assert (folder / "support/lib/libnss3.so").is_file()
    assert str(folder / "support") in (folder / "support/fonts.conf").read_text()
    assert not list(cache.rglob("escape*"))
    assert any("over HTTPS" in line for line in said)
    assert [path.name for path in cache.iterdir() if path.is_dir()] == ["99.0.1.2"]  # no draft is left
    registry.unlink()  # the second time nothing is fetched
    assert bring(entry(tarball_bytes), said) == build
    assert "cache" in said[-1]
    assert build in find.find_builds()


def test_a_tarball_that_was_tampered_with_is_refused(cache: Path, registry: Path) -> None:
    registry.write_bytes(tarball(b"#!/bin/sh\necho evil\n"))
    with pytest.raises(BrowserError, match="sha512"):
        bring(entry(tarball()), [])
    assert not [path for path in cache.iterdir() if path.is_dir()]


def test_a_connection_that_breaks_off_is_told(cache: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.write_bytes(tarball())
    half = registry.stat().st_size // 2
    monkeypatch.setattr(
        http.server.SimpleHTTPRequestHandler, "copyfile", lambda self, source, target: target.write(source.read(half))
    )
    with pytest.raises(BrowserError, match=f"broke off after {half} of {registry.stat().st_size} bytes"):
        bring(entry(registry.read_bytes()), [])
    assert not [path for path in cache.iterdir() if path.is_dir()]


def test_a_binary_of_another_version_than_listed_is_refused(cache: Path, registry: Path) -> None:
    registry.write_bytes(tarball())
    with pytest.raises(BrowserError, match=r"is 99\.0\.1\.2, builds.yaml says 98"):
        bring(entry(registry.read_bytes(), says="98.0.0.0"), [])
    assert not [path for path in cache.iterdir() if path.is_dir()]


def test_a_registry_that_has_not_got_it_is_named(cache: Path, registry: Path) -> None:
    with pytest.raises(BrowserError, match="404"):
        bring(entry(tarball()), [])


def test_libraries_of_the_package_are_used_only_where_the_system_lacks_them(cache: Path, registry: Path) -> None:
    picky = b'#!/bin/sh\ncase "$LD_LIBRARY_PATH" in *support/lib*) echo Chromium 99.0.1.2;; *) exit 127;; esac\n'
    registry.write_bytes(tarball(picky))
    build = bring(entry(registry.read_bytes()), [])
    assert build.environment()["LD_LIBRARY_PATH"].startswith(str(cache / "99.0.1.2/support/lib"))
    record = Record.read(cache / "99.0.1.2")
    assert record and record.libraries


def test_two_installs_at_once_fetch_once(cache: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.write_bytes(tarball())
    one, fetches, fetch = entry(registry.read_bytes()), [], npm._https
    monkeypatch.setattr(npm, "_https", lambda *given: (fetches.append(1), fetch(*given))[1])
    builds: list[Build] = []
    threads = [threading.Thread(target=lambda: builds.append(bring(one, []))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(builds) == 4
    assert len(set(builds)) == 1
    assert len(fetches) == 1


def test_ensure_says_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build("Chromium", "1.2.3.4", 1, Path("/b"), "playwright", ("shell",))
    monkeypatch.setattr(f"{_MODULE}.find_builds", lambda: [build])
    said: list[str] = []
    assert ensure(said.append) is build
    assert "playwright" in said[0]


def test_where_nothing_works_every_attempt_and_the_remedy_are_told(
    cache: Path, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{_MODULE}.find_builds", list)
    monkeypatch.setattr(f"{_MODULE}._run", lambda command, *_: (_ for _ in ()).throw(BrowserError("network is closed")))
    said: list[str] = []
    with pytest.raises(BrowserError) as raised:
        ensure(said.append)
    text = str(raised.value)
    assert all(
        part in text for part in ("Playwright", "Debian", "npm", "network is closed", "404", "TRACEPROOF_BROWSER")
    )
    assert sum("did not work" in line for line in said) == 3


def test_an_install_that_was_killed_leaves_nothing_for_long(cache: Path, registry: Path) -> None:
    registry.write_bytes(tarball())
    left = cache / ".draft-99.0.1.2+dead"
    (left / "browser").mkdir(parents=True)
    bring(entry(registry.read_bytes()), [])
    assert not left.exists()


def test_a_folder_that_is_not_whole_is_made_anew(cache: Path, registry: Path) -> None:
    registry.write_bytes(tarball())
    (cache / "99.0.1.2").mkdir(parents=True)
    (cache / "99.0.1.2/chrome-headless-shell").write_text("half of it")
    assert find.find_builds() == [build for build in find.find_builds() if build.source != "cache"]
    assert bring(entry(registry.read_bytes()), []).version == "99.0.1.2"


def test_what_is_removed_is_gone_and_nothing_else(cache: Path, registry: Path) -> None:
    registry.write_bytes(tarball())
    one = bring(entry(registry.read_bytes()), [])
    other = Record("x@1.0.0", "98.0.0.1", "b")
    (cache / "98.0.0.1").mkdir()
    (cache / "98.0.0.1/b").touch()
    other.write(cache / "98.0.0.1")
    with pytest.raises(UsageError, match="the cache has no '97'"):
        uninstall(["99", "97"], lambda _: None)
    said: list[str] = []
    assert uninstall(["99"], said.append) > len(BINARY)
    assert not one.path.parent.exists()
    assert "99.0.1.2" in said[0]
    assert (cache / "98.0.0.1/b").exists()
    assert uninstall(["all"], said.append) > 0
    assert uninstall(["all"], said.append) == 0
    assert [path.name for path in cache.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("word", ["nonsense", "", "12..3", "chrome@nightly", "99.0.1.2", "112..115"])
def test_a_word_that_means_nothing_fetches_nothing(cache: Path, word: str) -> None:
    with pytest.raises(UsageError) as raised:
        install([word], lambda _: None)
    assert "153, " in raised.value.problems[0].expected


def test_what_can_be_had_is_installed_and_the_rest_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build("Chrome Headless Shell", "1.2.3.4", 1, Path("/b"), "cache", ("shell",))

    def fake(one: Package, _: object) -> Build:
        if one.major == 110:
            raise BrowserError("110 is out")
        return build

    monkeypatch.setattr(f"{_MODULE}.install_package", fake)
    assert install(["153", "89"], lambda _: None) == [build, build]
    with pytest.raises(BrowserError, match=r"2 installed, 1 not:\n  110 is out"):
        install(["89", "110,153", "@sparticuz/chromium@153.0.0"], lambda _: None)
