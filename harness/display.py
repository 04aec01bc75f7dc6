"""Whether a window can open on this machine."""

from __future__ import annotations

import os
import shutil

VARIABLE = "TRACEPROOF_DISPLAY"


def display_lacking() -> str:
    """Why a window cannot open here, in words; empty when it can."""
    if os.environ.get(VARIABLE) or shutil.which("Xvfb") or os.environ.get("DISPLAY"):
        return ""
    return "needs a display: install Xvfb (Debian: apt-get install xvfb) or set DISPLAY"
