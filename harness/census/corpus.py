"""Traces, counted by several processes into the parts of a census; one that cannot be read is told and left out."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.census.layout import TABLES, write_part
from harness.census.tally import tally
from harness.errors import HarnessError, Problem, StoreError, TraceFileError

if TYPE_CHECKING:
    import duckdb

_PR_SET_PDEATHSIG: Final = 1
_MOST_TRACES, _MOST_BYTES = 64, 16 << 20  # of a part, as files: one part each would be thousands of small files
_WAITING: Final = 2  # batches that wait for each worker
_WORKER_MEMORY: Final = "128MB"


@dataclass(frozen=True, slots=True)
class Counted:
    """How it went: traces that are in the parts, and what is wrong with those that are not."""

    traces: int
    broken: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Batch:
    number: int
    traces: tuple[Path, ...]
    root: Path
    folder: Path


def count_traces(
    traces: Sequence[Path], folder: Path, workers: int, on_done: Callable[[int], None] = lambda traces: None
) -> Counted:
    """Count trace files into parts below `folder`. `on_done` hears how many more are done.

    `StoreError` when a part cannot be written, `HarnessError` when a worker is killed.
    """
    for table in TABLES:
        (folder / table).mkdir(parents=True, exist_ok=True)
    batches = list(_batches(traces, folder, workers))
    counted, broken = 0, list[Problem]()
    for batch, problems in _worked(batches, workers):
        counted += len(batch.traces) - len(problems)
        broken += problems
        on_done(len(batch.traces))
    return Counted(counted, tuple(sorted(broken, key=lambda problem: problem.file)))


def _batches(traces: Sequence[Path], folder: Path, workers: int) -> Iterator[_Batch]:
    """The largest first, so that no worker is left with one at the end; few to a batch where there are few."""
    root = Path(os.path.commonpath([trace.absolute().parent for trace in traces]))
    sizes = {trace: trace.stat().st_size if trace.is_file() else 0 for trace in traces}
    most = max(1, min(_MOST_TRACES, len(traces) // (4 * workers)))
    held, size, number = list[Path](), 0, 0
    for trace in sorted(traces, key=lambda trace: (-sizes[trace], trace)):
        if held and (len(held) == most or size + sizes[trace] > _MOST_BYTES):
            yield _Batch(number, tuple(held), root, folder)
            held, size, number = [], 0, number + 1
        held.append(trace)
        size += sizes[trace]
    if held:
        yield _Batch(number, tuple(held), root, folder)


def _worked(batches: Sequence[_Batch], workers: int) -> Iterator[tuple[_Batch, list[Problem]]]:
    if workers == 1 or len(batches) == 1:
        yield from ((batch, _count(batch)) for batch in batches)
        return
    # Not by fork: DuckDB's threads would be left behind in the children.
    pool = ProcessPoolExecutor(
        min(workers, len(batches)), get_context("spawn"), initializer=_begin, initargs=(os.getpid(),)
    )
    left = iter(batches)
    running: dict[Future[list[Problem]], _Batch] = {}
    try:
        while True:
            for batch in islice(left, _WAITING * workers - len(running)):
                running[pool.submit(_count, batch)] = batch
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    except BrokenProcessPool:
        raise HarnessError(
            "a process that counted traces was killed, most likely for want of memory; fewer at a time need less: "
            "--workers 1"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(parent: int) -> None:
    """A worker ends with its parent, however that ends; Ctrl-C is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def _count(batch: _Batch) -> list[Problem]:
    tallies, problems = [], list[Problem]()
    for trace in batch.traces:
        try:
            made = tally(trace)
        except TraceFileError as error:
            problems += error.problems[:1]
        else:
            made.path = trace.absolute().relative_to(batch.root)
            tallies.append(made)
    import duckdb

    try:
        write_part(tallies, batch.folder, batch.number, _engine())
    except (OSError, duckdb.Error) as error:
        raise StoreError(f"{batch.folder}: a part of the census cannot be written: {error}") from None
    return problems


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    import duckdb

    return duckdb.connect(config={"threads": 1, "memory_limit": _WORKER_MEMORY})
