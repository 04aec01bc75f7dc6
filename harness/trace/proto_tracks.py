"""Tracks: where an event of a Perfetto trace belongs. A descriptor may come after the events that are on its track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

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


class Tracks:
    """All tracks that the trace describes.

    counters: descriptors of counter tracks, by uuid.
    """

    def __init__(self) -> None:
        self._described: dict[int, Any] = {}
        self._places: dict[int, Place] = {}
        self.counters: dict[int, Any] = {}
        self.thread_names: dict[tuple[int, int], str] = {}
        self.process_names: dict[int, str] = {}

    def describe(self, track: Any) -> None:
        """Take a `TrackDescriptor`; each says all there is, so a later one for the same track replaces an earlier."""
        self._described[track.uuid] = track
        if track.HasField("counter"):
            self.counters[track.uuid] = track.counter
        if track.HasField("thread"):
            self.name_thread(track.thread, track.name)
        if track.HasField("process"):
            self.name_process(track.process, track.name)

    def name_process(self, process: Any, name: str = "") -> None:
        if name := process.process_name or name or _PROCESS_TYPES.get(process.chrome_process_type, ""):
            self.process_names[process.pid] = name

    def name_thread(self, thread: Any, name: str = "") -> None:
        if name := thread.thread_name or name:
            self.thread_names[thread.pid, thread.tid] = name

    def place(self, uuid: int) -> Place:
        """Where a track belongs; a track that nobody described is the trace's."""
        if (known := self._places.get(uuid)) is None:
            known = self._places[uuid] = self._find(uuid)
        return known

    def _find(self, uuid: int) -> Place:
        track = self._described.get(uuid)
        name = (track.name or track.static_name or track.atrace_name) if track is not None else ""
        current = uuid
        for _ in range(_DEEPEST):
            track = self._described.get(current)
            if track is None:
                break
            if track.HasField("thread"):
                return Place("thread", current == uuid, track.thread.pid, track.thread.tid, name)
            if track.HasField("process"):
                return Place("process", current == uuid, track.process.pid, track.process.pid, name)
            current = track.parent_uuid
        return Place("global", uuid == 0, name=name)
