"""What a mode promises: a window that a person would see, raster as asked, and a reason where it cannot be."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.browser import Build, launch, prove_gpu_raster, raster, rasters_on_gpu
from harness.browser.display import check_window, display_arguments
from harness.browser.sample import sample
from harness.display import display_lacking
from harness.errors import CapabilityError
from harness.scenario.model import BrowserSpec

WINDOW = (900, 700)
COLOUR = (0x12, 0xAB, 0x34)


@pytest.fixture
def framebuffer(temp: Path) -> Iterator[tuple[str, Path]]:
    """A display whose pixels lie in a file: its name and the file."""
    read, write = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        "1200x1000x24",
        "-nolisten",
        "tcp",
        "-fbdir",
        str(temp),
    ]
    try:
        server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        pytest.skip("Xvfb is not installed here")
    os.close(write)
    said = b""
    while not said.endswith(b"\n") and select.select([read], [], [], 60)[0]:
        said += os.read(read, 32)
    os.close(read)
    yield f":{said.decode().strip()}", temp / "Xvfb_screen0"
    server.terminate()
    server.wait(20)


def pixels_shown(screen: Path, colour: tuple[int, int, int]) -> int:
    red, green, blue = colour
    return screen.read_bytes().count(bytes((blue, green, red)))


async def test_a_headed_window_is_really_on_the_screen(
    build: Build, framebuffer: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "headed" not in build.modes:
        pytest.skip("a shell has no window")
    name, screen = framebuffer
    monkeypatch.setenv("TRACEPROOF_DISPLAY", name)
    spec = BrowserSpec(window=WINDOW)
    async with launch(build, "headed", spec) as launched:
        page = await launched.new_page()
        await page.goto(f"data:text/html,<body style='margin:0;background:rgb{COLOUR}'>")
        width, height = await page.evaluate("[innerWidth, innerHeight]")
        assert await page.evaluate("document.visibilityState") == "visible"
        assert await page.evaluate("[outerWidth, outerHeight]") == list(WINDOW)
        deadline = time.monotonic() + 60
        while pixels_shown(screen, COLOUR) < 0.98 * width * height and time.monotonic() < deadline:
            await page.evaluate("new Promise(requestAnimationFrame)")
        assert pixels_shown(screen, COLOUR) >= 0.98 * width * height


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ({"width": 900, "height": 640, "windowState": "normal"}, "900x640 and normal, not 900x700"),
        ({"width": 900, "height": 700, "windowState": "minimized"}, "minimized"),
    ],
)
async def test_a_window_that_is_not_as_asked_is_a_capability_error(bounds: dict[str, Any], says: str) -> None:
    class Answers:
        async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
            return {"bounds": bounds, "targetInfos": [{"type": "tab"}, {"type": "page", "targetId": "7"}]}

    with pytest.raises(CapabilityError, match=says):
        await check_window(Answers(), BrowserSpec(window=WINDOW))


def test_where_a_window_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = BrowserSpec(window=WINDOW)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.delenv("TRACEPROOF_DISPLAY", raising=False)
    assert display_arguments(spec) == ["--xvfb", "1100x900"]
    monkeypatch.setenv("TRACEPROOF_DISPLAY", ":8")
    assert display_arguments(spec) == ["--display", ":8"]
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("TRACEPROOF_DISPLAY")
    assert display_arguments(spec) == ["--display", ":7"]
    monkeypatch.delenv("DISPLAY")
    assert "xvfb" in display_lacking()
    with pytest.raises(CapabilityError, match="apt-get install xvfb"):
        display_arguments(spec)


async def test_gpu_raster_is_believed_when_the_gpu_process_says_so(build: Build) -> None:
    await prove_gpu_raster(build, build.modes[0])


async def test_a_recording_under_software_raster_shows_none(build: Build) -> None:
    async with launch(build, build.modes[0]) as launched:
        page = await launched.new_page()

        async def draw(_: object) -> None:
            await page.goto("data:text/html,<h1>raster</h1>")
            await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

        events = await sample(launched, [*raster.CATEGORIES, "cc"], draw)
    assert any(event["name"] == "RasterTask" for event in events)  # tiles were made
    assert not rasters_on_gpu(events)


async def test_a_status_without_raster_events_is_not_believed(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raster, "_proven", {})
    monkeypatch.setattr(raster, "rasters_on_gpu", lambda events: False)
    with pytest.raises(CapabilityError, match="no RasterDecoderImpl::DoRaster"):
        await prove_gpu_raster(build, build.modes[0])


async def test_a_build_that_playwright_cannot_drive_is_a_capability_error() -> None:
    old = Build("Chrome Headless Shell", "80.0.3987.0", 80, Path("/bin/false"), "cache", ("shell",))
    with pytest.raises(CapabilityError, match="cdp-quiet"):
        async with launch(old, "shell"):
            pass
