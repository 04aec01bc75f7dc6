"""The output folder of a run.

out/.store/                                the store (`objects.py`), of which the recordings below are links
out/2026-01-31T12-00-00/
    ledger.jsonl
    recordings/<scenario>[~<cell>]/<version>-<mode>/<attempt>/
        <arm>[-<block>].json.gz            the trace as the browser sent it; .pftrace.gz where it sent Perfetto's
        <arm>[-<block>].context.json       marks, values, server log, page identity
        <arm>[-<block>].manifest.json      provenance
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from weakref import finalize

import msgspec

from harness.errors import Problem, UserError
from harness.store.atomic import storing, write_atomic
from harness.store.ledger import Ledger
from harness.store.manifest import Manifest
from harness.store.objects import STORE, Store
from harness.trace.context import RecordingContext

T = TypeVar("T")
_SUFFIXES = re.compile(r"(\.json|\.pftrace)?(\.gz|\.zst)?$")
_TRACES = (".json.gz", ".pftrace.gz")


@dataclass(frozen=True, slots=True)
class RecordingFiles:
    """Where one recording lies."""

    trace: Path

    @property
    def context(self) -> Path:
        return _sibling(self.trace, "context")

    @property
    def manifest(self) -> Path:
        return _sibling(self.trace, "manifest")

    def write_context(self, context: RecordingContext) -> None:
        write_atomic(self.context, pretty(context))

    def write_manifest(self, manifest: Manifest) -> None:
        write_atomic(self.manifest, pretty(manifest))


class RunFolder:
    """One run's folder; `folder=None` makes a new one under `out/` by date and time, never over an older one.

    store: where its recordings are taken in; else the one beside a new folder, or below one that is named.
    """

    def __init__(self, folder: Path | None = None, *, parent: Path | None = None, store: Path | None = None) -> None:
        beside = folder
        if folder is None:
            beside = parent or Path("out")
            stamp = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S")
            folder = _fresh(beside, stamp)
        assert beside is not None
        with storing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.path = folder
        self.store = Store(store or beside / STORE)
        self._writing: finalize[..., RunFolder] | None = None
        self._taken: dict[Path, str] = {}

    def ledger(self) -> Ledger:
        """A new ledger; one of an earlier run in the same folder is kept as `ledger-<n>.jsonl`.

        `UserError` while that run still goes on.
        """
        return Ledger.fresh(self.path)

    def recording(
        self,
        case: str,
        version: str,
        mode: str,
        attempt: int,
        arm: str,
        block: int,
        *,
        binary: str,
        blocks: int = 1,
        suffix: str = ".json.gz",
    ) -> RecordingFiles:
        """Files for one recording; two binaries of the same version get folders of their own. suffix: the trace's."""
        base = self.path / "recordings" / safe_name(case) / f"{safe_name(version)}-{mode}"
        folder, number = base, 2
        while self._taken.setdefault(folder, binary) != binary:
            folder, number = base.with_name(f"{base.name}-{number}"), number + 1
        name = safe_name(arm) + (f"-{block}" if blocks > 1 else "")
        with storing(folder):
            (folder / str(attempt)).mkdir(parents=True, exist_ok=True)
        return RecordingFiles(folder / str(attempt) / f"{name}{suffix}")

    def reserve(self, trace: str, binary: str) -> None:
        """Where the recordings of a binary lie already, by the path of one in the ledger."""
        self._taken[(self.path / trace).parents[1]] = binary

    def take_in(self, traces: Iterable[str]) -> None:
        """Put recordings that are done, by their paths here, into the store. `StoreError` when it cannot be written."""
        for name in traces:
            files = RecordingFiles(self.path / name)
            if manifest := manifest_beside(files.trace):
                if not self._writing:
                    # Nothing is pruned as long as this folder may get more.
                    self._writing = finalize(self, os.close, self.store.writing())
                    self.store.register(self.path)
                self.store.add(files.trace, files.context, manifest)

    def relative(self, path: Path) -> str:
        """A path as the ledger writes it."""
        return path.relative_to(self.path).as_posix()


def stored_traces(folder: Path) -> list[Path]:
    """The traces in the folder of an attempt: those that have a context beside them, by name."""
    stems = [file.name.removesuffix(".context.json") for file in folder.glob("*.context.json")]
    found = [path for stem in stems for ending in _TRACES if (path := folder / f"{stem}{ending}").is_file()]
    return sorted(found)


def context_beside(trace: Path) -> RecordingContext | None:
    """The context stored with a trace: `<name>.context.json`, else `context.json` in its folder; None without one.

    `UserError` for a file of that name that is none.
    """
    for path in (_sibling(trace, "context"), trace.with_name("context.json")):
        if path.is_file():
            return _read(path, RecordingContext, "context")
    return None


def manifest_beside(trace: Path) -> Manifest | None:
    """The manifest stored with a trace; None without one. `UserError` for a file of that name that is none."""
    path = _sibling(trace, "manifest")
    return _read(path, Manifest, "manifest") if path.is_file() else None


def _read(path: Path, kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(Problem(f"is not the {what} of a recording", file=str(path), found=str(error))) from error


def safe_name(text: str) -> str:
    """A file name for `text`: `[cell]` becomes `~cell`; where odd characters are replaced, a short hash is added."""
    plain = text.replace("[", "~").removesuffix("]")
    clean = re.sub(r"[^\w.,=+~-]", "_", plain)[:150].lstrip(".") or "_"
    return clean if clean == plain else f"{clean}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _fresh(parent: Path, stamp: str) -> Path:
    folder, number = parent / stamp, 2
    while True:
        with storing(folder):
            try:
                folder.mkdir(parents=True)
                return folder
            except FileExistsError:
                folder, number = parent / f"{stamp}-{number}", number + 1


def _sibling(trace: Path, kind: str) -> Path:
    return trace.with_name(f"{_SUFFIXES.sub('', trace.name)}.{kind}.json")


def pretty(record: object) -> bytes:
    """JSON as people read it."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
