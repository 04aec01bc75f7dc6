"""How smooth the evidence timeline is: `python -m tests.report.frames [--browser 156] [--events 50000]` and more.

The report is recorded by traceproof itself while a wheel turns over its timeline, which pans and zooms. For each
movement one line tells what a frame cost in which the timeline was drawn: processor time of script (animation frame
callbacks and wheel events) and of the whole main thread, the time from any frame to the next as the page was told, and
what is too much (tasks of more than 50 ms, frames dropped). Milliseconds: median, 95th percentile, most.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from harness.browser import shared_driver
from harness.run.attempt import run_attempt
from harness.run.builds import find_builds
from harness.run.plan import Job
from harness.run.signals import blocking
from harness.scenario.load import load_file
from harness.store import RunFolder, context_beside
from harness.trace import Trace, load
from harness.trace.context import RecordingContext
from harness.trace.event import Event
from tests.report.large import crowded
from tests.report.pages import report_of
from tests.samples import mixed

# Each turn of the wheel is answered once the page has drawn a frame.
MOVEMENTS: dict[str, Sequence[tuple[float, float]]] = {
    "pan_all": [(120, 0), (-120, 0)] * 30,
    "zoom_in": [(0, -120)] * 20,
    "pan_part": [(120, 0)] * 40,
    "zoom": [(0, 120)] * 10 + [(0, -120)] * 10,
}
SCENARIO = """
scenario: report.frames
title: A wheel turns over a timeline
claims: [report.frames]
record:
  categories: [devtools.timeline, disabled-by-default-devtools.timeline, disabled-by-default-devtools.timeline.frame]
timeout: 120s
fixture: report.html
steps:
  - goto: "${fixture.url}#claim=parse-html.holds"
  - settle: 500ms
  - evaluate: >-
      (document.querySelector('canvas').scrollIntoView(), document.querySelector('canvas').focus(), window.frames_ = [],
      requestAnimationFrame(function next(time) { frames_.push(time * 1000); requestAnimationFrame(next); }), 0)
STEPS
  - mark: done
select: {fired: {name: FireAnimationFrame}}
expect: [{count: {of: fired, is: ">= 1"}}]
"""
SCRIPT = {"FireAnimationFrame", "EventDispatch"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", default="156")
    parser.add_argument("--mode", default="headless")
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--lanes", type=int, default=12)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace, context = record(Path(folder), asked.browser, asked.mode, asked.events, asked.lanes)
        print(f"{asked.events} events, {asked.lanes} tracks, {context.build} {context.mode}")
        print(f"{'':10}{'frames':>7}{'script':>21}{'main thread':>21}{'between frames':>21}  long  dropped")
        for line in table(trace, context):
            print(line)


def record(folder: Path, browser: str, mode: str, events: int, lanes: int) -> tuple[Trace, RecordingContext]:
    """One recording of the report with its timeline moved about."""
    (folder / "report.html").write_text(report_of(mixed(), crowded(events, lanes)))
    steps = [
        line
        for name, turns in MOVEMENTS.items()
        for line in (
            "  - evaluate: frames_.splice(0).length",
            f"  - mark: {name}",
            *(f"  - {{wheel: [{x}, {y}], at: [500, 150]}}" for x, y in turns),
            f"  - {{evaluate: frames_.splice(0), as: {name}}}",
        )
    ]
    (folder / "frames.scenario.yaml").write_text(SCENARIO.replace("STEPS", "\n".join(steps)))
    (case,) = load_file(folder / "frames.scenario.yaml", claims={"report.frames": None}, fixtures_roots=[])  # type: ignore[dict-item]
    (build,) = find_builds((browser,), print)[:1]
    out = RunFolder(folder / "out")

    async def attempt() -> Path:
        async with shared_driver():
            made = await run_attempt(Job(case, build, mode, 1), 1, out)
        if not made.valid:
            raise SystemExit(f"the report could not be recorded: {made.error or made.reasons}")
        return out.path / made.recordings[0].trace

    trace = blocking(attempt())
    context = context_beside(trace)
    assert context is not None
    return load(trace), context


def table(trace: Trace, context: RecordingContext) -> Iterable[str]:
    moments = {mark.name: mark.ts_us for mark in context.marks}
    page = context.page.main if context.page else None
    assert page is not None
    thread = trace.on_thread((page.pid, page.tid))
    for name, following in pairwise([*MOVEMENTS, "done"]):
        begin, end = moments[name], moments[following]
        inside = [event for event in thread if begin <= event.ts < end]
        fired = [event.ts for event in inside if event.name == "FireAnimationFrame"]
        starts = [event.ts for event in inside if event.name == "BeginMainThreadFrame"]
        # The callback that counts frames is in each, that of the timeline where it was moved.
        frames = [(a, b) for a, b in pairwise(starts) if sum(a <= ts < b for ts in fired) > 1]
        yield (
            f"{name:10}{len(frames):7}{_told(_each(inside, frames, SCRIPT))}{_told(_each(inside, frames, {'RunTask'}))}"
            f"{_told(_between(context.values[name]))}{_long(inside):6}{_dropped(trace, begin, end):9}"
        )


def _each(events: Sequence[Event], frames: Sequence[tuple[float, float]], names: set[str]) -> list[float]:
    """For each frame how much processor time the events of these names took."""
    chosen = [one for one in events if one.name in names and not any(outer.name in names for outer in one.ancestors())]
    return [
        sum(one.dur or 0 if one.tdur is None else one.tdur for one in chosen if begin <= one.end < end)
        for begin, end in frames
    ]


def _between(frames: Sequence[float]) -> list[float]:
    """From one frame to the next, as the page's own callbacks were told."""
    return [after - time for time, after in pairwise(frames)]


def _long(events: Sequence[Event]) -> int:
    return sum(event.name == "RunTask" and (event.dur or 0) > 50_000 for event in events)


def _dropped(trace: Trace, begin: float, end: float) -> int:
    return sum(begin <= event.ts < end for event in trace.by_name("DroppedFrame"))


def _told(times_us: Sequence[float]) -> str:
    ordered = sorted(times_us)
    if not ordered:
        return f"{'-':>21}"
    shown = (ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1])
    return "".join(f"{time / 1_000:7.1f}" for time in shown)


if __name__ == "__main__":
    main()
