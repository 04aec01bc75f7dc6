"""Where a headed browser's window opens: on an Xvfb of its own, so that nothing covers, tiles or resizes it."""

from __future__ import annotations

import os
import shutil

from harness.cdp import Session
from harness.display import VARIABLE, display_lacking
from harness.errors import CapabilityError
from harness.scenario.model import BrowserSpec

_MARGIN = 200  # without a window manager the window stays where it is: the screen must hold all of it


def display_arguments(spec: BrowserSpec) -> list[str]:
    """For the guard: an Xvfb that holds the window; the desktop's where there is none, or where `TRACEPROOF_DISPLAY`
    names one. `CapabilityError` when there is neither."""
    if lacking := display_lacking():
        raise CapabilityError(f"mode 'headed' {lacking}")
    if named := os.environ.get(VARIABLE):
        return ["--display", named]
    if not shutil.which("Xvfb"):
        return ["--display", os.environ["DISPLAY"]]
    width, height = (side + _MARGIN for side in spec.window)
    return ["--xvfb", f"{width}x{height}"]


async def check_window(session: Session, spec: BrowserSpec) -> None:
    """`CapabilityError` unless the browser's window has the size asked for and is neither minimised nor maximised: a
    desktop's window manager may have its own mind."""
    targets = (await session.send("Target.getTargets"))["targetInfos"]
    page = next(target["targetId"] for target in targets if target["type"] == "page")
    bounds = (await session.send("Browser.getWindowForTarget", {"targetId": page}))["bounds"]
    found = (bounds.get("width"), bounds.get("height"))
    if found != tuple(spec.window) or bounds.get("windowState") != "normal":
        width, height = spec.window
        raise CapabilityError(
            f"the window is {found[0]}x{found[1]} and {bounds.get('windowState')}, not {width}x{height} and normal: "
            f"unset {VARIABLE} and install Xvfb"
        )
