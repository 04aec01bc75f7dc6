"""The bytes of a trace file, unpacked: plain, gzip or zstd, known by its first bytes, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import zstandard
from zlib_ng import zlib_ng

from harness.trace.refusal import refusal

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_DAMAGED: Final = cast("tuple[type[Exception], ...]", (zlib_ng.error, zstandard.ZstdError))  # its stub is mistaken
_PLAIN_BLOCK: Final = 1 << 17  # memory for larger ones goes back to the system each time and comes with page faults
_PACKED_BLOCK: Final = 1 << 15  # unpacked it stays in the processor's cache until it is decoded
_USUAL_RATIO: Final = 12  # of a packed recording


def blocks(path: Path) -> Iterator[bytes]:
    """The file unpacked, some hundred KB at a time; `TraceFileError` when it cannot be read or is cut."""
    try:
        with path.open("rb", buffering=0) as file:
            head = file.read(_PACKED_BLOCK)
            if head.startswith((_GZIP, _ZSTD)):
                yield from _unpack(head, iter(lambda: file.read(_PACKED_BLOCK), b""), path)
                return
            yield head
            yield from iter(lambda: file.read(_PLAIN_BLOCK), b"")
    except OSError as error:
        raise refusal(path, f"cannot be read: {error.strerror}", remedy="check the path") from None


def about_unpacked(path: Path) -> int:
    """How many bytes the file has about, unpacked; 0 where it cannot be read."""
    try:
        with path.open("rb") as file:
            packed = file.read(4).startswith((_GZIP, _ZSTD))
        return path.stat().st_size * (_USUAL_RATIO if packed else 1)
    except OSError:
        return 0


def read_bytes(path: Path) -> bytes:
    """The whole file unpacked; `TraceFileError` when it cannot be read or is cut."""
    return b"".join(blocks(path))


def _unpack(head: bytes, more: Iterator[bytes], path: Path) -> Iterator[bytes]:
    """All members or frames of a compressed file; one that does not reach its end is a cut file."""
    what = "gzip" if head.startswith(_GZIP) else "zstd"
    size = unpacked = 0
    stream: zlib_ng._Decompress | zstandard.ZstdDecompressionObj | None = None
    rest = head
    while rest or (rest := next(more, b"")):
        if stream is None:
            if not (rest := rest.lstrip(b"\0")):  # writers to block devices and tar pad with zeros
                continue
            stream = zlib_ng.decompressobj(wbits=31) if what == "gzip" else zstandard.ZstdDecompressor().decompressobj()
        try:
            piece = stream.decompress(rest)
        except _DAMAGED as error:
            raise refusal(path, f"its {what} data is damaged", found=str(error)) from None
        size += len(rest)
        unpacked += len(piece)
        rest = b""
        if piece:
            yield piece
        if stream.eof:
            rest, stream = stream.unused_data, None
            size -= len(rest)
    if stream is not None:
        found = f"the end of the file after {size:,} bytes ({unpacked:,} unpacked)"
        raise refusal(path, f"cut short: its {what} data has no end", found=found)
