"""From a role such as `page.main` to the threads of one trace that play it."""

from __future__ import annotations

from collections.abc import Callable

from harness.roles import ANY, Role, parse_role
from harness.trace.context import PageIdentity
from harness.trace.event import Event
from harness.trace.model import Trace


def in_scope(role: str | Role, trace: Trace, page: PageIdentity) -> Callable[[Event], bool]:
    """A test for events: is this one of the role? `ValueError` lists the valid roles for a text that is none."""
    role = parse_role(role) if isinstance(role, str) else role
    if role == Role(ANY):
        return lambda event: True
    if role.thread == ANY:
        pids = processes_in_role(role.process, trace, page)
        return lambda event: event.pid in pids
    threads = threads_in_role(role, trace, page)
    return lambda event: event.thread in threads


def processes_in_role(process: str, trace: Trace, page: PageIdentity) -> frozenset[int]:
    """The pids that play a process role."""
    if process == "page":
        return frozenset(page.pids)
    if process == "frames":
        return frozenset(page.frame_pids)
    if process == "child-frames":
        return frozenset(page.frame_pids - page.pids)
    if process == ANY:
        return frozenset(trace.processes)
    role = "renderer" if process == "other-renderer" else process
    pids = frozenset(pid for pid, info in trace.processes.items() if info.role == role)
    return pids - page.frame_pids if process == "other-renderer" else pids


def threads_in_role(role: str | Role, trace: Trace, page: PageIdentity) -> frozenset[tuple[int, int]]:
    """The (pid, tid) that play a role. The page's main threads are also those that its identity names."""
    role = parse_role(role) if isinstance(role, str) else role
    pids = processes_in_role(role.process, trace, page)
    threads = {
        key
        for key, info in trace.threads.items()
        if info.pid in pids and (role.thread == ANY or info.role == role.thread)
    }
    if role.thread == "main":
        threads |= {(frame.pid, frame.tid) for frame in page.frames if frame.pid in pids and frame.tid}
    return frozenset(threads)
