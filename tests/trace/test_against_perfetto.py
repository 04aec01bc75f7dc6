"""The same recordings read by Perfetto's own trace processor and by us: events, times, nesting, arguments, arrows."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from harness.trace import Event, Trace, load
from tests.lab import FULL
from tests.run.test_recording import recorded
from tests.trace.perfetto_ui import open_trace, perfetto, query

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

MORE = ", v8, cc, viz, toplevel, toplevel.flow, benchmark, disabled-by-default-devtools.timeline.frame"
SLICES = """
  select s.id, s.name, s.category, s.ts, s.dur, process.pid, tid, thread_track.type, parent.ts, parent.dur, parent.name
  from slice s left join slice parent on parent.id = s.parent_id left join thread_track on thread_track.id = s.track_id
  left join thread using (utid) left join process using (upid)
"""
ARGS = """
  select slice.id, key, value_type, coalesce(string_value, int_value, real_value)
  from slice join args on args.arg_set_id = slice.arg_set_id
"""
FLOWS = "select slice_out, slice_in from flow"
THREADS = """
  select distinct pid, tid, thread.name from slice join thread_track on thread_track.id = track_id
  join thread using (utid) join process using (upid) where thread.name is not null
"""
# As Chrome's JSON has them, and so do we.
RENAMED = {
    "task.posted_from.file_name": "src_file",
    "task.posted_from.function_name": "src_func",
    "task.posted_from.line_number": "src_line",
}
OPEN = -1  # the duration of what never ended


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def ui() -> AsyncIterator[Page]:
    async with perfetto() as page:
        yield page


@pytest.mark.parametrize("recorder", ["cdp-browser", "perfetto"])
async def test_both_read_the_same(tmp_path: Path, recorder: str, ui: Page) -> None:
    _, _, file = await recorded(tmp_path, recorder, MORE, FULL, "headless")  # a shell leaves out what names arguments
    trace = load(file)
    await open_trace(ui, file)
    assert await query(ui, "select name from stats where severity != 'info' and value > 0") == []
    rows = await query(ui, SLICES)
    ours, theirs = _by_key(trace.events), _by_row(rows)
    assert _counts(ours) == _counts(theirs)
    assert len(ours) > 500 and {"ParseHTML", "PipelineReporter"} <= {name for name, *_ in ours}

    by_number = {row[0]: row for row in rows}
    args = _args(await query(ui, ARGS))
    usual = Counter(row[7] for row in rows).most_common(1)[0][0]
    told = nested = 0
    for event, number in _alike(ours, theirs):
        assert {key: _same(value) for key, value in _flat(event.args)} == args.get(number, {}), event
        told += bool(event.args)
        row = by_number[number]
        ts, _, name = row[8:]
        if event.kind == "slice" or not _has_its_own_rule(event, row, usual):
            assert (event.parent and (event.parent.name, event.parent.ts)) == (name and (name, ts // 1000)), event
            nested += event.parent is not None
    assert told > 500 and nested > 500

    arrows = [(by_number[source], by_number[target]) for source, target in await query(ui, FLOWS)]
    assert len(arrows) > 500
    alone = _alone(rows)
    plain = Counter((_start(a), _start(b)) for a, b in arrows if alone[_start(a)] == alone[_start(b)] == 1)
    assert plain.total() > 100 and plain <= _arrows(trace)

    for pid, tid, name in await query(ui, THREADS):
        assert trace.threads[pid, tid].name == name


_Key = tuple[Any, ...]


def _by_key(events: list[Event]) -> dict[_Key, list[Event]]:
    """What both have in a thread of its own and what is in none, by name, category, time, duration and thread."""
    found: dict[_Key, list[Event]] = {}
    for event in events:
        if event.kind in ("slice", "instant", "async"):
            point = event.kind == "instant" or event.ph == "n"
            length = 0 if point else OPEN if event.dur is None else event.dur
            thread = event.thread if event.kind != "async" and event.scope not in ("p", "g") else (None, None)
            found.setdefault((event.name, event.cat, event.ts, length, *thread), []).append(event)
    return found


def _by_row(rows: list[list[Any]]) -> dict[_Key, list[int]]:
    """In whole microseconds, as Chrome writes them in JSON. Spans of a thread's own tracks are in no thread."""
    found: dict[_Key, list[int]] = {}
    for number, name, category, ts, dur, pid, tid, track, *_ in rows:
        length = OPEN if dur < 0 else (ts + dur) // 1000 - ts // 1000
        thread = (None, None) if track is None or "merged" in track else (pid, tid)
        found.setdefault((name, category, ts // 1000, length, *thread), []).append(number)
    return found


def _counts(found: dict[_Key, list[Any]]) -> dict[_Key, int]:
    return {key: len(events) for key, events in found.items()}


def _alike(ours: dict[_Key, list[Event]], theirs: dict[_Key, list[int]]) -> Iterator[tuple[Event, int]]:
    for key, events in ours.items():
        if len(events) == 1 and key[-1] is not None:
            yield events[0], theirs[key][0]


def _has_its_own_rule(instant: Event, row: list[Any], usual: str) -> bool:
    """Where an instant lies is ruled in other ways at the very edge of a slice; where Perfetto puts it into another
    instant, which is a slice of no length there; and where a writer gave it a second track of its thread."""
    *_, track, begin, length, _ = row
    ours = instant.parent
    at_an_edge = begin == instant.ts * 1000 or (ours is not None and instant.ts in (ours.ts, ours.end))
    return length == 0 or at_an_edge or track != usual


def _args(rows: list[list[Any]]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for number, key, kind, value in rows:
        key = key.removeprefix("args.").removeprefix("debug.")
        if not key.startswith("legacy_event."):
            told = bool(value) if kind == "bool" else hex(value) if kind == "pointer" else _same(value)
            if kind == "real":  # also what is too large for its integers
                told = _same(float(value))
            found.setdefault(number, {})[RENAMED.get(key, key)] = told
    return found


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """As the trace processor names them: `a.b[0].c`; what is empty has no name."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _flat(one, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _flat(one, f"{path}[{place}]")
    else:
        yield path, value


def _same(value: Any) -> Any:
    """JSON does not tell 2 from 2.0, tables of SQL have no unsigned numbers, and nothing is 0x0 in Chrome's JSON."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "0x0" if value is None else value
    whole = value % 2**64 if value == int(value) else value
    return whole if isinstance(value, int) else pytest.approx(whole)


_Start = tuple[str, float, int, int]


def _start(row: list[Any]) -> _Start:
    return row[1], row[3] // 1000, row[5], row[6]


def _alone(rows: list[list[Any]]) -> Counter[_Start]:
    """How many events begin at this moment on the thread; many for what is too short for an arrow to be bound to."""
    moments = Counter(_start(row)[1:] for row in rows)
    return Counter({_start(row): moments[_start(row)[1:]] + (row[4] < 1000) for row in rows})


def _arrows(trace: Trace) -> Counter[tuple[_Start, _Start]]:
    ends = ((flow.source_slice or flow.source, flow.target_slice or flow.target) for flow in trace.flows)
    return Counter(((a.name, a.ts, *a.thread), (b.name, b.ts, *b.thread)) for a, b in ends)
