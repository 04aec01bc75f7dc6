"""A cut of a recording as a `Drawing`: lanes in the order in which people look for them, events as columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from harness.evidence.cut import Cut
from harness.evidence.drawing import Drawing, Highlight, Lane, LaneKind, Window
from harness.evidence.selected import Looked, frames_of
from harness.expect import Recording
from harness.expect.evidence import cut_value
from harness.expect.items import SERVER_TID, Item, Pseudo
from harness.trace import Event, ProcessInfo, ThreadInfo
from harness.trace.context import END, START

_TEXT, _FULL_TEXT = 160, 4_000  # characters of the arguments of any event, and of one that is evidence
_THREADS = ("main", "compositor", "worker", "raster", "io", "pool", "other")
_PROCESSES = ("renderer", "browser", "gpu", "utility", "other")
_LETTER = {"slice": "s", "instant": "i", "async": "a"}
_LaneKey = tuple[LaneKind, int, int, str]


class Columns:
    """Collects the columns of one drawing."""

    def __init__(self, recording: Recording, cut: Cut, looked: Looked, origin: str) -> None:
        self._trace, self._context, self._cut, self._looked = recording.trace, recording.context, cut, looked
        self._page = self._context.page.frame_pids if self._context.page else set()
        zero = self._context.mark(origin)
        self._origin, self._zero = origin, self._trace.start_ts if zero is None else zero
        self._rows: list[tuple[_LaneKey, int, Item, str]] = []  # lane, row, event, letter
        self._depths: dict[_LaneKey, int] = {}

    def drawing(self, *, attempt: int, trace: str) -> Drawing:
        self._place_events()
        self._place_pseudo()
        keys = sorted(self._depths, key=self._order)
        number = {key: i for i, key in enumerate(keys)}
        self._rows.sort(key=lambda one: (number[one[0]], one[1], one[2].ts))
        at = {id(item): i for i, (_, _, item, _) in enumerate(self._rows)}
        full = {id(item) for chosen in self._looked.chosen for item in chosen.items}
        names, texts = _Table(), _Table()
        frames_name, frames = frames_of(self._trace, self._page)
        context, cut = self._context, self._cut
        return Drawing(
            arm=context.arm,
            block=context.block,
            attempt=attempt,
            trace=trace,
            origin=self._origin,
            begin=self._at(cut.begin),
            end=self._at(cut.end),
            lanes=[self._lane(key) for key in keys],
            lane=[number[key] for key, _, _, _ in self._rows],
            row=[row for _, row, _, _ in self._rows],
            ts=[self._at(item.ts) for _, _, item, _ in self._rows],
            dur=[_number(max(item.end - item.ts, 0.0)) for _, _, item, _ in self._rows],
            kind="".join(letter for _, _, _, letter in self._rows),
            name=[names.place(item.name) for _, _, item, _ in self._rows],
            args=[texts.place(_args(item, full=id(item) in full)) for _, _, item, _ in self._rows],
            seq=[item.seq for _, _, item, _ in self._rows],
            names=names.words,
            texts=texts.words,
            flows=self._flows(at, names),
            marks=[(mark.name, self._at(mark.ts_us)) for mark in context.marks],
            windows=self._windows(),
            frames=[self._at(ts) for ts in frames if cut.begin <= ts <= cut.end],
            frames_of=frames_name,
            highlights=self._highlights(at),
            present=cut.present,
            longest_left_out=_number(cut.longest_left_out),
            total=len(self._trace.events),
        )

    def _at(self, ts: float) -> float:
        return _number(ts - self._zero)

    def _place_events(self) -> None:
        ends: dict[_LaneKey, list[float]] = {}
        for event in self._cut.events:
            if event.kind == "async":
                key: _LaneKey = ("async", event.pid, 0, event.name)
                row = _free_row(ends.setdefault(key, []), event)
            else:
                key, row = ("thread", *event.thread, ""), event.depth
            self._place(key, row, event, "o" if event.open else _LETTER.get(event.kind, "i"))

    def _place_pseudo(self) -> None:
        """Gaps below their thread, and the whole log of the fixture server where any of it was looked at."""
        ends: dict[_LaneKey, list[float]] = {}
        for item in self._cut.pseudo:
            server = item.tid == SERVER_TID
            key: _LaneKey = ("server", 0, 0, "") if server else ("gaps", item.pid, item.tid, "")
            self._place(key, _free_row(ends.setdefault(key, []), item), item, "r" if server else "g")

    def _place(self, key: _LaneKey, row: int, item: Item, letter: str) -> None:
        self._rows.append((key, row, item, letter))
        self._depths[key] = max(self._depths.get(key, 0), row + 1)

    def _lane(self, key: _LaneKey) -> Lane:
        kind, pid, tid, name = key
        if kind == "server":
            return Lane(kind=kind, process="Fixture server", name="requests", pid=0, rows=self._depths[key])
        process = self._trace.processes.get(pid, ProcessInfo(pid))
        thread = self._trace.threads.get((pid, tid), ThreadInfo(pid, tid))
        titles = {"thread": thread.name or f"Thread {tid}", "gaps": f"gaps on {thread.name}", "async": name}
        return Lane(
            kind=kind,
            process=_process_name(process),
            name=titles[kind],
            pid=pid,
            tid=tid,
            label=self._devtools_name(thread) if kind == "thread" else "",
            rows=self._depths[key],
        )

    def _devtools_name(self, thread: ThreadInfo) -> str:
        """DevTools calls the page's main thread `Main — <url>`."""
        for frame in self._context.page.frames if self._context.page else []:
            if (frame.pid, frame.tid) == (thread.pid, thread.tid):
                return f"Main — {frame.url}" if frame.url else "Main"
        return ""

    def _order(self, key: _LaneKey) -> tuple[Any, ...]:
        """The page first, and in it the main thread; spans above the threads of their process, as Perfetto has it."""
        kind, pid, tid, name = key
        if kind == "server":
            return (3,)
        process = self._trace.processes.get(pid, ProcessInfo(pid))
        thread = self._trace.threads.get((pid, tid), ThreadInfo(pid, tid))
        return (
            pid not in self._page,
            _PROCESSES.index(process.role),
            pid,
            kind == "async",
            _THREADS.index(thread.role) if thread.role in _THREADS else len(_THREADS),
            tid,
            kind == "gaps",
            name,
        )

    def _flows(self, at: dict[int, int], names: _Table) -> list[int]:
        found: list[int] = []
        for flow in self._trace.flows:
            ends = flow.source_slice or flow.source, flow.target_slice or flow.target
            source, target = (at.get(id(end)) for end in ends)
            if source is not None and target is not None and source != target:
                found += (source, target, names.place(flow.name))
        return found

    def _windows(self) -> list[Window]:
        found = []
        for name, window in self._looked.windows.items():
            begin, end = self._edge(window.begin), self._edge(window.end)
            if begin is not None and end is not None:
                found.append(Window(name=name, begin=begin, end=end))
        return found

    def _edge(self, mark: str) -> float | None:
        if (ts := self._context.mark(mark)) is not None:
            return self._at(ts)
        ends = {START: self._trace.start_ts, END: self._trace.end_ts}
        return self._at(ends[mark]) if mark in ends else None

    def _highlights(self, at: dict[int, int]) -> list[Highlight]:
        found = []
        for chosen in self._looked.chosen:
            pairs = [(at[id(item)], i) for i, item in enumerate(chosen.items) if id(item) in at]
            found.append(
                Highlight(
                    finding=chosen.finding,
                    role=chosen.role,
                    label=chosen.label,
                    at=[place for place, _ in pairs],
                    notes=[chosen.notes[i] for _, i in pairs] if chosen.notes else [],
                    left_out=len(chosen.items) - len(pairs),
                )
            )
        return found


