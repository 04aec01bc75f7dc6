"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

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


@contextmanager
def drafted(path: Path) -> Iterator[BinaryIO]:
    """A temporary file that takes the place of `path` when the block has ended well, synced; else it is gone.

    `StoreError` when it cannot be written; an older file at `path` then stays as it was.
    """
    with storing(path):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                sync(file)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def sync(file: BinaryIO) -> None:
    """Until what was written is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_atomic(path: Path, data: bytes) -> None:
    """The file with this content, or as it was before; parent folders are made. `StoreError` when it cannot be."""
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with drafted(path) as file:
        file.write(data)
