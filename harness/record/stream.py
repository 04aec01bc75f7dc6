"""A protocol stream to disk: bounded memory, and a file that is whole or not there."""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

from harness.browser import Running
from harness.cdp import Session
from harness.record.bounded import bounded
from harness.store.atomic import drafted, sync

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


async def write_chunks(chunks: AsyncIterator[bytes], path: Path) -> int:
    """Write the chunks to a file that is whole or not there (`StoreError`); returns the number of bytes."""
    written = 0
    with drafted(path) as file:
        async for chunk in chunks:
            written += await asyncio.to_thread(file.write, chunk)
        await asyncio.to_thread(sync, file)
    return written
