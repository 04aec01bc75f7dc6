"""From a file to events: compression by magic bytes, the two forms of a trace file, and errors that say what to do.

Nothing is repaired. The one liberty that the format itself takes is the closing bracket of a bare array, which a writer
may leave out; that is accepted and counted.
"""

from __future__ import annotations

import gc
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import zstandard

from harness.errors import Problem, TraceFileError
from harness.trace.event import NOTHING, Event
from harness.trace.proto import PacketError, is_proto, read_proto

_GZIP, _ZSTD, _ZIP, _BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\xef\xbb\xbf"
_EXPECTED = 'a Chrome trace: JSON ({"traceEvents": [...]} or [...]) or Perfetto\'s protobuf, plain, gzip or zstd'
_AGAIN = "record it again, and wait until the recording has been written to its end"


class TraceObject(msgspec.Struct, gc=False):
    """The object form of a trace file; every other key of it is skipped."""

    traceEvents: list[Event]
    metadata: msgspec.Raw = NOTHING


# Not strict: writers other than Chrome put numbers into strings.
_OBJECT = msgspec.json.Decoder(TraceObject, strict=False)
_ARRAY = msgspec.json.Decoder(list[Event], strict=False)


@dataclass(slots=True)
class RawTrace:
    """What the file holds, undigested. `anomalies` are the things that were seen and left as they are."""

    events: list[Event]
    metadata: msgspec.Raw
    anomalies: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> RawTrace:
    """Read a trace file; `TraceFileError` when it is none, or is not whole."""
    data = read_bytes(path)
    if is_proto(data[:4096]):
        return _packets(data, path)
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    with collector_paused():
        return _decode(data, path)


def read_bytes(path: Path) -> bytes:
    """The file unpacked, whatever it is; `TraceFileError` when it cannot be read or is cut."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _error(path, f"cannot be read: {error.strerror}", remedy="check the path") from None
    return _decompress(data, path)


def _packets(data: bytes, path: Path) -> RawTrace:
    try:
        with collector_paused():
            return RawTrace(*read_proto(data))
    except PacketError as error:
        raise _error(path, error.message, found=str(error), remedy=_AGAIN) from None


@contextmanager
def collector_paused() -> Iterator[None]:
    """Hundreds of thousands of new objects without a cycle among them: looking for cycles would only cost time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _decompress(data: bytes, path: Path) -> bytes:
    if data.startswith(_GZIP):
        return _unpack(data, path, "gzip")
    if data.startswith(_ZSTD):
        return _unpack(data, path, "zstd")
    return data


def _unpack(data: bytes, path: Path, what: str) -> bytes:
    """All members or frames of a compressed file; one that does not reach its end is a cut file."""
    parts: list[bytes] = []
    rest = data
    while rest.strip(b"\0"):  # writers to block devices and tar pad with zeros
        stream = zlib.decompressobj(wbits=31) if what == "gzip" else zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(stream.decompress(rest))
        except (zlib.error, zstandard.ZstdError) as error:
            raise _error(path, f"its {what} data is damaged", found=str(error), remedy=_AGAIN) from None
        if not stream.eof:
            size = sum(map(len, parts))
            found = f"the end of the file after {len(data):,} bytes ({size:,} unpacked)"
            raise _error(path, f"cut short: its {what} data has no end", found=found, remedy=_AGAIN)
        rest = stream.unused_data
    return b"".join(parts)


def _decode(data: bytes, path: Path) -> RawTrace:
    if not (first := re.search(rb"\S", data)):
        raise _error(path, "empty", found=f"{len(data)} bytes", remedy=_AGAIN)
    head = data[first.start() : first.start() + 4096]
    if head[:1] not in b"{[":
        raise _not_json(head, path)
    try:
        return _records(data, head[:1] == b"[")
    except UnicodeDecodeError:
        pass
    except (msgspec.DecodeError, RecursionError) as error:
        if "utf-8" not in str(error).lower():
            raise _json_error(error, data, path) from None
    # Text that is not UTF-8 stands in names of old traces; it cannot be selected by, but the rest can.
    try:
        trace = _records(data.decode("utf-8", "replace").encode(), head[:1] == b"[")
    except (msgspec.DecodeError, RecursionError) as error:
        raise _json_error(error, data, path) from None
    trace.anomalies["text that is not UTF-8"] = 1
    return trace


def _records(data: bytes, bare: bool) -> RawTrace:
    if not bare:
        whole = _OBJECT.decode(data)
        return RawTrace(whole.traceEvents, whole.metadata)
    try:
        return RawTrace(_ARRAY.decode(data), NOTHING)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        body = data.rstrip().removesuffix(b",")
        open_ended = "truncated" in str(error) or "trailing comma" in str(error)
        if not (open_ended and body.endswith(b"}")):
            raise
        try:
            return RawTrace(_ARRAY.decode(body + b"]"), NOTHING, anomalies={"array not closed": 1})
        except msgspec.DecodeError:
            raise error from None


def _json_error(error: Exception, data: bytes, path: Path) -> TraceFileError:
    text = str(error)
    if isinstance(error, RecursionError):
        found = "values inside values beyond 1,000 levels"
        return _error(path, "its JSON is nested too deeply to read", found=found, remedy=_AGAIN)
    if isinstance(error, msgspec.ValidationError):
        if "traceEvents" in text and "missing" in text:
            keys = ", ".join(_top_keys(data)) or "other keys"
            found = f"a JSON object with {keys}"
            return _error(path, "not a trace: it has no traceEvents", found=found, remedy="give the trace file itself")
        what, _, where = text.partition(" - at ")
        remedy = "a field has a type that no trace writer uses: mend what wrote the file"
        return _error(path, "an event in it is malformed", at=where.strip("`"), found=what, remedy=remedy)
    if "truncated" in text:
        tail = data[-60:].decode("utf-8", "replace").strip()
        found = f"the end of the file after {len(data):,} bytes, at …{tail!r}"
        return _error(path, "cut short: its JSON has no end", found=found, remedy=_AGAIN)
    offset = int(byte[1]) if (byte := re.search(r"\(byte (\d+)\)", text)) else 0
    line = data.count(b"\n", 0, offset) + 1 if offset else 0
    column = offset - data.rfind(b"\n", 0, offset) if offset else 0
    return _error(path, "not valid JSON", found=text, remedy=_AGAIN, line=line, column=column)


def _top_keys(data: bytes) -> list[str]:
    try:
        return list(msgspec.json.decode(data, type=dict[str, msgspec.Raw]))[:8]
    except msgspec.DecodeError:
        return []


def _not_json(head: bytes, path: Path) -> TraceFileError:
    if head.startswith(_ZIP):
        return _error(path, "a zip archive, not a trace", found="zip", remedy="unpack it and give the file inside")
    if head[:1] == b"<":
        return _error(path, "a page, not a trace", found="HTML or XML", remedy="save the trace itself as JSON")
    if b"\0" in head or not head[:64].isascii():
        return _error(path, "neither JSON nor a Perfetto trace", found="other binary data", remedy="give a trace file")
    return _error(path, "not JSON", found=repr(head[:40].decode("utf-8", "replace")), remedy="give a trace file")


def _error(
    path: Path, message: str, *, found: str = "", remedy: str = "", at: str = "", line: int = 0, column: int = 0
) -> TraceFileError:
    problem = Problem(
        message, file=str(path), line=line, column=column, path=at, expected=_EXPECTED, found=found, remedy=remedy
    )
    return TraceFileError(problem)
