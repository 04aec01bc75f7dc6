"""Reads the notation of `docs/expectations.md`: recordings written by hand, short enough for a table cell.

A[10..20]                  a slice on the page's main thread, from 10 to 20 us
A[10]                      an instant;  A[10..]  a slice that was still open;  ~A[10..20]  an async span
A@compositor[10..20]       on another thread;  A[10]<cc>  in another category;  A[10]{n: 3}  with arguments
!opened[30]                a mark;  /a.css[10..20]{status: 404}  a request;  =reads{total: 3}  a step's value
plain: …; tracking: …      the recordings of two arms;  … / …  of two blocks;  none  no events at all
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec
import yaml

from harness.expect import Recording
from harness.scenario.model import MAIN
from harness.trace import from_events
from harness.trace.context import FrameIdentity, LogEntry, Mark, PageIdentity, RecordingContext
from tests import traces

THREADS = {  # name in the notation: pid, tid, thread name
    "main": (100, 100, "CrRendererMain"),
    "compositor": (100, 101, "Compositor"),
    "io": (100, 102, "Chrome_ChildIOThread"),
    "pool": (100, 103, "ThreadPoolForegroundWorker"),
    "worker": (100, 104, "DedicatedWorker thread"),
    "other": (200, 200, "CrRendererMain"),
    "browser": (1, 1, "CrBrowserMain"),
}
PROCESSES = {100: "Renderer", 200: "Renderer", 1: "Browser"}
_HEAD = re.compile(r"(?P<kind>[~!=]?)(?P<name>/?[\w.:?=/-]*?)(?:@(?P<thread>\w+))?(?=[\[{]|$)")
_WHEN = re.compile(r"\[(?P<start>\d+(?:\.\d+)?)(?P<span>\.\.(?P<end>\d+(?:\.\d+)?)?)?\]")
_CATEGORY = re.compile(r"<(?P<category>[^>]*)>")
_WRITTEN = re.compile(r"\^(?P<place>\d+)")


@dataclass
class _Made:
    events: list[dict[str, Any]] = field(default_factory=list)
    context: RecordingContext = field(default_factory=RecordingContext)


def read(text: str) -> dict[str, list[Recording]]:
    """The recordings of each arm, one for each block."""
    recordings: dict[str, list[Recording]] = {}
    for part in text.split(";"):
        arm, colon, rest = part.partition(": ")
        name, blocks = (arm.strip(), rest) if colon and re.fullmatch(r"\s*(plain|tracking)", arm) else (MAIN, part)
        recordings[name] = [_recording(name, n, block) for n, block in enumerate(blocks.split(" / "))]
    return recordings


def _recording(arm: str, block: int, text: str) -> Recording:
    made = _Made(_names())
    page = PageIdentity([FrameIdentity(100, 100)])
    made.context = RecordingContext(arm=arm, block=block, page=page, build="156.0.8078.108")
    for token in _tokens(text.strip()):
        _add(token, made)
    return Recording(from_events(made.events), made.context)


def _names() -> list[dict[str, Any]]:
    threads = [
        traces.event("thread_name", "M", None, pid=pid, tid=tid, args={"name": name})
        for pid, tid, name in THREADS.values()
    ]
    return threads + [
        traces.event("process_name", "M", None, pid=pid, args={"name": name}) for pid, name in PROCESSES.items()
    ]


def _tokens(text: str) -> list[str]:
    """Split at spaces outside braces."""
    if text == "none":
        return []
    tokens, depth = [""], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if letter == " " and not depth:
            tokens.append("")
        else:
            tokens[-1] += letter
    return [token for token in tokens if token]


def _add(token: str, made: _Made) -> None:
    head = _HEAD.match(token)
    assert head and (head["name"]), f"{token!r} is not in the notation"
    rest = token[head.end() :]
    when = _WHEN.match(rest)
    rest = rest[when.end() :] if when else rest
    category = _CATEGORY.match(rest)
    rest = rest[category.end() :] if category else rest
    written = _WRITTEN.match(rest)
    rest = rest[written.end() :] if written else rest
    args = yaml.safe_load(rest) if rest else {}
    name, start = head["name"], float(when["start"]) if when else 0.0
    end = float(when["end"]) if when and when["end"] else None
    if head["kind"] == "=":
        made.context.values[name] = args
    elif head["kind"] == "!":
        made.context.marks.append(Mark(name, start))
    elif name.startswith("/"):
        entry = {"method": "GET", "host": "a.test", "path": name, "request_us": start, "end_us": end or 0, **args}
        made.context.log.append(msgspec.convert(entry, LogEntry))
    else:
        pid, tid, _ = THREADS[head["thread"] or "main"]
        where = {"pid": pid, "tid": tid, "cat": category["category"] if category else traces.TIMELINE}
        where |= {"traceproof_written": int(written["place"])} if written else {}
        made.events += _events(
            head["kind"], name, start, end, bool(when and when["span"]), args, where, len(made.events)
        )


def _events(
    kind: str, name: str, start: float, end: float | None, span: bool, args: Any, where: dict[str, Any], number: int
) -> list[dict[str, Any]]:
    if kind == "~":
        begun = traces.async_begin(name, ts=start, id=f"0x{number:x}", args=args, **where)
        return [begun] + ([traces.async_end(name, ts=end, id=f"0x{number:x}", **where)] if end is not None else [])
    if not span:
        return [traces.instant(name, ts=start, args=args, **where)]
    if end is None:
        return [traces.begin(name, ts=start, args=args, **where)]
    return [traces.slice(name, ts=start, dur=end - start, args=args, **where)]
