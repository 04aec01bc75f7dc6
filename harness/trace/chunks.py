"""The events of a JSON trace, some thousands at a time, however long the file is.

A chunk is a piece of the list between two events. Where one event ends and the next begins is guessed from the file's
own first event and proved by decoding: a piece that ends anywhere else (inside an event, inside a text) has a bracket
that nothing closes, so it is never valid JSON. Only where every guess fails are the brackets counted, one by one.

What stands before and after the events is decoded together with the last of them, as one whole document, so that
nothing of the file goes unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from harness.errors import TraceFileError
from harness.trace import refusal
from harness.trace.brackets import last_border, list_start, lists
from harness.trace.event import NOTHING, WireEvent
from harness.trace.packed import blocks

OPEN_ENDED: Final = "array not closed"
NOT_UTF8: Final = "text that is not UTF-8"
_BOM: Final = b"\xef\xbb\xbf"
_LEAST: Final = 1 << 16  # with its events it stays in the processor's cache: in 1 MB decoding took half as long again
_GAPS: Final = (b",\n", b",", b", ", b",\n  ", b",\r\n")  # Chrome's own first
_NEXT: Final = re.compile(rb"\S")


class TraceObject(msgspec.Struct, gc=False):
    """The object form of a trace file; every other key of it is skipped."""

    traceEvents: list[WireEvent]
    metadata: msgspec.Raw = NOTHING


# Not strict: writers other than Chrome put numbers into strings.
_OBJECT: Final = msgspec.json.Decoder(TraceObject, strict=False)
_ARRAY: Final = msgspec.json.Decoder(list[WireEvent], strict=False)


class JsonChunks:
    """Iterate it once; `metadata` and `anomalies` are whole when that has ended. `TraceFileError` on the way."""

    def __init__(self, path: Path, stream: Iterator[bytes]) -> None:
        self.metadata = NOTHING
        self.anomalies: dict[str, int] = {}
        self._path, self._stream = path, stream
        self._head = b""  # up to the first event
        self._data, self._at = b"", 0  # what has been read last, and where in it the next event begins
        self._before = 0  # bytes of the file before `_data`
        self._events = 0
        self._borders: list[tuple[bytes, int]] = []  # guesses, and how far behind their start the next event begins

    def __iter__(self) -> Iterator[list[WireEvent]]:
        if self._begin():
            yield from self._pieces()
        yield self._end()

    def _more(self) -> bool:
        piece = next(self._stream, None)
        if piece is None:
            return False
        self._data += piece
        return True

    def _begin(self) -> bool:
        """Read up to the first event; whether there is one as far as can be seen."""
        wanted = 4096
        while len(self._data) >= wanted or self._more():
            if len(self._data) < wanted:
                continue
            self._data = self._data.removeprefix(_BOM)
            if (first := _NEXT.search(self._data)) and first[0] not in b"{[":
                return False
            start = list_start(self._data)
            if start is not None and (event := _NEXT.search(self._data, start)):
                self._at = event.start()
                self._head = self._data[: self._at]
                opening = self._data[self._at : self._at + 8]
                self._borders = [(b"}" + gap + opening, 1 + len(gap)) for gap in _GAPS]
                return True
            wanted = 2 * len(self._data)
        self._data = self._data.removeprefix(_BOM)
        return False

    def _pieces(self) -> Iterator[list[WireEvent]]:
        """The list but for its last part, which is too short for a piece, or ends it."""
        least = _LEAST
        while True:
            if len(self._data) - self._at < 2 * least:
                self._before += self._at
                self._data, self._at = self._data[self._at :], 0
                if not self._more():
                    return
            elif (events := self._piece(least)) is None:
                least *= 2  # one event is longer than all that was looked at
            elif events:
                least = _LEAST
                self._events += len(events)
                yield events
            else:
                return

    def _piece(self, least: int) -> list[WireEvent] | None:
        """The events up to a place between two of them; None where that is too far away, [] where the list ends."""
        data, at = self._data, self._at
        for border in self._borders:
            if (end := data.find(border[0], at + least)) < 0:
                continue
            try:
                events = self._decoded(memoryview(data)[at : end + 1])
            except msgspec.ValidationError as error:
                raise self._malformed(error) from None
            except (msgspec.DecodeError, RecursionError):
                continue
            if border is not self._borders[0]:
                self._borders.remove(border)
                self._borders.insert(0, border)
            self._at = end + border[1]
            return events
        end, following, ended = last_border(data[at : at + 2 * least])
        if not end:
            return [] if ended else None
        piece = data[at : at + end]
        try:
            events = self._decoded(piece)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._refused(error, b"[", piece, at_end=False) from None
        self._at += following
        return events

    def _decoded(self, piece: bytes | memoryview) -> list[WireEvent]:
        document = b"".join((b"[", piece, b"]"))
        try:
            return _ARRAY.decode(document)
        except UnicodeDecodeError:
            pass
        except msgspec.DecodeError as error:
            if "utf-8" not in str(error).lower():
                raise
        # Text that is not UTF-8 stands in names of old traces; it cannot be selected by, but the rest can.
        events = _ARRAY.decode(document.decode("utf-8", "replace").encode())
        self.anomalies[NOT_UTF8] = 1
        return events

    def _end(self) -> list[WireEvent]:
        """The last events, with everything around the list of them."""
        start = self._head or self._data
        if not (first := _NEXT.search(start)):
            raise refusal.refusal(self._path, "empty", found=f"{len(start)} bytes")
        if first[0] not in b"{[":
            raise refusal.not_json(start[first.start() : first.start() + 4096], self._path)
        bare = first[0] == b"["
        body = b"".join([self._data[self._at :], *self._stream])
        self._before, self._data, self._at = self._before + self._at, b"", 0
        try:
            return self._whole(self._head + body, bare)
        except UnicodeDecodeError:
            pass
        except (msgspec.DecodeError, RecursionError) as error:
            if "utf-8" not in str(error).lower():
                raise self._refused(error, self._head, body, at_end=True) from None
        try:
            events = self._whole((self._head + body).decode("utf-8", "replace").encode(), bare)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._refused(error, self._head, body, at_end=True) from None
        self.anomalies[NOT_UTF8] = 1
        return events

    def _whole(self, document: bytes, bare: bool) -> list[WireEvent]:
        if not bare:
            # Of several lists a decoder takes the last, when of the first some may have been given out.
            if document.count(b'"traceEvents"') > 1 and len(list(lists(document))) > 1:
                raise refusal.two_lists(self._path)
            whole = _OBJECT.decode(document)
            self.metadata = whole.metadata
            return whole.traceEvents
        try:
            return _ARRAY.decode(document)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            body = document.rstrip().removesuffix(b",")
            open_ended = "truncated" in str(error) or "trailing comma" in str(error)
            if not (open_ended and body.endswith(b"}")):
                raise
            try:
                events = _ARRAY.decode(body + b"]")
            except msgspec.DecodeError:
                raise error from None
            self.anomalies[OPEN_ENDED] = 1
            return events

    def _malformed(self, error: msgspec.ValidationError, document: bytes = b"") -> TraceFileError:
        where = str(error).partition(" - at ")[2].strip("`")
        if index := re.match(r"\$(?:\.traceEvents)?\[(\d+)\]", where):
            form = "" if self._head.lstrip().startswith(b"[") else ".traceEvents"
            form = form if self._head else where[1 : where.index("[")]
            where = f"${form}[{self._events + int(index[1])}]{where[index.end() :]}"
        return refusal.malformed(error, self._path, document, where)

    def _refused(self, error: Exception, head: bytes, body: bytes, *, at_end: bool) -> TraceFileError:
        """What is wrong with a document of `head` and `body`. Offsets are told in the whole file."""
        if isinstance(error, RecursionError):
            return refusal.too_deep(self._path)
        if isinstance(error, msgspec.ValidationError):
            return self._malformed(error, head + body)
        if at_end and "truncated" in str(error):
            return refusal.cut(self._path, self._before + self._at + len(body), body)
        offset = refusal.byte_of(error)
        if offset is None:
            return refusal.refusal(self._path, "not valid JSON", found=str(error))
        offset += self._before + self._at - len(head) if offset >= len(head) else 0
        found = re.sub(r"\(byte \d+\)", f"(byte {offset})", str(error))
        line, column = _place(self._path, offset) if offset else (0, 0)
        return refusal.refusal(self._path, "not valid JSON", found=found, line=line, column=column)


def _place(path: Path, offset: int) -> tuple[int, int]:
    """Line and column of an offset into the unpacked file, a byte order mark left aside."""
    line, before, last = 1, 0, -1
    for number, piece in enumerate(blocks(path)):
        piece = piece.removeprefix(_BOM) if not number else piece
        here = piece[: offset - before]
        line += here.count(b"\n")
        if (found := here.rfind(b"\n")) >= 0:
            last = before + found
        before += len(here)
        if before >= offset:
            break
    return line, offset - last
