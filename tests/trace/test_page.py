"""Which process is the page: by the context, by each event that tells, and by what remains where none does."""

from __future__ import annotations

from typing import Any

from harness.trace import resolve_page
from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext
from tests.traces import BROWSER, PAGE, Json, event, instant, make, mark, metadata, names, slice

OTHER = 200
URL = "http://a.test/"


def renderer(pid: int) -> list[Json]:
    return [
        metadata("process_name", "Renderer", pid=pid),
        metadata("thread_name", "CrRendererMain", pid=pid),
        slice("RunTask", ts=1, dur=1, pid=pid),
    ]


def started(*frames: dict[str, Any], ts: float = 2) -> Json:
    return instant("TracingStartedInBrowser", ts=ts, pid=BROWSER, args={"data": {"frames": list(frames)}})


def committed(ts: float, **data: Any) -> Json:
    return instant("FrameCommittedInBrowser", ts=ts, pid=BROWSER, args={"data": data})


def commit_load(ts: float, frame: str, *, pid: int = PAGE, url: str = URL, **data: Any) -> Json:
    return slice("CommitLoad", ts=ts, dur=1, pid=pid, args={"data": {"frame": frame, "url": url, **data}})


def navigation(ts: float, frame: str, *, pid: int = PAGE, url: str = URL, **data: Any) -> Json:
    args = {"frame": frame, "data": {"documentLoaderURL": url, **data}}
    return mark("navigationStart", ts=ts, pid=pid, args=args)


BASE = [*names(), *renderer(PAGE), *renderer(OTHER)]


def test_the_context_knows_best() -> None:
    page = PageIdentity([FrameIdentity(5, 6, "F", URL)])
    trace = make([*BASE, started({"frame": "M", "processId": PAGE})])
    assert resolve_page(trace, RecordingContext(page=page)) is page
    assert resolve_page(trace, RecordingContext()).pids == {PAGE}


def test_tracing_started_with_its_commits_and_children() -> None:
    trace = make(
        [
            *BASE,
            started({"frame": "M", "url": "about:blank", "processId": PAGE}),
            committed(5, frame="M", url=URL, processId=PAGE),
            committed(6, frame="C", parent="M", url="http://b.test/", processId=OTHER),
            committed(7, frame="GC", parent="C", url="http://a.test/c", processId=PAGE),
        ]
    )
    page = resolve_page(trace)
    assert page.main == FrameIdentity(PAGE, PAGE, "M", URL)
    assert [frame.frame_id for frame in page.frames] == ["M", "C", "GC"]
    assert (page.pids, page.frame_pids) == ({PAGE}, {PAGE, OTHER})
    assert page.how == "TracingStartedInBrowser, FrameCommittedInBrowser"


def test_a_page_that_changes_process_keeps_the_earlier_one() -> None:
    trace = make(
        [
            *BASE,
            started({"frame": "M", "url": "about:blank", "processId": OTHER}),
            navigation(3, "M"),
            committed(5, frame="M", url=URL, processId=PAGE),
        ]
    )
    page = resolve_page(trace)
    assert page.main == FrameIdentity(PAGE, PAGE, "M", URL)
    assert (page.earlier_pids, page.pids) == ([OTHER], {PAGE, OTHER})


def test_a_process_that_wrote_nothing_is_not_believed() -> None:
    trace = make([*BASE, started({"frame": "M", "processId": 999}), committed(5, frame="M", url=URL, processId=PAGE)])
    page = resolve_page(trace)
    assert (page.pids, page.how) == ({PAGE}, "FrameCommittedInBrowser")


def test_a_process_told_when_it_is_ready() -> None:
    ready = instant(
        "ProcessReadyInBrowser",
        ts=6,
        pid=BROWSER,
        args={"data": {"frame": "M", "processPseudoId": "0x1", "processId": PAGE}},
    )
    trace = make(
        [*BASE, started({"frame": "M", "processId": OTHER}), committed(5, frame="M", processPseudoId="0x1"), ready]
    )
    page = resolve_page(trace)
    assert (page.main and page.main.pid, page.earlier_pids) == (PAGE, [OTHER])


def test_without_tracing_started_the_web_page_that_loaded_last() -> None:
    trace = make(
        [
            *BASE,
            commit_load(3, "N", pid=OTHER, url="chrome://newtab/", isOutermostMainFrame=True),
            commit_load(4, "M", isMainFrame=True, isOutermostMainFrame=True),
            commit_load(5, "C", url="http://a.test/c", isMainFrame=False, isOutermostMainFrame=False, page="M"),
            commit_load(9, "N", pid=OTHER, url="chrome://newtab/", isOutermostMainFrame=True),
        ]
    )
    page = resolve_page(trace)
    assert [frame.frame_id for frame in page.frames] == ["M", "C"]
    assert (page.main and page.main.tid, page.how) == (PAGE, "CommitLoad")


def test_user_timing_alone_is_enough() -> None:
    trace = make(
        [
            *BASE,
            navigation(3, "M", isLoadingMainFrame=True, isOutermostMainFrame=True),
            navigation(4, "C", isLoadingMainFrame=False, isOutermostMainFrame=False),
            navigation(5, "N", pid=OTHER, url="", isLoadingMainFrame=True),
        ]
    )
    page = resolve_page(trace)
    assert [frame.frame_id for frame in page.frames] == ["M", "C"]
    assert page.how == "navigationStart"


def test_a_fenced_or_prerendered_main_frame_is_not_the_page() -> None:
    data = {"isOutermostMainFrame": True, "isInPrimaryMainFrame": False}
    frames = [{"frame": "P", "processId": OTHER, **data}, {"frame": "M", "processId": PAGE}]
    page = resolve_page(make([*BASE, started(*frames)]))
    assert page.main and page.main.frame_id == "M"


def test_tracing_started_in_page_of_old() -> None:
    started_in_page = instant(
        "TracingStartedInPage", ts=2, args={"data": {"page": "0x1", "frames": [{"frame": "0x1", "url": URL}]}}
    )
    page = resolve_page(make([*BASE, started_in_page]))
    assert page.main == FrameIdentity(PAGE, PAGE, "0x1", URL)


def test_what_remains_is_the_only_renderer() -> None:
    page = resolve_page(make([*names(), slice("RunTask", ts=1, dur=1)]))
    assert (page.main, page.how) == (FrameIdentity(PAGE, PAGE), "the only renderer in the trace")


def test_two_renderers_and_no_word_of_either_give_no_page() -> None:
    page = resolve_page(make(BASE))
    assert (page.frames, page.pids, page.how) == ([], set(), "nothing in the trace names the page")


def test_arguments_of_a_strange_shape_are_passed_over() -> None:
    strange: list[Any] = [
        None,
        [],
        "x",
        {"data": None},
        {"data": {"frames": "x"}},
        {"data": {"frames": [None, {"frame": 3}]}},
    ]
    events = [
        event(name, "I", 2, s="t", args=args)
        for name in ("TracingStartedInBrowser", "TracingStartedInPage", "CommitLoad", "FrameCommittedInBrowser")
        for args in strange
    ]
    assert resolve_page(make([*BASE, *events])).frames == []
