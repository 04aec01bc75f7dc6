"""Where traceproof's data lies: at the top of a checkout, or inside an installed package."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_root() -> Path:
    """The folder that holds `scenarios/`, `fixtures_html/` and `configs/`."""
    packaged = _PACKAGE / "_data"
    return packaged if packaged.is_dir() else _PACKAGE.parent


def scenarios_root() -> Path:
    return data_root() / "scenarios"


def fixtures_root() -> Path:
    return data_root() / "fixtures_html"


def configs_root() -> Path:
    return data_root() / "configs"


def readers_root() -> Path:
    return configs_root() / "readers"


def reader_names() -> list[str]:
    """The programs that a scenario may let read its recordings."""
    return sorted(file.parent.name for file in readers_root().glob("*/read.mjs"))


def cache_root() -> Path:
    """The user's cache folder for browsers (`TRACEPROOF_CACHE`, else XDG, else `~/.cache/traceproof`)."""
    if own := os.environ.get("TRACEPROOF_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "traceproof"


def below(folder: Path, pattern: str) -> list[Path]:
    """The files below a folder whose names match, sorted; folders that go while it looks, or are closed, are passed by.

    `Path.rglob` raises for both.
    """
    found = (Path(at, name) for at, _, names in os.walk(folder) for name in fnmatch.filter(names, pattern))
    return sorted(found)
