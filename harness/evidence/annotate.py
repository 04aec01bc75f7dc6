"""Step marks and findings written into a recording, for people who look at it in DevTools or Perfetto.

They take the form of `performance.measure` and `performance.mark` with DevTools' own detail for custom tracks
(https://developer.chrome.com/docs/devtools/performance/extension): DevTools draws a track for each expectation and a
line for each step mark, Perfetto draws the same events as asynchronous tracks of the page's process.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness.errors import Problem, UsageError
from harness.events import Finding
from harness.evidence.drawing import Role
from harness.evidence.frames_named import name_frames
from harness.evidence.selected import Chosen, Looked
from harness.expect import Recording
from harness.store import with_metadata
from harness.trace.context import PageIdentity
from harness.trace.packed import read_bytes

GROUP = "traceproof"
_CATEGORY = "blink.user_timing"
_COLORS: dict[Role, str] = {"selected": "primary", "control": "tertiary", "missed": "error"}


def notes_of(recording: Recording, looked: Looked, findings: Mapping[int, Finding]) -> Iterator[dict[str, Any]]:
    """Trace events: a marker for each step mark, the time between marks, and each event that was looked at.

    findings: by the index of their expectation. No note has the name of an event alone: DevTools goes by names, and
    would take it for another such event.
    """
    page = recording.context.page.main if recording.context.page else None
    thread = (page.pid, page.tid) if page else next(iter(recording.trace.threads), (1, 1))
    base = {"cat": _CATEGORY, "pid": thread[0], "tid": thread[1]}
    number = 0
    for event in (*_steps(recording), *(one for chosen in looked.chosen for one in _found(chosen, findings))):
        number += 1
        name, begin, end, detail = event
        text = json.dumps({"devtools": detail})
        if detail["dataType"] == "marker":
            yield {**base, "ph": "R", "name": name, "ts": begin, "args": {"data": {"detail": text}}}
            continue
        pair = {**base, "name": name, "id2": {"local": f"0x7ace{number:x}"}}
        yield {**pair, "ph": "b", "ts": begin, "args": {"detail": text}}
        yield {**pair, "ph": "e", "ts": max(end, begin + 1), "args": {}}


_Note = tuple[str, float, float, dict[str, Any]]  # name, begin, end, DevTools' detail


def _steps(recording: Recording) -> Iterator[_Note]:
    marks = recording.context.marks
    for mark in marks:
        yield f"mark: {mark.name}", mark.ts_us, mark.ts_us, {"dataType": "marker", "color": "secondary"}
    for mark, following in pairwise(marks):
        yield f"{mark.name}..{following.name}", mark.ts_us, following.ts_us, _entry("step marks", "secondary", {})


def _found(chosen: Chosen, findings: Mapping[int, Finding]) -> Iterator[_Note]:
    finding = findings.get(chosen.finding)
    track = f"expectation {chosen.finding + 1}" + (f": {finding.outcome}" if finding else "")
    for place, item in enumerate(chosen.items):
        told = {"role": chosen.role, "selection": chosen.label}
        if chosen.notes:
            told["note"] = chosen.notes[place]
        if finding:
            told |= {"found": finding.summary, "expectation": finding.place}
        name = f"{chosen.label or chosen.role}: {item.name}"
        end = item.ts if item.open else item.end
        yield name, item.ts, end, _entry(track, _COLORS[chosen.role], told)


def _entry(track: str, color: str, told: Mapping[str, str]) -> dict[str, Any]:
    properties = [[key, value] for key, value in told.items() if value]
    return {"dataType": "track-entry", "track": track, "trackGroup": GROUP, "color": color, "properties": properties}


def write_annotated(
    source: Path, events: list[dict[str, Any]], metadata: Mapping[str, Any], page: PageIdentity | None = None
) -> bytes:
    """The recording with these events and metadata beside its own (`with_metadata`), gzipped.

    Its own events stay byte for byte, but that with a `page` TracingStartedInBrowser is there and names its frames,
    without which DevTools shows no such track, or opens no such file.

    `UsageError` for a recording that is not JSON, `TraceFileError` for none.
    """
    data = read_bytes(source).removeprefix(BOM_UTF8)
    if data.lstrip()[:1] not in (b"{", b"["):
        remedy = "record with cdp-browser or cdp-page, make JSON of it with `traceproof store export --scrub`, "
        remedy += "or look at the picture that `traceproof draw` makes"
        raise UsageError(
            Problem("is Perfetto's protobuf; notes are written into JSON", file=str(source), remedy=remedy)
        )
    whole = data.lstrip()[:1] == b"{"
    return with_metadata(name_frames(data, page) if whole and page else data, metadata, events)
