"""Processes and threads: their names from metadata events, and the roles that the names tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from harness.trace.event import Event

OTHER: Final = "other"

# Names carry a number or "/tid" behind them in some versions, the name of the service before them in others.
_THREADS: Final = (
    ("main", re.compile(r"(?:^|\.)Cr\w*Main\b")),
    ("raster", re.compile(r"^CompositorTileWorker")),
    ("compositor", re.compile(r"^(?:Compositor|VizCompositorThread)(?:/\d+)?$")),
    ("io", re.compile(r"^Chrome_(?:Child)?IOThread")),
    ("pool", re.compile(r"^(?:ThreadPool|TaskScheduler)(?!ServiceThread)")),
    ("worker", re.compile(r"\b\w*(?:Worker|Worklet) thread", re.IGNORECASE)),
)
_MAIN_OF: Final = (
    ("browser", "CrBrowserMain"),
    ("renderer", "CrRendererMain"),
    ("gpu", "CrGpuMain"),
    ("utility", "CrUtilityMain"),
)
_TYPE_SWITCH: Final = re.compile(r"--type=([\w-]+)")
_TYPES: Final = {"renderer": "renderer", "extension": "renderer", "gpu-process": "gpu", "utility": "utility"}


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    """A thread; name '' where the trace gives none. role: a key of `THREAD_ROLES`, or `other`."""

    pid: int
    tid: int
    name: str = ""
    role: str = OTHER


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """A process. role: browser, renderer, gpu, utility or other. labels: page titles that Chrome put on it."""

    pid: int
    name: str = ""
    role: str = OTHER
    labels: str = ""


def thread_role(name: str) -> str:
    return next((role for role, pattern in _THREADS if pattern.search(name)), OTHER)


def process_role(name: str, thread_names: Iterable[str]) -> str:
    """By the process's name (the command line, where it was born while tracing: by `--type=`), else by its threads."""
    if name.startswith("/") or " --" in name:
        return _TYPES.get(found[1], OTHER) if (found := _TYPE_SWITCH.search(name)) else "browser"
    word = name.casefold()
    for role, mark in (("renderer", "renderer"), ("gpu", "gpu"), ("utility", "utility"), ("utility", "service")):
        if mark in word:
            return role
    if word in ("browser", "headless browser", "headlessbrowser"):
        return "browser"
    names = list(thread_names)
    return next((role for role, main in _MAIN_OF if any(main in thread for thread in names)), OTHER)


def describe(
    metadata: Iterable[Event], seen: Iterable[tuple[int, int]], tid_names: Mapping[tuple[int, int], str]
) -> tuple[dict[tuple[int, int], ThreadInfo], dict[int, ProcessInfo]]:
    """Every thread and process that the trace names or that has events; a later name replaces an earlier one."""
    names: dict[tuple[int, int], str] = dict(tid_names)
    process_names: dict[int, str] = {}
    labels: dict[int, str] = {}
    for event in metadata:
        if event.name == "thread_name":
            names[event.thread] = str(event.args.get("name", ""))
        elif event.name == "process_name":
            process_names[event.pid] = str(event.args.get("name", ""))
        elif event.name == "process_labels":
            labels[event.pid] = str(event.args.get("labels", ""))
    names = {**dict.fromkeys(seen, ""), **names}
    by_process: dict[int, list[str]] = {pid: [] for pid in process_names}
    for (pid, _), name in names.items():
        by_process.setdefault(pid, []).append(name)
    threads = {
        (pid, tid): ThreadInfo(pid, tid, name, _role_of(pid, tid, name, by_process[pid]))
        for (pid, tid), name in names.items()
    }
    processes = {}
    for pid, of_threads in by_process.items():
        name = process_names.get(pid, "")
        processes[pid] = ProcessInfo(pid, name, process_role(name, of_threads), labels.get(pid, ""))
    return threads, processes


def _role_of(pid: int, tid: int, name: str, siblings: Iterable[str]) -> str:
    # On Linux the first thread of a process has the process's number: enough where the trace names no main thread.
    if not name and pid == tid and not any(thread_role(other) == "main" for other in siblings):
        return "main"
    return thread_role(name)
