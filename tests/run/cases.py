"""Cases and traces made up for tests of the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.browser import Build
from harness.scenario.model import MAIN, Arm, BrowserSpec, Case, Place, RecordSpec
from harness.trace import Trace, from_events
from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext

AT = Place("some.scenario.yaml", 1, 1, "$")
BUILD = Build("Chromium", "156.0.1.2", 156, Path("/no/such/chromium"), "path", ("headless", "headed"))
PID, TID = 10, 11


def arm(**browser: Any) -> Arm:
    return Arm(MAIN, RecordSpec(("blink",)), BrowserSpec(**browser), None, ())


def case(name: str = "parse-html.one", **fields: Any) -> Case:
    only = replace(arm(), record=fields.pop("record", RecordSpec(("blink",))))
    defaults: dict[str, Any] = {
        "id": name,
        "title": name,
        "cell": "",
        "file": Path("some.scenario.yaml"),
        "at": AT,
        "claims": (f"{name}-claim",),
        "arms": {MAIN: only},
        "select": {},
        "expect": (),
    }
    return Case(**{**defaults, **fields})


def name_of_main(name: str = "CrRendererMain") -> dict[str, Any]:
    return {"name": "thread_name", "ph": "M", "ts": 0, "pid": PID, "tid": TID, "args": {"name": name}}


def trace(*events: dict[str, Any], marked: bool = True, named: bool = True) -> Trace:
    """A trace whose page is process 10, main thread 11."""
    own: list[dict[str, Any]] = [name_of_main()] if named else []
    own += [{"name": "ParseHTML", "ph": "X", "cat": "blink", "ts": 10, "dur": 5, "pid": PID, "tid": TID, "args": {}}]
    if marked:
        own += [
            {"name": "clock_sync", "ph": "c", "ts": ts, "pid": 1, "tid": 1, "args": {"sync_id": f"traceproof-{edge}"}}
            for edge, ts in (("start", 1), ("end", 100))
        ]
    return from_events([*own, *events])


def context(**fields: Any) -> RecordingContext:
    return RecordingContext(**{"page": PageIdentity([FrameIdentity(PID, TID, "F")]), **fields})
