"""The names by which scenarios speak of processes and threads: `on: page.main`.

A role is `<process>` or `<process>.<thread>`; without a thread it means every thread of the process, and events that
belong to the process as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.wording import did_you_mean

ANY = "any"

PROCESS_ROLES: dict[str, str] = {
    "page": "processes that showed the main frame of the page under test",
    "frames": "processes that showed any frame of the page under test",
    "child-frames": "processes that showed frames of the page under test and never its main frame",
    "renderer": "every renderer, the page's among them",
    "other-renderer": "renderers that showed no frame of the page",
    "browser": "the browser process",
    "gpu": "the GPU process",
    "utility": "utility processes and services",
    ANY: "every process",
}

THREAD_ROLES: dict[str, str] = {
    "main": "the main thread of the process (CrRendererMain, CrBrowserMain, CrGpuMain, CrUtilityMain)",
    "compositor": "the compositor thread (Compositor, VizCompositorThread)",
    "io": "the IO thread (Chrome_IOThread, Chrome_ChildIOThread)",
    "pool": "the workers of the thread pool (ThreadPoolForegroundWorker and its like)",
    "raster": "the raster workers (CompositorTileWorker1 and on)",
    "worker": "threads of web workers and worklets (DedicatedWorker thread)",
    ANY: "every thread",
}


@dataclass(frozen=True, slots=True)
class Role:
    """A process role and a thread role, both out of the lists above."""

    process: str
    thread: str = ANY

    def __str__(self) -> str:
        return self.process if self.thread == ANY else f"{self.process}.{self.thread}"


def parse_role(text: str) -> Role:
    """`"page.main"` → `Role("page", "main")`. `ValueError` names the nearest role."""
    process, dot, thread = text.strip().partition(".")
    if process not in PROCESS_ROLES:
        raise ValueError(_unknown("process", process, PROCESS_ROLES))
    if dot and thread not in THREAD_ROLES:
        raise ValueError(_unknown("thread", thread, THREAD_ROLES))
    return Role(process, thread or ANY)


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    near = did_you_mean(word, known)
    return f'"{word}" is not the role of a {what}' + (f"; {near}" if near else "")
