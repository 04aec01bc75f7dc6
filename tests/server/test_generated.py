"""Generated bodies are what they say: counted here with parsers that are not ours."""

from __future__ import annotations

import re
import struct
import zlib
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.server.generated import css, html, js, plain, png


class Tokens(HTMLParser):
    """Counts the tokens of a document."""

    def __init__(self, document: bytes) -> None:
        super().__init__(convert_charrefs=False)
        self.count = 0
        self.feed(document.decode())
        self.close()

    def _one(self, *_: object) -> None:
        self.count += 1

    handle_decl = handle_starttag = handle_endtag = handle_data = handle_comment = _one


@given(tokens=st.integers(7, 400), text=st.integers(0, 3), lines=st.integers(1, 50))
def test_html_has_exactly_the_tokens_and_lines(tokens: int, text: int, lines: int) -> None:
    document = html(tokens=tokens, text=text, lines=lines)
    assert Tokens(document).count == tokens
    assert len(document.split(b"\n")) == lines


@given(elements=st.integers(0, 100), text=st.integers(0, 3), lines=st.integers(1, 50))
def test_html_has_exactly_the_elements(elements: int, text: int, lines: int) -> None:
    document = html(elements=elements, text=text, lines=lines)
    assert Tokens(document).count == 7 + (3 if text else 2) * elements
    assert len(re.findall(rb"<p\s*>", document)) == elements


@given(rules=st.integers(0, 30), body=st.integers(0, 10), more=st.integers(4, 200))
def test_css_has_exactly_the_rules_declarations_and_bytes(rules: int, body: int, more: int) -> None:
    sheet = css(rules=rules, body=body)
    assert sheet.count(b"{") == rules
    assert sheet.count(b":") == rules * body
    padded = css(rules=rules, body=body, size=len(sheet) + more)
    assert len(padded) == len(sheet) + more
    assert padded.startswith(sheet)


@pytest.mark.parametrize("size", [0, 4, 5, 1000])
def test_js_and_text_have_exactly_the_bytes(size: int) -> None:
    assert len(js(size=size)) == len(plain(size=size)) == size


@pytest.mark.parametrize(("width", "height"), [(1, 1), (300, 7)])
def test_png_decodes_to_its_colour(width: int, height: int) -> None:
    image = png(width, height, b"\x01\x02\x03", size=2000)
    assert len(image) == 2000
    data, chunks = image[8:], {}
    while data:
        (length,) = struct.unpack(">I", data[:4])
        kind, content = data[4:8], data[8 : 8 + length]
        assert struct.unpack(">I", data[8 + length : 12 + length]) == (zlib.crc32(kind + content),)
        chunks[kind], data = content, data[12 + length :]
    assert struct.unpack(">II", chunks[b"IHDR"][:8]) == (width, height)
    assert zlib.decompress(chunks[b"IDAT"]) == (b"\0" + b"\x01\x02\x03" * width) * height


@pytest.mark.parametrize(
    "make",
    [
        lambda: html(tokens=6),
        lambda: html(tokens=9, elements=1),
        lambda: html(lines=0),
        lambda: html(elements=10_000_000, text=1000),
        lambda: css(rules=10_000_000, body=10_000_000),
        lambda: css(size=3),
        lambda: js(size=1),
        lambda: png(1, 1, size=10),
        lambda: png(65535, 65535),
    ],
)
def test_what_cannot_be_is_refused(make: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        make()  # type: ignore[operator]
