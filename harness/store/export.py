"""Recordings to give away: trace, context and manifest of each, in a zip archive or a folder."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from harness.errors import Problem, UsageError
from harness.store.atomic import drafted, storing, write_atomic
from harness.store.folder import RecordingFiles, pretty, safe_name
from harness.store.manifest import Manifest, sha256_file
from harness.store.objects import Entry, Store
from harness.store.scrub import scrub
from harness.trace.context import RecordingContext

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # that zip knows: when it was packed is nobody's business
_SUFFIXES = (".pftrace.gz", ".json.gz")


def export(
    store: Store,
    entries: Iterable[Entry],
    target: Path,
    *,
    clean: bool = False,
    every_process: bool = False,
    on_entry: Callable[[Entry], None] = lambda entry: None,
) -> list[str]:
    """Write recordings to `target` (`.zip`, else a folder); the names of the files in it.

    clean: without paths, names, credentials and, but where `every_process`, processes that are not the page's
    (`scrub.py`). `UsageError` for a target that is there already and an object that is damaged.
    """
    if target.exists() and (target.is_file() or any(target.iterdir())):
        raise UsageError(Problem("is there already", file=str(target), remedy="remove it, or choose another with -o"))
    files = _files(store, entries, clean, every_process, on_entry)
    names: list[str] = []
    if target.suffix != ".zip":
        for name, data in files:
            write_atomic(target / name, data)
            names.append(name)
        return names
    with storing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    with drafted(target) as file, zipfile.ZipFile(file, "w") as archive:
        for name, data in files:
            packed = zipfile.ZIP_STORED if name.endswith(".gz") else zipfile.ZIP_DEFLATED
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, packed)
            names.append(name)
    return names


def _files(
    store: Store, entries: Iterable[Entry], clean: bool, every_process: bool, on_entry: Callable[[Entry], None]
) -> Iterator[tuple[str, bytes]]:
    for entry in entries:
        on_entry(entry)
        trace, manifest = _sound(store, entry.sha256), entry.manifest
        suffix = next(one for one in (*_SUFFIXES, "") if manifest.trace.endswith(one))
        context = RecordingContext()
        if entry.context:
            context = msgspec.json.decode(_sound(store, entry.context).read_bytes(), type=RecordingContext)
        if clean:
            cleaned = scrub(trace, context, manifest, every_process=every_process)
            data, context, manifest, suffix = cleaned.trace, cleaned.context, cleaned.manifest, ".json.gz"
        else:
            data = trace.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        files = RecordingFiles(Path(_stem(manifest, digest) + suffix))
        manifest = msgspec.structs.replace(manifest, trace=files.trace.name, sha256=digest, bytes=len(data))
        yield files.trace.name, data
        yield files.context.name, pretty(context)
        yield files.manifest.name, pretty(manifest)


def _sound(store: Store, digest: str) -> Path:
    path = store.object(digest)
    if sha256_file(path) != digest:
        state = "is damaged" if path.is_file() else "is missing"
        raise UsageError(Problem(f"the object {digest} {state}", file=str(path), remedy="`traceproof store verify`"))
    return path


def _stem(manifest: Manifest, digest: str) -> str:
    name = f"{manifest.scenario}[{manifest.cell}]" if manifest.cell else manifest.scenario
    parts = (safe_name(name), manifest.build.version, manifest.mode, safe_name(manifest.arm), digest[:12])
    return "-".join(part for part in parts if part)