class _Table:
    """Texts, each once."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, word: str) -> int:
        if word not in self._places:
            self._places[word] = len(self.words)
            self.words.append(word)
        return self._places[word]


def common_origin(recordings: Iterable[Recording], looked: Iterable[Looked]) -> str:
    """The mark at which the scale of all arms has its zero: where a window begins, if every arm passed it."""
    contexts = [recording.context for recording in recordings]
    for one in looked:
        for window in one.windows.values():
            if all(context.mark(window.begin) is not None for context in contexts):
                return window.begin
    return START


def _free_row(ends: list[float], item: Item) -> int:
    """The first row in which nothing is going on any more; `ends` is when each row's last one ends."""
    for row, end in enumerate(ends):
        if end <= item.ts:
            ends[row] = item.end
            return row
    ends.append(item.end)
    return len(ends) - 1


def _process_name(process: ProcessInfo) -> str:
    # A process that was born while tracing has its whole command line for a name.
    given = process.name if process.name and not process.name.startswith("/") else process.role.capitalize()
    return f"{given} {process.pid}"


def _args(item: Item, *, full: bool) -> str:
    """Arguments as JSON text: whole where the event is evidence, else its beginning."""
    if isinstance(item, Pseudo) or full:
        text = orjson.dumps(cut_value(item.args)).decode() if item.args else ""
        return text if len(text) <= _FULL_TEXT else f"{text[:_FULL_TEXT]}…"
    assert isinstance(item, Event)
    raw = bytes(memoryview(item.raw_args)[: _TEXT * 4])  # a character is four bytes at most
    if raw == b"{}":
        return ""
    text = raw.decode("utf-8", "replace")
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"


def _number(value: float) -> float:
    """Nanoseconds are as fine as any trace is; whole numbers are written as such."""
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded
