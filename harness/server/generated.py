"""Bodies made on the fly under `/gen/`, the same bytes for the same URL on every machine.

`html`: the tokens are `<!DOCTYPE html>`, `<html>`, `<head>`, `</head>`, `<body>`, then `<p>`, `</p>` for each element
(with `text`, one character token between them), then `</body>`, `</html>`: 7 + 2 × elements, or 7 + 3 × elements with
text. The end-of-file token is not counted. `tokens=N` chooses the elements and fills up with one comment token where
the rest does not make an element. `lines=N` puts N - 1 line feeds inside of tags, where they add no token.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from harness.errors import Problem, UserError
from harness.server.controls import Given, parse_count, parse_size, unknown
from harness.units import duration_ms

PREFIX = "/gen/"
MOST_BYTES = 256 * 1024 * 1024
MOST_PIXELS = 100_000_000
HTML_TOKENS = 7  # around the elements


def _count(text: str) -> int:
    return parse_count(text, most=10_000_000)


def _size(text: str) -> int:
    if (value := parse_size(text)) > MOST_BYTES:
        raise ValueError(f"{text!r} is more than {MOST_BYTES} bytes")
    return value


def _side(text: str) -> int:
    return parse_count(text, least=1, most=65535)


def _color(text: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{6}", text):
        raise ValueError(f"{text!r} is not six hexadecimal digits, such as ff8800")
    return bytes.fromhex(text)


def _block(text: str) -> float:
    if (value := duration_ms(text)) < 0:
        raise ValueError(f"{text!r} is negative")
    return value


def html(tokens: int | None = None, elements: int | None = None, text: int = 0, lines: int = 1) -> bytes:
    if tokens is not None and elements is not None:
        raise ValueError("tokens and elements contradict each other; keep one of them")
    each = 3 if text else 2
    comments = 0
    if tokens is not None:
        if tokens < HTML_TOKENS:
            raise ValueError(f"tokens={tokens} is less than the {HTML_TOKENS} that every document has")
        elements, comments = divmod(tokens - HTML_TOKENS, each)
    elements = elements or 0
    if lines < 1:
        raise ValueError("a document has at least one line")
    _bounded(elements * (7 + text) + lines)
    # Line feeds stand inside of the tags of the elements, shared out evenly; without elements inside of <body>.
    feeds, more = divmod(lines - 1, elements) if elements else (lines - 1, 0)
    words = "x" * text
    body = "<body>" if elements else f"<body{chr(10) * feeds}>"
    wide, narrow = (f"<p{chr(10) * count}>{words}</p>" for count in (feeds + 1, feeds))
    middle = wide * more + narrow * (elements - more) + "<!--x-->" * comments
    return f"<!DOCTYPE html><html><head></head>{body}{middle}</body></html>".encode()


def css(rules: int = 1, body: int = 1, size: int | None = None) -> bytes:
    """`.r0{--d0:0;--d1:1}`: custom properties, because the same property twice would be one declaration."""
    _bounded(rules * (16 + 24 * body))
    block = ";".join(f"--d{index}:{index}" for index in range(body))
    return _padded("".join(f".r{index}{{{block}}}\n" for index in range(rules)).encode(), size)


def js(block: float = 0, size: int | None = None) -> bytes:
    script = f"for(const end=performance.now()+{block:g};performance.now()<end;);\n" if block else ""
    return _padded(script.encode(), size)


def plain(size: int = 0) -> bytes:
    line = b"0123456789abcde\n"
    return (line * (size // len(line) + 1))[:size]


def png(width: int = 1, height: int = 1, color: bytes = b"\x00\x80\x00", size: int | None = None) -> bytes:
    """8-bit RGB of one colour; `size` is met by a private ancillary chunk, which decoders skip."""
    if width * height > MOST_PIXELS:
        raise ValueError(f"{width} × {height} is more than {MOST_PIXELS} pixels")
    packer = zlib.compressobj(9)
    row = b"\0" + color * width
    rows = b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()])
    head = b"\x89PNG\r\n\x1a\n" + _png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    tail = _png_chunk(b"IDAT", rows) + _png_chunk(b"IEND", b"")
    least = len(head) + len(tail)
    if size is None or size == least:
        return head + tail
    room = size - least - 12
    if room < 0:
        raise ValueError(f"bytes={size} cannot be met: {least}, or {least + 12} and more, can")
    return head + _png_chunk(b"prVt", b"\0" * room) + tail


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _bounded(estimate: int) -> None:
    if estimate > MOST_BYTES:
        raise ValueError(f"the body would have about {estimate} bytes; the most is {MOST_BYTES}")


def _padded(source: bytes, size: int | None) -> bytes:
    """`source` with a comment behind it, `size` bytes in all."""
    if size is None or size == len(source):
        return source
    room = size - len(source) - len("/**/")
    if room < 0:
        raise ValueError(f"bytes={size} cannot be met: {len(source)}, or {len(source) + 4} and more, can")
    return source + b"/*" + b"-" * room + b"*/"


@dataclass(frozen=True, slots=True)
class Generator:
    """A function from parameters to bytes (`ValueError` says what cannot be), its type and its parameters.

    The parameter `bytes` is the function's `size`.
    """

    make: Callable[..., bytes]
    type: str
    parameters: dict[str, Callable[[str], Any]]


GENERATORS = {
    "html": Generator(html, "text/html", {"tokens": _count, "elements": _count, "text": _size, "lines": _count}),
    "css": Generator(css, "text/css", {"rules": _count, "body": _count, "bytes": _size}),
    "js": Generator(js, "text/javascript", {"block": _block, "bytes": _size}),
    "text": Generator(plain, "text/plain", {"bytes": _size}),
    "image.png": Generator(png, "image/png", {"width": _side, "height": _side, "color": _color, "bytes": _size}),
}


def generator(path: str) -> Generator:
    """The generator of a path under `/gen/`; raises `UserError` when there is none."""
    name = path.removeprefix(PREFIX)
    if name not in GENERATORS:
        raise UserError(Problem(f"unknown generated body {name!r}", path=path, expected=", ".join(GENERATORS)))
    return GENERATORS[name]


def generate(chosen: Generator, given: Sequence[Given]) -> bytes:
    """The body for these parameters. Raises `UserError` with every mistake in them."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for one in given:
        if one.name not in chosen.parameters:
            problems.append(unknown(one, chosen.parameters, "parameter"))
        elif _keyword(one.name) in values:
            problems.append(one.problem(f"{one.name} is given twice"))
        else:
            try:
                values[_keyword(one.name)] = chosen.parameters[one.name](one.value)
            except ValueError as error:
                problems.append(one.problem(f"malformed {one.name}: {error}"))
    if problems:
        raise UserError(problems)
    try:
        return _made(chosen.make, tuple(values.items()))
    except ValueError as error:
        raise UserError(Problem(str(error), path=given[0].path if given else "")) from None


def _keyword(parameter: str) -> str:
    return "size" if parameter == "bytes" else parameter


@lru_cache(maxsize=16)
def _made(make: Callable[..., bytes], values: tuple[tuple[str, Any], ...]) -> bytes:
    return make(**dict(values))
