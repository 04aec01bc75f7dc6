"""A recording that can be given to strangers: the page's own processes, and nothing that tells whose machine it was.

Out go: every other process, all metadata of the trace but a few known keys, absolute paths and file URLs, the names of
user and host, cookies and other credentials in headers, URLs and text. What is left is judged as before by expectations
that look at the page only.
"""

from __future__ import annotations

import getpass
import gzip
import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import orjson

from harness.errors import Problem, StoreError, UsageError
from harness.paths import data_root
from harness.store.manifest import Manifest
from harness.store.metadata import devtools_metadata
from harness.trace import load, resolve_page
from harness.trace.context import RecordingContext
from harness.trace.event import WireEvent
from harness.trace.reader import read

_METADATA = ("clock-domain", "os-name", "product-version", "revision", "v8-version", "user-agent")
# Names of accounts that say nothing of a person; as words they stand in traces of their own right.
_NOBODY = {"root", "user", "nobody", "admin", "runner", "ubuntu", "debian", "localhost", ""}
_PLACES = "home|root|Users|tmp|var|usr|opt|etc|private|mnt|media|snap|run|srv|proc|sys|dev|nix|Applications|Library"
_REST = r"[^\s\"'\\<>|:;,()\]]*"
_SECRET = r"(?:access_?|auth_?|id_?|refresh_?|csrf_?|xsrf_?)?token|api_?key|auth|sid|session_?(?:id)?|sig|signature|"
_SECRET += r"passwd|password|pwd|secret|client_secret|jwt"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"file://{_REST}"), "file://<path>"),
    (re.compile(rf"(?<![\w.:/~*-])/(?:{_PLACES})/{_REST}"), "<path>"),
    (re.compile(r"(?<![A-Za-z])[A-Za-z]:(?:\\\\|/)(?:Users|Windows|Program)[^\s\"<>|;,]*"), "<path>"),
    (re.compile(r"://[^/\s\"@]+@"), "://"),
    (re.compile(rf"([?&;#](?:{_SECRET})=)[^&#;\s\"\\]+", re.IGNORECASE), r"\1<removed>"),
    (re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE), r"\1 <removed>"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]*"), "<removed>"),  # a JSON web token
    (re.compile(r"\b(?:gh[pousr]_\w{20,}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,})"), "<removed>"),
)
_HEADERS = re.compile(rf"cookie|authori[sz]ation|{_SECRET}|x-.*(?:key|auth)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clean:
    """The three files of a recording. `trace` is gzip."""

    trace: bytes
    context: RecordingContext
    manifest: Manifest


@dataclass(frozen=True)
class Owner:
    """Whose machine it is: what must not be told. Places are absolute paths."""

    places: frozenset[str]
    names: frozenset[str]

    @classmethod
    def here(cls, manifest: Manifest) -> Owner:
        """This user and machine, and the places that the recording's own command line names."""
        host = socket.gethostname()
        told = [word.partition("=")[2] for word in manifest.command_line if "dir=" in word]
        binary = str(Path(manifest.build.path).parent) if manifest.build.path else ""
        places = {str(Path.home()), str(Path.cwd()), tempfile.gettempdir(), sys.prefix, str(data_root()), binary, *told}
        names = {_user(), os.environ.get("USER", ""), host, host.partition(".")[0], socket.getfqdn()}
        return cls(
            frozenset(place for place in places if place.count("/") >= 1 and len(place) > 2),
            frozenset(name for name in names if name.lower() not in _NOBODY),
        )

    @cached_property
    def _rules(self) -> list[tuple[re.Pattern[str], str]]:
        longest = sorted(self.places, key=len, reverse=True)
        places = [(re.compile(rf"(?<![\w.]){re.escape(place)}(?![\w-]){_REST}"), "<path>") for place in longest]
        names = [(re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])"), "<name>") for name in sorted(self.names)]
        return [*places, *_RULES, *names]

    def scrub(self, value: Any) -> Any:
        """The same value (as JSON has it) with nothing of the owner in any text."""
        text = orjson.dumps(value).decode()
        for pattern, instead in self._rules:
            text = pattern.sub(instead, text)
        return orjson.loads(text)

    def found_in(self, text: str) -> list[str]:
        """What of the owner a text still tells."""
        places = [place for place in self.places if re.search(rf"(?<![\w.]){re.escape(place)}(?![\w-])", text)]
        names = [name for name in self.names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]
        return sorted([*places, *names])


def scrub(
    trace: Path,
    context: RecordingContext,
    manifest: Manifest,
    *,
    every_process: bool = False,
    owner: Owner | None = None,
) -> Clean:
    """The recording without what is nobody else's business; the hash and size in the manifest are of the new trace.

    every_process: for expectations that look at other processes than the page's. `UsageError` where nothing tells which
    the page's are. `StoreError` when something of the owner would be left after all: nothing is written then.
    """
    owner = owner or Owner.here(manifest)
    page = context.page if context.page and context.page.frames else resolve_page(load(trace), context)
    if not page.frame_pids and not every_process:
        raise UsageError(
            Problem(
                "nothing tells which processes are the page's",
                file=str(trace),
                remedy="keep all with --every-process",
            )
        )
    raw = read(trace)
    kept = [event for event in raw.events if every_process or _of_page(event, page.frame_pids)]
    records = owner.scrub([_record(event) for event in kept])
    known = msgspec.json.decode(raw.metadata)
    own = {key: known[key] for key in _METADATA if key in known}
    metadata = owner.scrub(devtools_metadata(manifest) | own)
    lines = b",\n".join(orjson.dumps(record) for record in records)
    data = b'{"traceEvents":[\n' + lines + b'\n],"metadata":' + orjson.dumps(metadata) + b"}\n"
    for entry in context.log:
        for name in entry.request_headers:
            if _HEADERS.search(name):
                entry.request_headers[name] = "<removed>"
    clean_context = _cleaned(context, owner)
    clean_manifest = _cleaned(manifest, owner)
    for part in (data, msgspec.json.encode(clean_context), msgspec.json.encode(clean_manifest)):
        if left := owner.found_in(part.decode(errors="replace")):
            raise StoreError(f"{trace} could not be scrubbed: it still tells {', '.join(left)}; nothing was written")
    return Clean(gzip.compress(data, mtime=0), clean_context, clean_manifest)


def _of_page(event: WireEvent, pids: Iterable[int]) -> bool:
    """In a process of the page, or a marker of the recording's own edges or losses."""
    try:
        if int(event.file_pid or 0) in set(pids):
            return True
    except ValueError:
        return False
    ours = event.name == "clock_sync" and b"traceproof-" in bytes(event.raw_args)
    return ours or event.name == "trace_buffer_overflowed"


def _record(event: WireEvent) -> dict[str, Any]:
    """The event as Chrome writes it."""
    return dict(_fields(event))


def _fields(event: WireEvent) -> Iterator[tuple[str, Any]]:
    yield from (("name", event.name), ("cat", event.cat), ("ph", event.ph), ("ts", _number(event.ts)))
    yield from (("pid", event.file_pid), ("tid", event.file_tid))
    for key, value in (("dur", event.dur), ("tts", event.tts), ("tdur", event.tdur)):
        if value is not None:
            yield key, _number(value)
    texts = (
        ("s", event.scope),
        ("bp", event.bp),
        ("id", event.file_id),
        ("scope", event.file_scope),
        ("bind_id", event.file_bind_id),
        ("flow_in", event.flow_in),
        ("flow_out", event.flow_out),
        ("traceproof_written", event.written),
    )
    # Not `in (None, False, "")`: an id may be 0.
    yield from ((key, value) for key, value in texts if value is not None and value is not False and value != "")
    if event.file_id2 is not None:
        told = (("local", event.file_id2.local), ("global", event.file_id2.global_))
        yield "id2", {key: value for key, value in told if value is not None}
    yield "args", orjson.loads(bytes(event.raw_args))


def _number(value: float) -> float:
    return int(value) if value.is_integer() else value


def _cleaned(record: Any, owner: Owner) -> Any:
    return msgspec.convert(owner.scrub(msgspec.to_builtins(record)), type(record))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a number without an account
        return ""
