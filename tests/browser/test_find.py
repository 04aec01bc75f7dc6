"""Which binary is meant: wrappers followed, versions asked for, halves of a version paired."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.browser import Build, find, for_mode, modes_of, one_per_version, probe, resolve
from harness.browser.build import behind_wrapper
from harness.errors import BrowserError, CapabilityError, UsageError


def fake(version: str, *modes: str, source: str = "installed:chromium") -> Build:
    return Build("Chromium", version, int(version.split(".")[0]), Path(f"/b/{version}-{modes[0]}"), source, modes)


FULL = fake("156.0.1.2", "headless", "headed")
SHELL = fake("156.0.1.2", "shell", source="installed:chrome-headless-shell")
OLD = fake("153.0.1.2", "shell", source="cache")
OLDEST = fake("83.0.4103.0", "shell", source="cache")


@pytest.fixture(autouse=True)
def four_builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(find, "find_builds", lambda: [FULL, SHELL, OLD, OLDEST])
    monkeypatch.setenv("TRACEPROOF_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("156", [FULL]),
        ("153,156", [OLD, FULL]),
        (" 156 , 156", [FULL]),
        ("all", [FULL, OLD, OLDEST]),
        ("83..153", [OLD, OLDEST]),
        (">=111", [FULL, OLD]),
        ("83.0.4103", [OLDEST]),
        ("chromium", [FULL]),
        ("chrome-headless-shell", [SHELL]),
    ],
)
def test_what_browser_means(text: str, found: list[Build]) -> None:
    assert resolve(text) == found


@pytest.mark.parametrize("text", ["157", "83.1", "chrome-beta", "nonsense", "", "/no/such/chrome", "<83", "153,157"])
def test_what_matches_nothing_is_an_error_that_helps(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        resolve(text)
    assert raised.value.problems[0].remedy


def test_a_major_that_can_be_installed_says_how() -> None:
    with pytest.raises(UsageError, match="traceproof browsers install 110"):
        resolve("110")


def test_without_any_browser_the_remedy_is_ensure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "find_builds", list)
    with pytest.raises(UsageError, match="browsers ensure"):
        resolve("all")


def test_the_halves_of_a_version_are_paired() -> None:
    assert for_mode(FULL, "shell") is SHELL
    assert for_mode(SHELL, "headed") is FULL
    assert modes_of(SHELL) == ("shell", "headless", "headed")
    assert one_per_version([SHELL, FULL]) == [FULL]
    with pytest.raises(CapabilityError, match="full browser of the same version"):
        for_mode(OLD, "headless")


def test_a_binary_named_by_path_stands_alone() -> None:
    alone = fake("156.0.1.2", "headless", "headed", source="path")
    with pytest.raises(CapabilityError, match="chromium-headless-shell"):
        for_mode(alone, "shell")


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_wrappers_are_followed_to_the_binary(tmp_path: Path) -> None:
    library = tmp_path / "lib" / "chromium"
    library.mkdir(parents=True)
    binary = library / "chromium"
    binary.write_bytes(b"\x7fELF")
    debian = script(
        tmp_path / "chromium",
        f'#!/bin/sh\nAPPNAME=chromium\nLIBDIR={tmp_path}/lib/$APPNAME\nGDB=/usr/bin/gdb\nexec $LIBDIR/$APPNAME "$@"\n',
    )
    beside = script(library / "chromium-wrapper", '#!/bin/bash\nexec -a "$0" "$HERE/chromium" "$@"\n')
    link = tmp_path / "linked"
    link.symlink_to(beside)
    assert {behind_wrapper(path) for path in (debian, beside, link, binary)} == {binary}
    unclear = script(tmp_path / "strange", "#!/bin/sh\nexec flatpak run org.chromium.Chromium\n")
    assert behind_wrapper(unclear) == unclear


def test_a_binary_is_asked_what_it_is(tmp_path: Path) -> None:
    full = script(tmp_path / "chrome", "#!/bin/sh\necho noise\necho Google Chrome 156.0.8078.108\n")
    (tmp_path / "resources.pak").touch()
    build = probe(full)
    assert (build.product, build.version, build.major) == ("Google Chrome", "156.0.8078.108", 156)
    assert build.modes == ("headless", "headed")
    older = probe(script(tmp_path / "chrome", "#!/bin/sh\necho Chromium 111.0.5563.64\n"))
    assert older.modes == ("headless", "shell", "headed")  # old headless was a mode of the browser itself
    assert [older.headless_argument(mode) for mode in older.modes] == ["--headless=new", "--headless=old", None]
    (tmp_path / "resources.pak").unlink()
    assert probe(full).modes == ("shell",)


@pytest.mark.parametrize("text", ["echo snap needed >&2; exit 1", "echo Firefox 1.2.3.4", "exit 0", "echo Chrome"])
def test_what_is_no_chromium_is_refused_with_what_it_said(tmp_path: Path, text: str) -> None:
    with pytest.raises(BrowserError, match="does not say that it is a Chromium"):
        probe(script(tmp_path / "chrome", f"#!/bin/sh\n{text}\n"))


@pytest.mark.parametrize(
    "make", [lambda p: p.mkdir(), lambda p: p.touch(), lambda p: None], ids=["folder", "plain", "none"]
)
def test_what_cannot_be_executed_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "it")
    with pytest.raises(BrowserError, match="not an executable"):
        probe(tmp_path / "it")


def test_a_wrong_variable_is_an_error_and_not_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("TRACEPROOF_BROWSER", str(tmp_path / "gone"))
    with pytest.raises(UsageError, match="unset TRACEPROOF_BROWSER"):
        find.find_builds()
