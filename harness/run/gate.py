"""The validity gate: what makes a recording no evidence, looked at before any expectation.

Each rule gives its reason in words, or nothing. Anomalies that a trace may have and still be evidence (overlapping
slices, unmatched begins and ends) are counted in the recording's record instead.
"""

from __future__ import annotations

from harness.scenario.model import Arm, Case
from harness.trace import Trace, losses
from harness.trace.context import END, START, RecordingContext, marker_name
from harness.units import format_us

_OPEN_ENDED = "array not closed"
# Both markers are asked for after the start was noted and answered before the end was: 0.3 to 36 ms in between.
_SLACK_US = 1000.0
_UNTIMED = ("events without ts", "negative durations", "pids that are not numbers")


def invalid_reasons(
    case: Case, arm: Arm, trace: Trace, context: RecordingContext, *, marked: bool = True, silent: bool = False
) -> list[str]:
    """Why this recording is no evidence; empty when it is. `marked`: our recorder made it, so it has its markers.

    `silent`: the page may have written nothing, as where a category is left out to see what it carries.
    """
    checks = (
        _data_loss(trace, context),
        _times(trace),
        _cut(trace) if marked else "",
        _markers(arm, trace, context) if marked else "",
        _main_thread(arm, trace, context, silent),
        _named(trace, context) if marked else "",
        _one_process(case, context),
    )
    return [*context.doubts, *(reason for reason in checks if reason)]


def _data_loss(trace: Trace, context: RecordingContext) -> str:
    """By the protocol, and by the file itself: 64 reports none, and a trace tested later may lack its context."""
    told = losses(trace)
    if not context.data_loss and not told:
        return ""
    counts = ", ".join(f"{kind} {count}" for kind, count in told.items())
    what = f"the browser reported data loss{f' ({counts})' if counts else ''}"
    return f"{what}: the trace buffer was full; raise record.buffer or record fewer categories"


def _times(trace: Trace) -> str:
    """What has no time, or an impossible one, would stand somewhere all the same and decide an order or a window."""
    found = [f"{trace.anomalies[kind]} {kind}" for kind in _UNTIMED if kind in trace.anomalies]
    return f"the trace has {' and '.join(found)}, which Chrome does not write" if found else ""


def _cut(trace: Trace) -> str:
    """Recorders write whole documents. Where only the bracket is lacking, nobody knows what else is."""
    if _OPEN_ENDED not in trace.anomalies:
        return ""
    return "the file is cut behind an event: the list of its events is not closed"


def _markers(arm: Arm, trace: Trace, context: RecordingContext) -> str:
    if arm.record.markers == "none" or arm.record.recorder == "startup":  # which has watched its own length
        return ""
    times = {edge: _marked(trace, marker_name(edge)) for edge in (START, END)}
    lacking = [edge for edge, at in times.items() if at is None]
    if lacking:
        span = format_us(trace.end_ts - trace.start_ts)
        part = "head" if START in lacking else "tail"
        return f"no {' and no '.join(lacking)} marker in the trace, which spans {span}: its {part} is missing"
    begin, end = context.mark(START), context.mark(END)
    if begin is None or end is None:
        return ""
    astray = [edge for edge, at in times.items() if at is not None and not begin - _SLACK_US <= at <= end + _SLACK_US]
    if not astray:
        return ""
    return (
        f"its {' and '.join(astray)} marker was not written while it was recorded: "
        "the trace's clock is not the host's, or the trace is another one"
    )


def _marked(trace: Trace, name: str) -> float | None:
    """When a marker was written: a clock marker, or a mark of the page."""
    clocks = (event for event in trace.by_name("clock_sync") if event.args.get("sync_id") == name)
    return next((event.ts for event in (*clocks, *trace.by_name(name))), None)


def _main_thread(arm: Arm, trace: Trace, context: RecordingContext, silent: bool) -> str:
    main = context.page.main if context.page else None
    if main is None:
        return f"the page under test was not identified: {_nameless(arm)}"
    if silent or (main.pid, main.tid) in trace.writers:
        return ""
    return f"the page's main thread (process {main.pid}, thread {main.tid}) wrote no event"


def _named(trace: Trace, context: RecordingContext) -> str:
    """Chrome names the threads of each recording. Without, roles such as `main` are guesses, and names are no news."""
    main = context.page.main if context.page else None
    thread = trace.threads.get((main.pid, main.tid)) if main else None
    if thread is None or thread.name:
        return ""
    return (
        f"no metadata names the page's main thread (process {thread.pid}, thread {thread.tid}): "
        "the trace has lost its `thread_name` events, so it says nothing of threads"
    )


def _nameless(arm: Arm) -> str:
    if arm.record.recorder != "startup":
        return "no nonce mark came back and the trace does not tell"
    return (
        "nobody was connected to ask the page, and no event says which renderer is its own; "
        "record devtools.timeline (CommitLoad) or blink.user_timing (navigationStart)"
    )


def _one_process(case: Case, context: RecordingContext) -> str:
    if case.changes_process or not context.page or not context.page.earlier_pids:
        return ""
    pids = ", ".join(str(pid) for pid in context.page.earlier_pids)
    return (
        f"the page changed its process while it was recorded (earlier: {pids}); "
        "where that is meant, the scenario says `changes_process: true`"
    )


def last_us(trace: Trace) -> dict[str, float]:
    """When each process wrote last, in microseconds after the first event of all: one far before the others died."""
    return {str(pid): ts - trace.start_ts for pid, ts in trace.last_ts_by_process.items()}
