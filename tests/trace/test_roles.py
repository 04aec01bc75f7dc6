"""Names of processes and threads, the roles that they tell, and the scopes of scenarios."""

from __future__ import annotations

import pytest

from harness.roles import PROCESS_ROLES, THREAD_ROLES, Role, parse_role
from harness.trace import in_scope, processes_in_role, threads_in_role
from harness.trace.context import FrameIdentity, PageIdentity
from harness.trace.threads import process_role, thread_role
from tests.traces import (
    BROWSER,
    COMPOSITOR,
    GPU,
    IO,
    PAGE,
    POOL,
    RASTER,
    WORKER,
    instant,
    make,
    metadata,
    names,
    slice,
)

OTHER, CHILD, EARLIER = 200, 300, 400
IDENTITY = PageIdentity([FrameIdentity(PAGE, PAGE), FrameIdentity(CHILD, 7)], [EARLIER])


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("CrRendererMain", "main"),
        ("CrBrowserMain", "main"),
        ("tracing.CrUtilityMain", "main"),
        ("CrGpuMain", "main"),
        ("Compositor", "compositor"),
        ("Compositor/3", "compositor"),
        ("VizCompositorThread", "compositor"),
        ("Chrome_IOThread", "io"),
        ("Chrome_ChildIOThread", "io"),
        ("ThreadPoolForegroundWorker", "pool"),
        ("ThreadPoolSingleThreadSharedForeground1", "pool"),
        ("TaskSchedulerForegroundWorker/41", "pool"),
        ("ThreadPoolServiceThread", "other"),
        ("CompositorTileWorker2/26883", "raster"),
        ("CompositorTileWorkerBackground", "raster"),
        ("DedicatedWorker thread", "worker"),
        ("ServiceWorker thread", "worker"),
        ("AudioWorklet thread", "worker"),
        ("CompositorThreadOfSomeoneElse", "other"),
        ("", "other"),
    ],
)
def test_roles_of_threads_by_their_names(name: str, role: str) -> None:
    assert thread_role(name) == role


@pytest.mark.parametrize(
    ("name", "threads", "role"),
    [
        ("Browser", [], "browser"),
        ("Renderer", [], "renderer"),
        ("WebUI Top Renderer", [], "renderer"),
        ("GPU Process", [], "gpu"),
        ("Service: network.mojom.NetworkService", [], "utility"),
        ("/usr/lib/chromium/chromium --type=renderer --lang=en", [], "renderer"),
        ("/usr/lib/chromium/chromium --type=gpu-process", [], "gpu"),
        ("/usr/lib/chromium/chromium --type=utility --utility-sub-type=x.Service", [], "utility"),
        ("/usr/lib/chromium/chromium --headless --no-first-run", [], "browser"),
        ("/usr/lib/chromium/chromium --type=zygote", [], "other"),
        ("", ["Chrome_ChildIOThread", "CrGpuMain"], "gpu"),
        ("", ["CrRendererMain"], "renderer"),
        ("", ["tracing.CrUtilityMain"], "utility"),
        ("", ["CrGpuMain", "CrBrowserMain"], "browser"),
        ("", ["swapper"], "other"),
    ],
)
def test_roles_of_processes_by_name_command_line_or_threads(name: str, threads: list[str], role: str) -> None:
    assert process_role(name, threads) == role


def test_the_last_name_counts_and_unnamed_threads_are_there() -> None:
    trace = make([metadata("thread_name", "old"), metadata("thread_name", "CrRendererMain"), instant("x", ts=1, tid=9)])
    assert (trace.threads[PAGE, PAGE].name, trace.threads[PAGE, PAGE].role) == ("CrRendererMain", "main")
    assert trace.threads[PAGE, 9].name == ""
    assert trace.processes[PAGE].role == "renderer"


def test_without_names_the_first_thread_of_a_process_is_its_main_thread() -> None:
    trace = make([instant("x", ts=1), instant("y", ts=1, tid=5)])
    assert [trace.threads[key].role for key in ((PAGE, PAGE), (PAGE, 5))] == ["main", "other"]


def scoped(role: str) -> set[str]:
    named = [*names()]
    for pid in (OTHER, CHILD, EARLIER):
        tid = 7 if pid == CHILD else pid
        named += [
            metadata("process_name", "Renderer", pid=pid),
            metadata("thread_name", "CrRendererMain", pid=pid, tid=tid),
        ]
    places = {
        "browser": (BROWSER, BROWSER),
        "gpu": (GPU, GPU),
        "main": (PAGE, PAGE),
        "compositor": (PAGE, COMPOSITOR),
        "io": (PAGE, IO),
        "pool": (PAGE, POOL),
        "raster": (PAGE, RASTER),
        "worker": (PAGE, WORKER),
        "process": (PAGE, 0),
        "child": (CHILD, 7),
        "earlier": (EARLIER, EARLIER),
        "other": (OTHER, OTHER),
    }
    trace = make([*named, *(slice(name, ts=1, dur=1, pid=pid, tid=tid) for name, (pid, tid) in places.items())])
    test = in_scope(role, trace, IDENTITY)
    return {event.name for event in trace.events if event.kind == "slice" and test(event)}


PAGES = {"main", "compositor", "io", "pool", "raster", "worker", "process", "earlier"}


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("page", PAGES),
        ("page.any", PAGES),
        ("page.main", {"main", "earlier"}),
        ("page.compositor", {"compositor"}),
        ("page.pool", {"pool"}),
        ("page.raster", {"raster"}),
        ("page.worker", {"worker"}),
        ("page.io", {"io"}),
        ("frames.main", {"main", "earlier", "child"}),
        ("child-frames", {"child"}),
        ("renderer.main", {"main", "earlier", "child", "other"}),
        ("other-renderer", {"other"}),
        ("browser", {"browser"}),
        ("gpu.main", {"gpu"}),
        ("utility", set()),
        ("any", {*PAGES, "child", "other", "browser", "gpu"}),
        ("any.main", {"main", "earlier", "child", "other", "browser", "gpu"}),
    ],
)
def test_scopes(role: str, expected: set[str]) -> None:
    assert scoped(role) == expected


def test_the_identity_names_a_main_thread_that_the_trace_does_not() -> None:
    trace = make([slice("a", ts=0, dur=1, pid=5, tid=6), slice("b", ts=0, dur=1, pid=5, tid=8)])
    page = PageIdentity([FrameIdentity(5, 6)])
    assert threads_in_role("page.main", trace, page) == {(5, 6)}
    assert processes_in_role("page", trace, page) == {5}


def test_every_role_can_be_parsed_and_prints_as_it_is_written() -> None:
    for process in PROCESS_ROLES:
        assert parse_role(process) == Role(process)
        for thread in THREAD_ROLES:
            assert str(parse_role(f"{process}.{thread}")) == (process if thread == "any" else f"{process}.{thread}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pages.main", '"pages" is not the role of a process; did you mean "page"?'),
        ("page.mian", '"mian" is not the role of a thread; did you mean "main"?'),
        ("page.", '"" is not the role of a thread'),
        ("", '"" is not the role of a process'),
        ("page.main.x", '"main.x" is not the role of a thread'),
    ],
)
def test_what_is_no_role_is_told_with_the_nearest(text: str, says: str) -> None:
    with pytest.raises(ValueError) as raised:
        parse_role(text)
    assert str(raised.value).startswith(says)
