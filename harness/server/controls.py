"""What a URL or a sidecar file may ask of the fixture server, parsed into one typed `Behaviour`.

Both sources give names and text; the same parsers read both, so a control means the same wherever it stands. Nothing
here knows of sockets or of a protocol. A mistake never falls back to a default: it is a `UserError` that names the
valid controls, because a typo that is ignored would change an experiment without a word.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from harness.errors import Problem, UserError
from harness.units import duration_us, size_bytes
from harness.wording import did_you_mean

Length = Literal["on", "off", "close"]
IGNORED_PREFIXES = ("x-", "q")  # query parameters of the page itself
ENCODINGS = ("gzip", "br", "zstd")
REDIRECTS = (301, 302, 303, 307, 308)
BODILESS = (204, 205, 304)

# Headers that other controls own: two ways to set one thing would contradict each other in silence.
OWNED_HEADERS = {
    "content-length": "length",
    "transfer-encoding": "length",
    "connection": "length=close",
    "content-type": "type",
    "content-encoding": "encoding",
    "location": "redirect",
}

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NAME = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class HoldAt:
    """The body stops before byte `at` (from 0) until `name` is released."""

    at: int
    name: str


@dataclass(frozen=True, slots=True)
class Abort:
    """The connection ends after `at` bytes of the body, `None`: before the head. `reset`: by RST instead of FIN."""

    at: int | None
    reset: bool


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How one response is given; the defaults are those of a plain file server. Times in microseconds, sizes in bytes
    of the body as sent (after `charset` and `encoding`)."""

    early_hints: str = ""
    hold: str = ""
    delay_us: float = 0
    lead_us: float = 0
    chunks: int = 0
    chunk_size: int = 0
    pause_us: float = 0
    tail_us: float = 0
    hold_at: tuple[HoldAt, ...] = ()
    abort_at: Abort | None = None
    status: int | None = None
    redirect: str = ""
    length: Length | None = None
    type: str = ""
    charset: str = ""
    cache: str = ""
    encoding: str = ""
    push: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    headers_304: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """A control as it was written, with its place: a URL, or a line of a sidecar file."""

    name: str
    value: str
    path: str
    file: str = ""
    line: int = 0
    column: int = 0

    def problem(self, message: str, expected: str = "", remedy: str = "") -> Problem:
        found = f"{self.name}={self.value}"
        return Problem(message, self.file, self.line, self.column, self.path, expected, found, remedy)


def _duration(text: str) -> float:
    if (value := duration_us(text)) < 0:
        raise ValueError(f"{text!r} is negative")
    return value


def parse_size(text: str, least: int = 0) -> int:
    """`"1000"` or `"64KiB"` → bytes; `ValueError` below `least`."""
    value = int(text) if text.isascii() and text.isdigit() else size_bytes(text)
    if value < least:
        raise ValueError(f"{text!r} is less than {least}")
    return value


def parse_count(text: str, least: int = 0, most: int | None = None) -> int:
    """A whole number in decimal digits; `ValueError` outside `least`..`most`."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is not a whole number")
    value = int(text)
    if value < least or (most is not None and value > most):
        raise ValueError(f"{text!r} is not in {least}..{most if most is not None else ''}")
    return value


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not a name of letters, digits, '_', '-' and '.'")
    return text


def _hold_at(text: str) -> HoldAt:
    at, colon, name = text.partition(":")
    if not colon:
        raise ValueError(f"{text!r} is not BYTES:name, such as 1000:rest")
    return HoldAt(parse_size(at), _name(name))


def _abort(text: str) -> Abort:
    at, colon, how = text.partition(":")
    if colon and how != "reset":
        raise ValueError(f"{how!r} is not 'reset'")
    return Abort(None if at == "head" else parse_size(at), bool(colon))


def _status(text: str) -> int:
    return parse_count(text, 200, 599)


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text!r} is not one of {', '.join(words)}")
        return text

    return parse


def _field_value(text: str) -> str:
    if not text or text != text.strip() or not all(0x20 <= ord(char) <= 0xFF and char != "\x7f" for char in text):
        raise ValueError(f"{text!r} cannot be the value of a header")
    return text


def _redirect(text: str) -> str:
    try:
        urlsplit(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a URL: {error}") from None
    return _field_value(text)


def _push(text: str) -> str:
    if not text.startswith("/"):
        raise ValueError(f"{text!r} is not a path of this server, such as /gen/css")
    return _field_value(text)


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not _TOKEN.fullmatch(name):
        raise ValueError(f"{text!r} is not Name:Value")
    if owner := OWNED_HEADERS.get(name.lower()):
        raise ValueError(f"{name} is set by the control {owner}")
    return name, _field_value(value.strip())


def _charset(text: str) -> str:
    try:
        codecs.lookup(text)
        "".encode(text)  # refuses codecs that do not make bytes from text, such as rot13
    except (LookupError, UnicodeError):
        raise ValueError(f"{text!r} is not a character encoding that Python knows") from None
    return text


def _cache(text: str) -> str:
    if text in ("no-store", "etag") or re.fullmatch(r"max-age=\d{1,9}", text):
        return text
    raise ValueError(f"{text!r} is not one of no-store, max-age=SECONDS, etag")


@dataclass(frozen=True, slots=True)
class Control:
    """The field of `Behaviour` that a control fills, and its parser (`ValueError` says what is wrong)."""

    field: str
    parse: Callable[[str], Any]
    repeatable: bool = False


CONTROLS: dict[str, Control] = {
    "early_hints": Control("early_hints", _field_value),
    "hold": Control("hold", _name),
    "delay": Control("delay_us", _duration),
    "lead": Control("lead_us", _duration),
    "chunks": Control("chunks", lambda text: parse_count(text, least=1)),
    "chunk_size": Control("chunk_size", lambda text: parse_size(text, least=1)),
    "pause": Control("pause_us", _duration),
    "tail": Control("tail_us", _duration),
    "hold_at": Control("hold_at", _hold_at, repeatable=True),
    "abort_at": Control("abort_at", _abort),
    "status": Control("status", _status),
    "redirect": Control("redirect", _redirect),
    "length": Control("length", _one_of("on", "off", "close")),
    "type": Control("type", _field_value),
    "charset": Control("charset", _charset),
    "cache": Control("cache", _cache),
    "encoding": Control("encoding", _one_of(*ENCODINGS)),
    "push": Control("push", _push, repeatable=True),
    "header": Control("headers", _header, repeatable=True),
    "header304": Control("headers_304", _header, repeatable=True),
}
_BODY_CONTROLS = ("lead", "chunks", "chunk_size", "pause", "tail", "hold_at", "length", "type", "charset", "encoding")


def unknown(given: Given, valid: Iterable[str], noun: str = "control") -> Problem:
    """The problem of a name that is none of `valid`."""
    names = list(valid)
    own = f"parameters of the page itself begin with {' or '.join(IGNORED_PREFIXES)}"
    near = did_you_mean(given.name, names)
    remedy = f"{near} {own[0].upper()}{own[1:]}" if near else own
    return given.problem(f"unknown {noun} {given.name!r}", expected=", ".join(names), remedy=remedy)


def layered(*layers: Sequence[Given]) -> list[Given]:
    """All controls of the layers; a later layer replaces every use of the names that it gives."""
    result: list[Given] = []
    for layer in layers:
        names = {given.name for given in layer}
        result = [given for given in result if given.name not in names] + list(layer)
    return result


def parse(controls: Sequence[Given]) -> Behaviour:
    """The behaviour that the controls ask for. Raises `UserError` with every mistake in them."""
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    by_name: dict[str, Given] = {}
    for given in controls:
        control = CONTROLS.get(given.name)
        if control is None:
            problems.append(unknown(given, CONTROLS))
            continue
        if given.name in by_name and not control.repeatable:
            problems.append(given.problem(f"{given.name} is given twice"))
            continue
        by_name[given.name] = given
        try:
            value = control.parse(given.value)
        except ValueError as error:
            problems.append(given.problem(f"malformed {given.name}: {error}"))
            continue
        values[control.field] = (*values.get(control.field, ()), value) if control.repeatable else value
    if not problems:
        problems = _contradictions(behaviour := replace(Behaviour(), **values), by_name)
    if problems:
        raise UserError(problems)
    return behaviour


def _contradictions(behaviour: Behaviour, given: dict[str, Given]) -> list[Problem]:
    """Controls that cannot hold together or would have no effect."""
    problems = []

    def refuse(name: str, message: str, remedy: str = "") -> None:
        problems.append(given[name].problem(message, remedy=remedy))

    if "chunks" in given and "chunk_size" in given:
        refuse("chunk_size", "chunks and chunk_size contradict each other", "keep one of them")
    if "pause" in given and not given.keys() & {"chunks", "chunk_size"}:
        refuse("pause", "pause has nothing to stand between", "add chunks=N or chunk_size=BYTES")
    if "tail" in given and behaviour.length == "on":
        refuse("tail", "a body with a Content-Length ends with its last byte, so tail has no effect", "drop length=on")
    if "redirect" in given and behaviour.status not in (None, *REDIRECTS):
        refuse("status", "redirect needs a status that redirects", f"one of {', '.join(map(str, REDIRECTS))}")
    if "abort_at" in given and behaviour.length == "close" and not (behaviour.abort_at and behaviour.abort_at.reset):
        refuse("abort_at", "without a length a closed connection is an ordinary end", "write abort_at=BYTES:reset")
    if "redirect" in given or behaviour.status in BODILESS:
        what = "redirect" if "redirect" in given else f"status={behaviour.status}"
        for name in _BODY_CONTROLS:
            if name in given:
                refuse(name, f"{name} needs a body, and {what} has none")
        if behaviour.abort_at and behaviour.abort_at.at is not None:
            refuse("abort_at", f"{what} has no body that could be cut", "write abort_at=head")
    if "cache" in given and any(name.lower() in ("cache-control", "etag") for name, _ in behaviour.headers):
        refuse("cache", "cache and header both set Cache-Control or ETag", "keep one of them")
    return problems
