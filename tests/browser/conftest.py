from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.browser import Build, probe
from harness.errors import BrowserError


@pytest.fixture
def temp() -> Iterator[Path]:
    """A folder for TMPDIR: pytest's own is too long for the name of Chrome's singleton socket."""
    with tempfile.TemporaryDirectory(prefix="tp-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _known() -> list[Build]:
    found = []
    for path in ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium"):
        try:
            found.append(probe(Path(path), "installed"))
        except BrowserError:
            continue
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    builds = _known() if {"build", "build_and_mode"} & set(metafunc.fixturenames) else []
    if "build_and_mode" in metafunc.fixturenames:
        pairs = [(build, mode) for build in builds for mode in build.modes]
        metafunc.parametrize("build_and_mode", pairs, ids=[f"{build.major}-{mode}" for build, mode in pairs])
    elif "build" in metafunc.fixturenames:
        metafunc.parametrize("build", builds, ids=[f"{build.major}-{build.modes[0]}" for build in builds])
