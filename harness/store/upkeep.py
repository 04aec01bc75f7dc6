"""Keeping a store sound: what stands on each recording, what is damaged, what nobody needs any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import UserError
from harness.events import Attempt, AttemptDone, CaseResult, RunHeader
from harness.store.folder import RecordingFiles
from harness.store.ledger import read_ledger
from harness.store.manifest import sha256_file
from harness.store.objects import Entry, Store


@dataclass(frozen=True, slots=True)
class Use:
    """An attempt of a ledger that stands on a recording. `file`: where the run shows it. `started`: of the run."""

    ledger: Path
    started: str
    case: CaseResult | AttemptDone
    attempt: Attempt
    file: Path


def uses(ledgers: Iterable[Path], *, lenient: bool = False) -> dict[str, list[Use]]:
    """By sha256, the attempts that stand on it. `UserError` for a ledger that cannot be read, but where `lenient`."""
    found: dict[str, list[Use]] = defaultdict(list)
    for path in ledgers:
        try:
            lines = read_ledger(path)
        except UserError:
            if lenient:
                continue
            raise
        started = next((line.started for line in lines if isinstance(line, RunHeader)), "")
        whole = {line.key for line in lines if isinstance(line, CaseResult)}
        for line in lines:
            if isinstance(line, CaseResult):
                attempts = line.attempts
            elif isinstance(line, AttemptDone) and line.key not in whole:
                attempts = [line.attempt]
            else:
                continue
            for attempt in attempts:
                for one in attempt.recordings:
                    found[one.sha256].append(Use(path, started, line, attempt, path.parent / one.trace))
    return found


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a store that is not as it should be."""

    digest: str
    what: str

    def __str__(self) -> str:
        return f"{self.digest}: {self.what}"


def verify(store: Store, on_object: Callable[[int, int], None] = lambda done, total: None) -> tuple[list[Fault], int]:
    """Hash every object again; what is damaged or missing, and the number of objects that are there."""
    faults: list[Fault] = []
    objects = list(store.objects())
    for number, (digest, path) in enumerate(objects, 1):
        on_object(number, len(objects))
        if (real := sha256_file(path)) != digest:
            faults.append(Fault(digest, f"damaged: its bytes have the sha256 {real}"))
    there = {digest for digest, _ in objects}
    entries = store.entries()
    for entry in entries:
        kinds = zip(("trace", "context"), entry.objects, strict=False)
        faults += [Fault(entry.sha256, f"missing: the {kind} {one}") for kind, one in kinds if one not in there]
    known = {entry.sha256 for entry in entries}
    for name, digests in store.names().items():
        faults += [Fault(one, f"missing: it is kept as {name}") for one in digests if one not in known]
    return faults, len(objects)


@dataclass(slots=True)
class Pruning:
    """What can go. `shown`: files of run folders that go with it. `kept`: how many recordings stay, by reason."""

    entries: list[Entry] = field(default_factory=list)
    objects: list[Path] = field(default_factory=list)
    shown: list[Path] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    bytes: int = 0


def plan_pruning(store: Store, before: str = "") -> Pruning:
    """What no kept name, no ledger and no run folder needs. Call it where nobody writes (`Store.alone`).

    before: ISO 8601, UTC; recordings of runs that all began earlier go too, with the files that their folders show. The
    ledgers stay.
    """
    plan = Pruning()
    named = {digest for digests in store.names().values() for digest in digests}
    needed = uses(store.ledgers())
    stay: set[str] = set()
    for entry in store.entries():
        used = needed.get(entry.sha256, [])
        if entry.sha256 in named:
            reason = "kept by name"
        elif used and not all(one.started < before for one in used):
            reason = "needed by a ledger"
        elif not used and _links(store.object(entry.sha256)) > 1:
            reason = "in a run folder"
        else:
            plan.entries.append(entry)
            plan.shown += [file for one in used for file in _files(one.file) if file.is_file()]
            continue
        plan.kept[reason] += 1
        stay.update(entry.objects)
    plan.objects = [path for digest, path in store.objects() if digest not in stay]
    plan.shown = list(dict.fromkeys(plan.shown))
    plan.bytes = _freed([*plan.objects, *plan.shown])
    return plan


def prune(store: Store, plan: Pruning) -> None:
    """Do it: first what is told, then the bytes, so that a kill leaves nothing that leads nowhere."""
    for entry in plan.entries:
        store.forget(entry)
    for path in (*plan.shown, *plan.objects):
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()


def _files(trace: Path) -> list[Path]:
    files = RecordingFiles(trace)
    return [trace, files.context, files.manifest]


def _links(path: Path) -> int:
    try:
        return path.stat().st_nlink
    except OSError:
        return 0


def _freed(paths: Iterable[Path]) -> int:
    """Bytes of the files all of whose links go."""
    going: Counter[tuple[int, int]] = Counter()
    sizes: dict[tuple[int, int], tuple[int, int]] = {}
    for path in paths:
        told = path.stat()
        going[told.st_dev, told.st_ino] += 1
        sizes[told.st_dev, told.st_ino] = told.st_nlink, told.st_size
    return sum(size for key, (links, size) in sizes.items() if going[key] >= links)
