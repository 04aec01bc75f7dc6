"""A disk that is full: whatever fails because of it says nothing of the browser."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from harness.errors import StoreError

_LEAST = 1 << 20  # bytes; a browser's empty profile takes more


def refuse_full_disk(folder: Path) -> None:
    """`StoreError` where the disk of the output or that of the browsers' profiles is full.

    Asked when an attempt has failed: a browser without space fails in ways of its own, and the run can go on when there
    is some.
    """
    for place, option in ((folder, "--out"), (Path(tempfile.gettempdir()), "TMPDIR")):
        if (free := shutil.disk_usage(place).free) < _LEAST:
            raise StoreError(f"{place} has no space left ({free} bytes); free some or choose another with {option}")
