"""TracingStartedInBrowser made whole, for a copy of a recording that DevTools is to open.

DevTools takes a file without the event for the trace of any program: it shows processes and threads, and neither the
page's main thread nor custom tracks. The browser writes it for one category only, and for a session that is not the
page's without the frames; then DevTools refuses the file. The frames are those that the recording's context knows, by
the names of DevTools' own recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from harness.trace.context import PageIdentity
from harness.trace.event import NOTHING, WireId, decode_args

_EVENT: Final = "TracingStartedInBrowser"
_BROWSER: Final = b"CrBrowserMain"


class _Told(msgspec.Struct):
    """As much of an event as is asked for here. Text stays bytes: that of old traces is not always UTF-8."""

    name: msgspec.Raw = msgspec.Raw(b'""')
    ts: float = 0
    pid: WireId = 0
    tid: WireId = 0
    args: msgspec.Raw = NOTHING


def name_frames(data: bytes, page: PageIdentity) -> bytes:
    """The JSON object of a trace with the page's frames in each such event that has none, and with such an event where
    there is none; no other event changes.

    `msgspec.MsgspecError` when it is not JSON.
    """
    if page.main is None:
        return data
    parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    events = msgspec.json.decode(parts["traceEvents"], type=list[msgspec.Raw])
    starts = [place for place, raw in enumerate(events) if _EVENT.encode() in bytes(raw) and _is(_told(raw), _EVENT)]
    incomplete = [place for place in starts if not decode_args(_told(events[place]).args).get("data")]
    if starts and not incomplete:
        return data
    named = {"data": {"frames": _frames(page), "persistentIds": True}}
    for place in incomplete:
        events[place] = msgspec.Raw(msgspec.json.encode({**msgspec.json.decode(events[place]), "args": named}))
    if not starts:
        events.append(msgspec.Raw(msgspec.json.encode({**_start(events, page), "args": named})))
    parts["traceEvents"] = msgspec.Raw(b"[" + b",\n".join(bytes(event) for event in events) + b"]")
    return msgspec.json.encode(parts)


def _told(raw: msgspec.Raw) -> _Told:
    return msgspec.json.decode(raw, type=_Told)


def _is(one: _Told, name: str) -> bool:
    return bytes(one.name) == f'"{name}"'.encode()


def _start(events: Sequence[msgspec.Raw], page: PageIdentity) -> dict[str, Any]:
    """Before every other event, since for DevTools the recording begins with it; in the browser's process, if it is
    known."""
    assert page.main is not None
    told = (_told(raw) for raw in events if _BROWSER in bytes(raw))
    pid, tid = next(((one.pid, one.tid) for one in told if _is(one, "thread_name")), (page.main.pid, page.main.tid))
    began = min((ts for raw in events if (ts := _told(raw).ts) > 0), default=0)
    category = "disabled-by-default-devtools.timeline"
    return {"name": _EVENT, "cat": category, "ph": "I", "s": "t", "ts": began, "pid": pid, "tid": tid}


def _frames(page: PageIdentity) -> list[dict[str, Any]]:
    """The main frame in the process that showed it first, its child frames below it."""
    main, *children = page.frames
    top: dict[str, Any] = {"frame": main.frame_id, "url": main.url, "name": ""}
    top["processId"] = page.earlier_pids[0] if page.earlier_pids else main.pid
    top |= {"isOutermostMainFrame": True, "isInPrimaryMainFrame": True}
    below = [
        {"frame": one.frame_id, "url": one.url, "name": "", "processId": one.pid, "parent": main.frame_id}
        for one in children
    ]
    return [top, *below]
