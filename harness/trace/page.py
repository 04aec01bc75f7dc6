"""Which process and thread is the page under test.

A recording that traceproof made carries the answer in its context (a mark with a nonce told it). Any other trace has to
tell by itself, and no single event of Chrome's bookkeeping can be trusted to: TracingStartedInBrowser is absent without
a page-level session and names a process that wrote nothing in a trace of 74; FrameCommittedInBrowser needs a category
that is off by default; navigationStart is dated back to before its process existed. So every event that names a frame
is a sighting, and the sightings of the main frame are put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext
from harness.trace.event import Event
from harness.trace.model import Trace

_ANCHORS = ("TracingStartedInBrowser", "TracingStartedInPage")
SIGHTINGS = (*_ANCHORS, "FrameCommittedInBrowser", "ProcessReadyInBrowser", "CommitLoad", "navigationStart")
_INTERNAL = ("chrome:", "chrome-untrusted:", "chrome-extension:", "devtools:", "about:", "chrome-error:")
UNKNOWN = "nothing in the trace names the page"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One event says that a frame lives in a process. main: whether it is a page's main frame, None if not said."""

    ts: float
    source: str
    frame: str
    pid: int
    tid: int = 0
    url: str = ""
    parent: str = ""
    main: bool | None = None


def resolve_page(trace: Trace, context: RecordingContext | None = None) -> PageIdentity:
    """The page under test: from the context where it knows, else from the trace; `how` says which events told.

    Where nothing tells, the only renderer with a main thread is taken; with several, `frames` is empty.
    """
    if context is not None and context.page is not None and context.page.frames:
        return context.page
    seen = sorted(_sightings(trace), key=lambda sighting: sighting.ts)
    main = _main_frame(seen)
    return _identity(trace, seen, main) if main else _only_renderer(trace)


def _sightings(trace: Trace) -> Iterator[Sighting]:
    """All sightings in processes that wrote events."""
    for name in SIGHTINGS:
        for event in trace.by_name(name):
            for sighting in _read(event):
                if sighting.frame and sighting.pid in trace.last_ts_by_process:
                    yield sighting


def _read(event: Event) -> Iterator[Sighting]:
    data = event.args.get("data")
    data = data if isinstance(data, dict) else {}
    if event.name in ("CommitLoad", "navigationStart"):
        frame = str(event.args.get("frame") or data.get("frame") or "")
        url = str(data.get("url") or data.get("documentLoaderURL") or "")
        main = _flag(data, "isOutermostMainFrame", "isMainFrame", "isLoadingMainFrame")
        page = str(data.get("page") or "")
        parent = page if main is False and page != frame else ""
        yield Sighting(event.ts, event.name, frame, event.pid, event.tid, url, parent, main)
    elif event.name == "TracingStartedInPage":
        page = str(data.get("page", ""))
        url = next((str(frame.get("url", "")) for frame in _frames(data) if frame.get("frame") == page), "")
        yield Sighting(event.ts, event.name, page, event.pid, event.tid, url, main=True)
    else:
        told = _frames(data) if event.name == "TracingStartedInBrowser" else [data]
        yield from (_of_browser(event, each) for each in told if isinstance(each.get("processId"), int))


def _frames(data: dict[str, Any]) -> list[dict[str, Any]]:
    frames = data.get("frames")
    return [frame for frame in frames if isinstance(frame, dict)] if isinstance(frames, list) else []


def _of_browser(event: Event, frame: dict[str, Any]) -> Sighting:
    parent = str(frame.get("parent") or "")
    main = None if event.name == "ProcessReadyInBrowser" else not parent
    if _flag(frame, "isInPrimaryMainFrame", "isOutermostMainFrame") is False:
        main = False
    name, pid, url = str(frame.get("frame", "")), int(frame["processId"]), str(frame.get("url", ""))
    return Sighting(event.ts, event.name, name, pid, 0, url, parent, main)


def _flag(data: dict[str, Any], *names: str) -> bool | None:
    """The first of these flags that is there; the later ones are what older versions wrote."""
    return next((value for name in names if isinstance(value := data.get(name), bool)), None)


def _main_frame(seen: list[Sighting]) -> str:
    """The main frame that a page-level session was started on, else the one that a web page was loaded into last."""
    anchored = [sighting.frame for sighting in seen if sighting.source in _ANCHORS and sighting.main]
    if anchored:
        return anchored[0]
    # A page-level session whose TracingStartedInBrowser names a process that is gone still has its commits here.
    mains = [sighting for sighting in seen if sighting.main]
    web = [sighting for sighting in mains if sighting.url and not sighting.url.startswith(_INTERNAL)]
    loaded = [sighting for sighting in web if sighting.source != "navigationStart"]
    candidates = loaded or web or mains
    return candidates[-1].frame if candidates else ""


def _identity(trace: Trace, seen: list[Sighting], main: str) -> PageIdentity:
    mine = [sighting for sighting in seen if sighting.frame == main]
    pids = list(dict.fromkeys(sighting.pid for sighting in mine))
    current = mine[-1].pid
    members = _members(seen, main, set(pids))
    frames = [_frame(trace, [sighting for sighting in seen if sighting.frame == frame]) for frame in members]
    how = ", ".join(dict.fromkeys(sighting.source for sighting in mine))
    return PageIdentity(frames, [pid for pid in pids if pid != current], how)


def _members(seen: list[Sighting], main: str, pids: set[int]) -> list[str]:
    """The main frame and then its descendants. A child whose parent is not told counts when it shares the process."""
    members = {main: None}
    grown = True
    while grown:
        grown = False
        for sighting in seen:
            if sighting.frame not in members and (
                sighting.parent in members or (sighting.main is False and not sighting.parent and sighting.pid in pids)
            ):
                members[sighting.frame] = None
                grown = True
    return list(members)


def _frame(trace: Trace, sightings: list[Sighting]) -> FrameIdentity:
    last = sightings[-1]
    url = next((sighting.url for sighting in reversed(sightings) if sighting.url), "")
    tid = next((sighting.tid for sighting in reversed(sightings) if sighting.tid and sighting.pid == last.pid), 0)
    return FrameIdentity(last.pid, tid or main_thread(trace, last.pid), last.frame, url)


def main_thread(trace: Trace, pid: int) -> int:
    """The tid of a process's main thread; 0 where the trace does not tell."""
    return next((info.tid for info in trace.threads.values() if info.pid == pid and info.role == "main"), 0)


def _only_renderer(trace: Trace) -> PageIdentity:
    renderers = [pid for pid, info in trace.processes.items() if info.role == "renderer" and main_thread(trace, pid)]
    if len(renderers) != 1:
        return PageIdentity(how=UNKNOWN)
    pid = renderers[0]
    return PageIdentity([FrameIdentity(pid, main_thread(trace, pid))], how="the only renderer in the trace")
