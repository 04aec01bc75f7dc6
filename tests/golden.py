"""Output compared with a file of the repository; `TRACEPROOF_UPDATE_GOLDEN=1` (make golden) writes it anew."""

from __future__ import annotations

import os
from pathlib import Path


def same_as_golden(path: Path, told: str) -> None:
    if os.environ.get("TRACEPROOF_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert path.is_file(), f"there is no {path}: run with TRACEPROOF_UPDATE_GOLDEN=1, then read what it wrote"
    assert told == path.read_text(encoding="utf-8")
