"""The store: every recording by the sha256 of its trace, its bytes once, whichever run folders show it.

<store>/
    objects/ab/cdef…           traces and contexts; a run's own files are hard links of these (copies on another disk)
    entries/ab/cdef….json      what the trace of this hash is: its manifest, and the hash of its context
    names/<name>               the hashes that are kept under this name, one a line
    folders/<hash>             run folders that recorded into this store, whose ledgers `prune` asks

Files appear whole or not at all and are never changed, so any number of runs may write at the same time.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from harness.errors import Problem, UsageError, UserError
from harness.store.atomic import drafted, storing, write_atomic
from harness.store.ledger import LEDGER
from harness.store.manifest import Manifest, sha256_file

STORE = ".store"
SHORTEST = 4  # digits of a hash that may stand for all
_NAME = re.compile(r"[A-Za-z][\w.+-]*")
_HASH = re.compile(r"[0-9a-f]+")
_CANNOT_LINK = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.EACCES}


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One recording. `context`: the sha256 of its context; empty where it has none."""

    manifest: Manifest
    context: str = ""

    @property
    def sha256(self) -> str:
        return self.manifest.sha256

    @property
    def objects(self) -> list[str]:
        return [self.sha256, *([self.context] if self.context else [])]


class Store:
    """A folder of recordings by content; made when the first is added."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, trace: Path, context: Path, manifest: Manifest) -> Entry:
        """Take in the files of one recording; what is there already stays. `StoreError` when the disk refuses."""
        entry = Entry(manifest=manifest, context=sha256_file(context))
        for digest, file in ((entry.sha256, trace), (entry.context, context)):
            if digest:
                link_or_copy(file, self.object(digest))
        write_atomic(self._entry(entry.sha256), msgspec.json.format(msgspec.json.encode(entry), indent=1) + b"\n")
        return entry

    def object(self, digest: str) -> Path:
        """Where the bytes of this sha256 lie, if they do."""
        return self.root / "objects" / digest[:2] / digest[2:]

    def objects(self) -> Iterator[tuple[str, Path]]:
        """Every object: the hash that it should have, and its file."""
        for path in sorted((self.root / "objects").glob("??/*")):
            if not path.name.startswith("."):
                yield path.parent.name + path.name, path

    def entries(self) -> list[Entry]:
        """Every recording, the newest first. `UserError` for an entry that is none."""
        paths = [path for path in (self.root / "entries").glob("??/*.json") if not path.name.startswith(".")]
        found = [self._read(path) for path in paths]
        return sorted(found, key=lambda one: (one.manifest.recorded, one.sha256), reverse=True)

    def names(self) -> dict[str, list[str]]:
        """The kept names with their hashes."""
        files = [path for path in sorted((self.root / "names").glob("*")) if not path.name.startswith(".")]
        return {path.name: path.read_text().split() for path in files}

    def find(self, word: str) -> list[Entry]:
        """The recordings of a kept name, or the one whose hash begins so. `UsageError` for none or several."""
        if word in (names := self.names()):
            return [self._read(self._entry(digest)) for digest in names[word]]
        told = len(word) >= SHORTEST and _HASH.fullmatch(word)
        found = sorted((self.root / "entries" / word[:2]).glob(f"{word[2:]}*.json")) if told else []
        if len(found) != 1:
            why = f"{len(found)} recordings begin with {word}" if found else f"no recording or name here is {word!r}"
            remedy = f"`traceproof store list` shows them; a hash needs at least {SHORTEST} digits, as many as it takes"
            raise UsageError(Problem(why, file=str(self.root), remedy=remedy))
        return [self._read(found[0])]

    def keep(self, name: str, digests: Iterable[str]) -> None:
        """Keep recordings, by the sha256 of their traces, under a name, instead of those that had it.

        `prune` leaves them until the name is dropped.
        """
        if not _NAME.fullmatch(name) or _HASH.fullmatch(name):
            expected = "a letter, then letters, digits and . + - _, and no hexadecimal number"
            raise UsageError(Problem(f"{name!r} is no name for a recording", expected=expected))
        write_atomic(self.root / "names" / name, "".join(f"{one}\n" for one in digests).encode())

    def drop(self, name: str) -> None:
        """Let go of a name; the recordings stay until they are pruned. `UsageError` where it is none."""
        if name not in self.names():
            raise UsageError(Problem(f"no recording is kept as {name!r}", file=str(self.root)))
        (self.root / "names" / name).unlink(missing_ok=True)

    def register(self, folder: Path) -> None:
        """Know a run folder, so that its ledgers are asked before anything is removed."""
        place = str(folder.resolve())
        file = self.root / "folders" / hashlib.sha256(place.encode()).hexdigest()[:16]
        if not file.exists():
            write_atomic(file, f"{place}\n".encode())

    def ledgers(self) -> list[Path]:
        """Those of the run folders that recorded into this store and are still there, and of those beside it."""
        files = (self.root / "folders").glob("*")
        told = [Path(file.read_text().strip()) for file in files if not file.name.startswith(".")]
        beside = [self.root.parent, *self.root.parent.glob("*/")]
        stem = LEDGER.removesuffix(".jsonl")
        found = {path.resolve() for folder in (*told, *beside) for path in folder.glob(f"{stem}*.jsonl")}
        return sorted(path for path in found if path.stat().st_size)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody writes here until the block has ended. `UserError` while a run does."""
        lock = self.writing(wait=False, alone=True)
        try:
            yield
        finally:
            os.close(lock)

    def writing(self, *, wait: bool = True, alone: bool = False) -> int:
        """A lock that ends with its descriptor: many hold it who write, or one who removes."""
        with storing(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                os.close(lock)
                raise UserError(
                    Problem("a run is recording into this store", file=str(self.root), remedy="wait until it has ended")
                ) from None
        return lock

    def forget(self, entry: Entry) -> None:
        """Remove what is told of a recording; its bytes stay."""
        self._entry(entry.sha256).unlink(missing_ok=True)

    def _entry(self, digest: str) -> Path:
        return self.root / "entries" / digest[:2] / f"{digest[2:]}.json"

    def _read(self, path: Path) -> Entry:
        try:
            entry = msgspec.json.decode(path.read_bytes(), type=Entry)
        except (OSError, msgspec.MsgspecError) as error:
            raise UserError(
                Problem("is not the entry of a recording", file=str(path), found=str(error), remedy="remove it")
            ) from error
        return entry


def link_or_copy(file: Path, target: Path) -> None:
    """The bytes of a file in another place too, once if the disk can do that; what is there already stays."""
    with storing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(file, target)
        except FileExistsError:
            return
        except OSError as error:
            if error.errno not in _CANNOT_LINK:
                raise
            with file.open("rb") as source, drafted(target) as copy:
                while chunk := source.read(1 << 20):
                    copy.write(chunk)


def find_store(given: Path | None) -> Store:
    """The store of a command line: itself, the one of a folder, or that of `out/`. `UsageError` where there is none."""
    root = given or Path("out")
    for place in (root, root / STORE):
        if (place / "objects").is_dir():
            return Store(place)
    remedy = "`traceproof run` and `traceproof record` make one below their output folder; say with --store where it is"
    raise UsageError(Problem(f"there is no store in {root}", remedy=remedy))
