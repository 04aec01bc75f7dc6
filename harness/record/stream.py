"""A protocol stream to disk: bounded memory, and a file that is whole or not there."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

from harness.browser import Running
from harness.cdp import Session
from harness.errors import StoreError
from harness.record.bounded import bounded

_CHUNK = 1 << 20  # bytes; the answer is a third longer in base64 and held about three times on its way
_CHUNK_SECONDS = 30.0
_GZIP, _GZIP_FORMAT = b"\x1f\x8b", 31  # magic; zlib's window bits for a gzip head


async def read_stream(launched: Running, session: Session, handle: str) -> AsyncIterator[bytes]:
    """The chunks of the stream in order; the stream is closed at its end."""
    at_end = False
    while not at_end:
        request = session.send("IO.read", {"handle": handle, "size": _CHUNK})
        reply = await bounded(launched, request, _CHUNK_SECONDS, "send the trace")
        at_end = bool(reply["eof"])
        data: str = reply["data"]
        yield base64.b64decode(data) if reply.get("base64Encoded") else data.encode()
    await bounded(launched, session.send("IO.close", {"handle": handle}), _CHUNK_SECONDS, "close the trace's stream")


async def gzipped(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks as gzip: as they are where the sender has compressed them, which builds before 72 cannot."""
    packer = None
    async for chunk in chunks:
        if packer is None and chunk.startswith(_GZIP):
            yield chunk
            async for rest in chunks:
                yield rest
            return
        packer = packer or zlib.compressobj(6, wbits=_GZIP_FORMAT)
        yield await asyncio.to_thread(packer.compress, chunk)
    if packer:
        yield packer.flush()


async def write_atomically(chunks: AsyncIterator[bytes], path: Path) -> int:
    """Write the chunks to a temporary file beside `path`, then rename it; returns the number of bytes.

    Whatever ends it early removes the temporary file, and an older file at `path` stays as it was. `StoreError` names
    the file and the reason.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    written = 0
    try:
        with draft.open("wb") as file:
            async for chunk in chunks:
                written += await asyncio.to_thread(file.write, chunk)
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"the trace could not be written to {path}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return written
