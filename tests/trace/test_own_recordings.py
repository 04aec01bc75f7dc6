"""What Chromium 153 and 156 write, as the model sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.trace import Event, Trace, in_scope, load, resolve_page

FOLDER = Path(__file__).parent / "recordings"


@pytest.fixture(scope="module", params=[153, 156])
def trace(request: pytest.FixtureRequest) -> Trace:
    return load(FOLDER / f"chromium-{request.param}.json.gz")


def holders(event: Event) -> list[str]:
    return [holder.name for holder in event.ancestors()]


def test_nothing_overlaps_and_every_end_has_its_begin(trace: Trace) -> None:
    assert set(trace.anomalies) == {"open slices"}


def test_the_page_and_its_frame_are_told_without_tracing_started_in_browser(trace: Trace) -> None:
    assert not trace.by_name("TracingStartedInBrowser")
    page = resolve_page(trace)
    assert [frame.url for frame in page.frames] == ["file:///fixtures/small.html", "about:srcdoc"]
    assert page.how == "navigationStart, CommitLoad"
    on_main = in_scope("page.main", trace, page)
    assert all(on_main(event) for event in trace.by_name("ParseHTML"))
    assert not any(on_main(event) for event in trace.by_name("clock_sync"))


def test_marks_lie_in_the_script_that_set_them(trace: Trace) -> None:
    (a,) = trace.by_name("a")
    (b,) = trace.by_name("b")
    assert holders(a)[0] == "EvaluateScript" and "ParseHTML" in holders(a)
    assert holders(b)[0] == "FunctionCall" and "TimerFire" in holders(b) and "ParseHTML" not in holders(b)
    assert holders(a)[-1] == holders(b)[-1] == "RunTask"


def test_ends_that_blink_interleaves_nest_in_time_and_swap_their_arguments(trace: Trace) -> None:
    for parse in trace.by_name("ParseHTML"):
        assert parse.parent is not None and parse.parent.name == "HTMLDocumentParser::PumpTokenizer"
        assert parse.args.keys() == {"beginData", "parsed_bytes", "parsed_tokens"}
        assert "endData" in parse.parent.args


def test_a_task_is_no_longer_than_its_parts_and_no_shorter(trace: Trace) -> None:
    for event in trace.by_name("RunTask"):
        children = [child for child in trace.on_thread(event.thread) if child.parent is event and child.kind == "slice"]
        assert 0 <= trace.self_time(event) == event.end - event.ts - sum(child.end - child.ts for child in children)


def test_flows_join_records_of_one_name(trace: Trace) -> None:
    assert len(trace.flows) > 100
    assert all(flow.source.name == flow.target.name and flow.source.ts <= flow.target.ts for flow in trace.flows)


def test_the_parts_of_an_animation_frame_are_spans_of_its_track(trace: Trace) -> None:
    frames = [event for event in trace.by_name("AnimationFrame") if event.kind == "async"]
    parts = trace.by_name("AnimationFrame::Render")
    assert frames and parts
    for part in parts:
        assert any(frame.id == part.id and frame.ts <= part.ts and part.end <= frame.end for frame in frames)
