"""What DevTools reads of a trace file's `metadata`, written into recordings without a change to their events.

Keys and meaning are those of `MetaData` in DevTools' `models/trace/types/File.ts`, as its own saved traces have them:
`startTime`, `dataOrigin`, `hostDPR`, `cpuThrottling`. `source` is left out, since it would say DevTools.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from harness.errors import TraceFileError
from harness.store.atomic import write_atomic
from harness.store.manifest import Manifest
from harness.trace.packed import read_bytes

_LEVEL = 6  # as the browser packs it


def devtools_metadata(manifest: Manifest) -> dict[str, Any]:
    """What DevTools is to know of a recording; a key that nobody could find out is left out."""
    told: dict[str, Any] = {"dataOrigin": "TraceEvents"}
    if manifest.recorded:
        told["startTime"] = _as_javascript(manifest.recorded)
    if ratio := _screen_ratio(manifest):
        told["hostDPR"] = ratio
    if throttling := manifest.emulated.get("cpu_throttle"):
        told["cpuThrottling"] = throttling
    made = {"scenario": manifest.scenario, "arm": manifest.arm, "build": manifest.build.version, "mode": manifest.mode}
    return told | {"traceproof": made}


def stamp(trace: Path, metadata: Mapping[str, Any]) -> None:
    """Write metadata into a JSON recording, in place and whole or not at all.

    A file that does not parse, or whose list is not closed, stays as it is: the validity gate refuses it and says why.
    `StoreError` where the disk is full.
    """
    try:
        data = read_bytes(trace)
        if data.lstrip()[:1] == b"[" and not data.rstrip().endswith(b"]"):
            return
        written = with_metadata(data, metadata)
    except (msgspec.MsgspecError, RecursionError, TraceFileError):
        return
    write_atomic(trace, written)


def with_metadata(data: bytes, metadata: Mapping[str, Any], events: Sequence[Mapping[str, Any]] = ()) -> bytes:
    """A JSON trace with metadata and events beside its own, gzipped; not a byte of its own events changes.

    What the file says of itself goes before what is said here. `msgspec.MsgspecError` when it is not JSON.
    """
    if data.lstrip()[:1] == b"[":
        data = b'{"traceEvents":' + (data if data.rstrip().endswith(b"]") else data.rstrip().rstrip(b",") + b"]") + b"}"
    parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    known = msgspec.json.decode(parts.get("metadata", msgspec.Raw(b"{}")), type=dict[str, msgspec.Raw])
    parts["metadata"] = msgspec.Raw(msgspec.json.encode({**metadata, **known}))
    if events:
        own = bytes(parts["traceEvents"]).rstrip().removesuffix(b"]").rstrip()
        added = b",\n".join(msgspec.json.encode(event) for event in events)
        parts["traceEvents"] = msgspec.Raw(own + (b"" if own.endswith(b"[") else b",\n") + added + b"]")
    return gzip.compress(msgspec.json.encode(parts), _LEVEL, mtime=0)


def _screen_ratio(manifest: Manifest) -> float | None:
    """Device pixels for a CSS pixel of the screen: painting follows it, whatever a page is made to believe."""
    for word in manifest.command_line:
        name, _, value = word.partition("=")
        if name == "--force-device-scale-factor":
            return float(value)
    return None if "device_scale_factor" in manifest.emulated else manifest.device_pixel_ratio


def _as_javascript(moment: str) -> str:
    """As `Date.prototype.toJSON` writes it."""
    return datetime.fromisoformat(moment).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
