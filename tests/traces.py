"""Hand-made traces for tests: one small function for each phase, all on the page's main thread unless told otherwise.

events = [*names(), slice("Layout", ts=10, dur=5), instant("InvalidateLayout", ts=12)]
trace = make(events)
write_trace(tmp_path / "t.json.gz", events)
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import zstandard

from harness.trace import Trace, from_events

PAGE, BROWSER, GPU = 100, 1, 50  # pids; the main thread of each has the same number
COMPOSITOR, IO, POOL, RASTER, WORKER = 101, 102, 103, 104, 105  # tids in the page's process
TIMELINE = "devtools.timeline"

Json = dict[str, Any]


def event(name: str, ph: str, ts: float | None = 0, **fields: Any) -> Json:
    """An event of any phase; `args` and every other key of the format by name."""
    base: Json = {"name": name, "ph": ph, "cat": TIMELINE, "pid": PAGE, "tid": fields.get("pid", PAGE), "args": {}}
    return {**base, **({} if ts is None else {"ts": ts}), **fields}


def slice(name: str, *, ts: float, dur: float, **fields: Any) -> Json:
    return event(name, "X", ts, dur=dur, **fields)


def begin(name: str, *, ts: float, **fields: Any) -> Json:
    return event(name, "B", ts, **fields)


def end(name: str, *, ts: float, **fields: Any) -> Json:
    return event(name, "E", ts, **fields)


def instant(name: str, *, ts: float, scope: str = "t", **fields: Any) -> Json:
    return event(name, "I", ts, s=scope, **fields)


def mark(name: str, *, ts: float, **fields: Any) -> Json:
    return event(name, "R", ts, **{"cat": "blink.user_timing", **fields})


def async_begin(name: str, *, ts: float, id: Any = "0x1", **fields: Any) -> Json:
    return event(name, "b", ts, id=id, **fields)


def async_end(name: str, *, ts: float, id: Any = "0x1", **fields: Any) -> Json:
    return event(name, "e", ts, id=id, **fields)


def flow(ph: str, *, ts: float, id: Any = 1, name: str = "flow", **fields: Any) -> Json:
    """`ph` is s, t or f; an f binds to the slice that encloses it, as Chrome writes it."""
    return event(name, ph, ts, id=id, **{**({"bp": "e"} if ph == "f" else {}), **fields})


def counter(name: str, *, ts: float, **fields: Any) -> Json:
    return event(name, "C", ts, **fields)


def metadata(name: str, value: Any, *, pid: int = PAGE, tid: int | None = None) -> Json:
    """`thread_name`, `process_name` or `process_labels`."""
    key = "labels" if name == "process_labels" else "name"
    return event(name, "M", 0, cat="__metadata", pid=pid, tid=pid if tid is None else tid, args={key: value})


def names() -> list[Json]:
    """A browser, a GPU process and a renderer with the threads that the constants name."""
    threads = {
        (BROWSER, BROWSER): "CrBrowserMain",
        (GPU, GPU): "CrGpuMain",
        (PAGE, PAGE): "CrRendererMain",
        (PAGE, COMPOSITOR): "Compositor",
        (PAGE, IO): "Chrome_ChildIOThread",
        (PAGE, POOL): "ThreadPoolForegroundWorker",
        (PAGE, RASTER): "CompositorTileWorker1",
        (PAGE, WORKER): "DedicatedWorker thread",
    }
    processes = {BROWSER: "Browser", GPU: "GPU Process", PAGE: "Renderer"}
    return [
        *(metadata("process_name", name, pid=pid) for pid, name in processes.items()),
        *(metadata("thread_name", name, pid=pid, tid=tid) for (pid, tid), name in threads.items()),
    ]


def make(events: Iterable[Json], **metadata: Any) -> Trace:
    return from_events(list(events), metadata or None)


def write_trace(path: Path, events: Iterable[Json], **metadata: Any) -> Path:
    """Write a trace as Chrome does, one event a line; gzip or zstd by the ending of the name. Returns the path."""
    lines = ",\n".join(json.dumps(each) for each in events)
    text = f'{{"traceEvents":[\n{lines}],"metadata":{json.dumps(metadata)}}}'.encode()
    packed = {".gz": gzip.compress, ".zst": zstandard.compress}.get(path.suffix, bytes)(text)
    path.write_bytes(packed)
    return path
