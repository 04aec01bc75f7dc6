"""Tracks: where an event of a Perfetto trace belongs. A descriptor may come after the events that are on its track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from harness.trace.proto_schema import text

Scope = Literal["thread", "process", "global"]
_DEEPEST: Final = 64  # a chain of parents that is longer runs in a circle
_PROCESS_TYPES: Final = {1: "Browser", 2: "Renderer", 3: "Utility", 4: "Zygote", 5: "SandboxHelper", 6: "Gpu"}


@dataclass(frozen=True, slots=True)
class Place:
    """A track. own: events on it are the thread's, the process's or the trace's own, not those of a track below it."""

    scope: Scope
    own: bool
    pid: int = 0
    tid: int = 0
    name: str = ""


class _Described(NamedTuple):
    """What is kept of a descriptor. on: the thread or process that it is of."""

    parent: int
    name: str
    scope: Scope
    on: tuple[int, int] = (0, 0)


class Tracks:
    """All tracks that the trace describes.

    counters: descriptors of counter tracks, by uuid.
    """

    def __init__(self) -> None:
        self._described: dict[int, _Described] = {}
        # Each span may have a track of its own: they differ in uuid alone.
        self._alike: dict[_Described, _Described] = {}
        self._places: dict[_Described, Place] = {}
        self.counters: dict[int, Any] = {}
        self.thread_names: dict[tuple[int, int], str] = {}
        self.process_names: dict[int, str] = {}

    def describe(self, track: Any) -> None:
        """Take a `TrackDescriptor`; each says all there is, so a later one for the same track replaces an earlier."""
        name = text(track.name or track.static_name or track.atrace_name)
        described = _Described(track.parent_uuid, name, "global")
        if track.HasField("counter"):
            self.counters[track.uuid] = track.counter
        if track.HasField("process"):
            self.name_process(track.process, track.name)
            described = _Described(track.parent_uuid, name, "process", (track.process.pid, track.process.pid))
        if track.HasField("thread"):
            self.name_thread(track.thread, track.name)
            described = _Described(track.parent_uuid, name, "thread", (track.thread.pid, track.thread.tid))
        self._described[track.uuid] = self._alike.setdefault(described, described)

    def name_process(self, process: Any, name: str = "") -> None:
        if name := process.process_name or name or _PROCESS_TYPES.get(process.chrome_process_type, ""):
            self.process_names[process.pid] = text(name)

    def name_thread(self, thread: Any, name: str = "") -> None:
        if name := thread.thread_name or name:
            self.thread_names[thread.pid, thread.tid] = text(name)

    def place(self, uuid: int) -> Place:
        """Where a track belongs, once all are described; one that nobody described is the trace's."""
        described = self._described.get(uuid)
        if described is None or not uuid:
            return self._find(uuid, described)
        if (known := self._places.get(described)) is None:
            known = self._places[described] = self._find(uuid, described)
        return known

    def _find(self, uuid: int, described: _Described | None) -> Place:
        name, own = described.name if described is not None else "", True
        for _ in range(_DEEPEST):
            if described is None:
                break
            if described.scope != "global":
                return Place(described.scope, own, *described.on, name)
            described, own = self._described.get(described.parent), False
        return Place("global", uuid == 0, name=name)
