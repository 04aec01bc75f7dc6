"""From a request to its reply: which body, which controls, which head. Independent of the protocol and of time."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import brotli
import zstandard

from harness.errors import Problem, UserError
from harness.server import controls, generated
from harness.server.controls import IGNORED_PREFIXES, Behaviour, Given
from harness.server.reply import Reply, Request, framing, misfits, script
from harness.server.roots import Refusal, Roots, content_type

FAVICON = "/favicon.ico"


def served_host(host: str) -> bool:
    """Loopback names and the reserved `.test` domain: a page elsewhere that points its name here gets nothing."""
    name = host.rsplit(":", 1)[0].lower().rstrip(".")
    return name in ("127.0.0.1", "localhost") or name.endswith((".localhost", ".test"))


def resolve(request: Request, roots: Roots) -> tuple[Reply, tuple[Problem, ...]]:
    """The reply, and the mistakes that make it an error instead of what was wanted."""
    try:
        return _resolve(request, roots), ()
    except UserError as error:
        status = error.status if isinstance(error, Refusal) else 400
        return failure(request.method, status, str(error)), error.problems
    except OSError as error:
        problem = Problem(f"the fixture cannot be read: {error}", path=request.target)
        return failure(request.method, 500, str(problem)), (problem,)


def failure(method: str, status: int, message: str) -> Reply:
    """A plain-text reply with an error status."""
    return _reply(method, status, [("Content-Type", "text/plain; charset=utf-8")], f"{message}\n".encode(), Behaviour())


def query(target: str) -> list[Given]:
    """The controls of a request target. `+` stays a plus sign; the page's own parameters are left out."""
    _, _, text = target.partition("?")
    pairs = (pair.partition("=") for pair in text.split("&") if pair)
    given = [Given(unquote(name), unquote(value), target) for name, _, value in pairs]
    return [one for one in given if not one.name.startswith(IGNORED_PREFIXES)]


def _resolve(request: Request, roots: Roots) -> Reply:
    if not served_host(request.host):
        remedy = "use 127.0.0.1, localhost, or a name below .localhost or .test"
        raise Refusal(421, Problem(f"unknown host {request.host!r}", path=request.target, remedy=remedy))
    path = request.target.partition("?")[0]
    if path == FAVICON and not roots.find(path):
        return _reply(request.method, 204, [], b"", Behaviour())
    given = query(request.target)
    source: bytes | None
    if path.startswith(generated.PREFIX):
        chosen = generated.generator(path)
        own = [one for one in given if one.name in chosen.parameters]
        given = [one for one in given if one.name not in chosen.parameters]
        behaviour = _parse(given, [*controls.CONTROLS, *chosen.parameters])
        source, kind = generated.generate(chosen, own), chosen.type
    else:
        file = roots.find(path)
        given = controls.layered(roots.controls(path), given)
        behaviour = _parse(given, list(controls.CONTROLS))
        source, kind = (file.read_bytes() if file else None), content_type(path)
    if source is None:
        if behaviour.status is None and not behaviour.redirect:
            remedy = "for a missing file on purpose write status=404"
            raise Refusal(404, Problem("no such fixture", path=path, remedy=remedy))
        source = b""
    return _answer(request, behaviour, given, source, kind)


def _parse(given: Sequence[Given], valid: Sequence[str]) -> Behaviour:
    """As `controls.parse`; an unknown name is shown with all that are valid at this path."""
    if strangers := [one for one in given if one.name not in controls.CONTROLS]:
        raise UserError([controls.unknown(one, valid) for one in strangers])
    return controls.parse(given)


def _answer(request: Request, behaviour: Behaviour, given: Sequence[Given], source: bytes, kind: str) -> Reply:
    headers: list[tuple[str, str]] = []
    if behaviour.redirect:
        location = _location(behaviour.redirect, request.host)
        headers = [("Location", location), *_cache(behaviour, b""), *behaviour.headers]
        return _reply(request.method, behaviour.status or 302, headers, b"", behaviour)
    status = behaviour.status or 200
    body = _encoded(behaviour, given, source)
    headers = [*_cache(behaviour, body), *behaviour.headers]
    etags = [value for name, value in headers if name == "ETag"]
    if status == 200 and etags and etags[0] in request.headers.get("if-none-match", ""):
        headers = [*headers, *behaviour.headers_304]
        return _reply(request.method, 304, headers, b"", Behaviour(hold=behaviour.hold, delay_us=behaviour.delay_us))
    if behaviour.encoding:
        headers.insert(0, ("Content-Encoding", behaviour.encoding))
    if status not in controls.BODILESS:
        headers.insert(0, ("Content-Type", behaviour.type or _declared(kind, behaviour.charset)))
        if wrong := misfits(behaviour, len(body)):
            by_name = {one.name: one for one in given}
            raise UserError([by_name[name].problem(message) for name, message in wrong])
    return _reply(request.method, status, headers, body, behaviour)


def _reply(method: str, status: int, headers: list[tuple[str, str]], body: bytes, behaviour: Behaviour) -> Reply:
    bodiless = status in controls.BODILESS
    sends_body = not bodiless and method != "HEAD"
    actions = script(behaviour, len(body), sends_body=sends_body)
    return Reply(status, tuple(headers), body, actions, "" if bodiless else framing(behaviour, len(body)), sends_body)


def _location(url: str, host: str) -> str:
    """A served host without a port gets the port of the request: a file beside a fixture cannot know it."""
    parts = urlsplit(url)
    if parts.scheme in ("", "http") and parts.netloc and ":" not in parts.netloc and served_host(parts.netloc):
        _, colon, port = host.rpartition(":")
        url = urlunsplit(parts._replace(netloc=f"{parts.netloc}{colon}{port if colon else ''}"))
    return quote(url, safe="%/:?#[]@!$&'()*+,;=-._~", encoding="latin-1")


def _encoded(behaviour: Behaviour, given: Sequence[Given], source: bytes) -> bytes:
    """Transcoded, then compressed; compression is deterministic, so that sizes repeat."""
    if behaviour.charset:
        try:
            source = source.decode("utf-8").encode(behaviour.charset)
        except UnicodeError as error:
            control = next(one for one in given if one.name == "charset")
            raise UserError(control.problem(f"the file cannot be transcoded: {error}")) from None
    match behaviour.encoding:
        case "gzip":
            return gzip.compress(source, 9, mtime=0)
        case "br":
            return bytes(brotli.compress(source))
        case "zstd":
            return zstandard.ZstdCompressor(level=19).compress(source)
    return source


def _declared(kind: str, charset: str) -> str:
    return f"{kind}; charset={charset or 'utf-8'}" if charset or kind.startswith("text/") else kind


def _cache(behaviour: Behaviour, body: bytes) -> list[tuple[str, str]]:
    """`etag`: kept by the client and asked for again each time."""
    if behaviour.cache == "etag":
        tag = hashlib.sha256(body).hexdigest()[:16]
        return [("Cache-Control", "no-cache"), ("ETag", f'"{tag}"')]
    return [("Cache-Control", behaviour.cache)] if behaviour.cache else []
