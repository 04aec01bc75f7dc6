"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import StoreError


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn a failure of the file system into a `StoreError` that names the file, the cause and the remedy."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error)
        remedy = "free some space or choose another folder with --out"
        raise StoreError(f"{path} could not be written: {cause}; {remedy}") from error


def write_atomic(path: Path, data: bytes) -> None:
    """Write through a temporary file, fsync and rename; parent folders are made. `StoreError` when it cannot be."""
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
