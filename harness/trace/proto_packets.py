"""From the bytes of a Perfetto trace to its packets, one at a time, with the place where a cut file ends."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import zstandard

from harness.trace.proto_schema import Schema, schema

_PACKET_TAG = 0x0A  # Trace.packet: field 1, length-delimited; a trace is nothing but these
_DESCRIPTOR_TAG = b"\xc2\x04"  # TracePacket.extension_descriptor: field 72, length-delimited
_LONGEST: Final = 1 << 28  # bytes of a packet; a length beyond is damage, and not to be held in memory
_HEAD: Final = 11  # bytes of a tag and a length at most


_CUT = "cut short: its last packet has no end"
_DAMAGED = "its packets are damaged"
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")

Blocks = Callable[[], Iterable[bytes]]


class PacketError(Exception):
    """The data is not whole. `message` says what is wrong, the text where."""

    def __init__(self, message: str, found: str) -> None:
        super().__init__(found)
        self.message = message


def is_proto(head: bytes) -> bool:
    """Whether a file that begins so is a Perfetto trace: its first byte is a packet's, which is a line end too, and
    there are bytes among the first that no text has."""
    return head[:1] == b"\n" and _NOT_TEXT.search(head) is not None


def packets(blocks: Blocks) -> tuple[Schema, Iterator[Any]]:
    """The messages that the trace is made of, and every packet in file order, those in a compressed bundle too.

    `blocks` gives the bytes of the trace and is called twice: its messages may be described at its very end.
    `PacketError`, at once or on the way, when the data is not whole.
    """
    known = _schema_of(_pieces(blocks()))
    return known, _parsed(known, _pieces(blocks()))


def _parsed(known: Schema, pieces: Iterator[bytes]) -> Iterator[Any]:
    for piece in pieces:
        packet = _parse(known, piece)
        if packet.compressed_packets or packet.zstd_compressed_packets:
            yield from (_parse(known, inner) for inner in _pieces([_unpack(packet)]))
        else:
            yield packet


def _parse(known: Schema, piece: bytes) -> Any:
    try:
        return known.packet.FromString(piece)
    except Exception as error:  # DecodeError, which is known only once protobuf is loaded
        raise PacketError(_DAMAGED, f"a packet of {len(piece):,} bytes that cannot be decoded ({error})") from None


def _schema_of(pieces: Iterator[bytes]) -> Schema:
    plain = schema()
    found = b""
    for piece in pieces:
        if len(piece) > 1024 and _DESCRIPTOR_TAG in piece:
            found += _extensions(plain, piece)
    return schema(found) if found else plain


def _extensions(plain: Schema, piece: bytes) -> bytes:
    try:
        packet = plain.packet.FromString(piece)
    except Exception:  # found again, and reported, when the packets are read
        return b""
    return bytes(packet.extension_descriptor.extension_set.SerializeToString())


def _pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    stream, data, at, before = iter(blocks), b"", 0, 0  # `before`: bytes of the trace before `data`
    while True:
        if len(data) - at < _HEAD:
            before, data, at = before + at, data[at:], 0
            while len(data) < _HEAD and (more := next(stream, b"")):
                data += more
            if not data:
                return
        if data[at] != _PACKET_TAG:
            raise PacketError(_DAMAGED, f"byte {data[at]:#04x} at offset {before + at:,}, where a packet should begin")
        length, start = _varint(data, at + 1, before)
        end = start + length
        if end > len(data):
            parts, held = [data[at:]], len(data) - at
            before, start, end, at = before + at, start - at, end - at, 0
            while held < end and (more := next(stream, b"")):
                held += len(more)
                if end < _LONGEST:
                    parts.append(more)
            if held < end:
                where = f"{end - held:,} before the end of its last packet"
                raise PacketError(_CUT, f"the end of the file after {before + held:,} bytes, {where}")
            if end >= _LONGEST:
                raise PacketError(_DAMAGED, f"a packet of {length:,} bytes at offset {before:,}")
            data = b"".join(parts)
        yield data[start:end]
        at = end


def _varint(data: bytes, at: int, before: int) -> tuple[int, int]:
    """The number at an offset, and the offset behind it."""
    value = shift = 0
    while shift < 64:
        if at >= len(data):
            size = before + len(data)
            raise PacketError(_CUT, f"the end of the file after {size:,} bytes, inside the length of a packet")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise PacketError(_DAMAGED, f"a length of more than ten bytes at offset {before + at:,}")


def _unpack(packet: Any) -> bytes:
    """The packets in a compressed bundle, as the bytes of a trace."""
    try:
        if packet.compressed_packets:
            return zlib.decompress(packet.compressed_packets)
        return zstandard.ZstdDecompressor().decompressobj().decompress(packet.zstd_compressed_packets)
    except (zlib.error, zstandard.ZstdError) as error:
        raise PacketError(_DAMAGED, f"a bundle of packets that cannot be unpacked ({error})") from None
