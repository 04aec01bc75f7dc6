"""A picture file out of an SVG, by a browser that is there anyway."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from harness.browser.build import Build
from harness.errors import BrowserError

_SECONDS = 60.0


def rasterise(svg: str, width: int, height: int, build: Build) -> bytes:
    """The SVG as PNG, two device pixels for each of its own. `BrowserError` when the browser makes none."""
    with tempfile.TemporaryDirectory(prefix="traceproof-picture-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, target = folder / "picture.svg", folder / "picture.png"
        source.write_text(svg, encoding="utf-8")
        command = [str(build.path), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [
            "--force-device-scale-factor=2",
            f"--window-size={width},{height}",
            f"--user-data-dir={folder}/profile",
        ]
        command += [f"--screenshot={target}", source.as_uri()]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BrowserError(f"{build.path} made no picture: {error}") from None
        if not target.is_file():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise BrowserError(f"{build.path} made no picture: {said[0]}")
        return target.read_bytes()
