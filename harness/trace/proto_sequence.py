"""What the packets of one writer leave unsaid: words that were said before, times that count from the last one.

Each writer has a `trusted_packet_sequence_id`. It clears its state now and then, and after a loss everything up to the
next clearing cannot be read.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from harness.trace.proto_schema import text

MONOTONIC: Final = 3  # BuiltinClock; the clock of a trace of Chrome's
_BOOTTIME: Final = 6  # what a packet's time is on when nothing says
_OWN_CLOCKS: Final = range(64, 128)  # clocks that one sequence defines for itself
_CLEARED, _NEEDS_STATE = 1, 2
_THREAD_TIME: Final = 1  # CounterDescriptor.BuiltinCounterType
# Fields of TrackEvent.
_DELTA_US, _ABSOLUTE_US, _THREAD_DELTA_US, _THREAD_ABSOLUTE_US = 1, 16, 2, 17
_EXTRA_VALUES, _EXTRA_TRACKS = 12, 31

LOST = "places where packets were lost"
UNREADABLE = "packets after a loss that cannot be read"
NO_CLOCK = "packets on a clock that nothing explains"


class Clocks:
    """From any of the machine's clocks to MONOTONIC, as the last snapshot told."""

    def __init__(self) -> None:
        self._behind: dict[int, int] = {MONOTONIC: 0}

    def snapshot(self, snapshot: Any) -> int | None:
        """Learn from a snapshot; returns its moment in ns of MONOTONIC, None where it does not tell."""
        times = {clock.clock_id: clock.timestamp for clock in snapshot.clocks if clock.clock_id not in _OWN_CLOCKS}
        now: int | None = times.get(MONOTONIC)
        if now is None:
            return next((ts + self._behind[clock] for clock, ts in times.items() if clock in self._behind), None)
        self._behind |= {clock: now - ts for clock, ts in times.items()}
        return now

    def to_monotonic(self, clock: int, ts: int) -> int | None:
        behind = self._behind.get(clock)
        return None if behind is None else ts + behind


class _OwnClock:
    """A clock of one sequence: `unit` ns, and `last` where each time is told as the distance from the one before."""

    def __init__(self, clock: Any, now: int) -> None:
        self.unit = clock.unit_multiplier_ns or 1
        self.incremental = clock.is_incremental
        self.last = clock.timestamp
        self.behind = now - clock.timestamp * self.unit

    def read(self, ts: int) -> int:
        if self.incremental:
            ts = self.last = self.last + ts
        return int(ts * self.unit + self.behind)


class Sequence:
    """The state of one writer.

    thread: (pid, tid) of the thread that it last described, None before.
    defaults: its `TrackEventDefaults`.
    """

    def __init__(self, clocks: Clocks, anomalies: Counter[str]) -> None:
        self._clocks, self._anomalies = clocks, anomalies
        self._own: dict[int, _OwnClock] = {}
        self._valid = False
        self._default_clock = 0
        self._counters: dict[int, int] = {}
        self.defaults: Any = None
        self.interned: dict[str, dict[int, Any]] = {}
        self.thread: tuple[int, int] | None = None
        # Times as the first versions wrote them: in microseconds from the thread's descriptor on.
        self._reference_us = self._reference_thread_us = 0

    def take(self, packet: Any) -> bool:
        """Bring the state up to this packet; whether the packet can be read."""
        flags = packet.sequence_flags
        if flags & _CLEARED or packet.incremental_state_cleared:
            self._clear()
        elif packet.previous_packet_dropped:
            self._valid = False
        if packet.previous_packet_dropped and not packet.first_packet_on_sequence:
            self._anomalies[LOST] += 1
        if flags & _NEEDS_STATE and not self._valid:
            self._anomalies[UNREADABLE] += 1
            return False
        if packet.HasField("trace_packet_defaults"):
            told = packet.trace_packet_defaults
            self._default_clock = told.timestamp_clock_id
            self.defaults = told.track_event_defaults if told.HasField("track_event_defaults") else None
        if packet.HasField("interned_data"):
            for field, entries in packet.interned_data.ListFields():
                if field.is_repeated:
                    self.interned.setdefault(field.name, {}).update((entry.iid, entry) for entry in entries)
        if packet.HasField("clock_snapshot"):
            self._snapshot(packet.clock_snapshot)
        return True

    def _clear(self) -> None:
        self._valid = True
        self._own, self._counters, self.interned = {}, {}, {}
        self._default_clock, self.defaults, self.thread = 0, None, None

    def _snapshot(self, snapshot: Any) -> None:
        if (now := self._clocks.snapshot(snapshot)) is None:
            return
        for clock in snapshot.clocks:
            if clock.clock_id in _OWN_CLOCKS:
                self._own[clock.clock_id] = _OwnClock(clock, now)

    def describe_thread(self, thread: Any) -> None:
        self.thread = thread.pid, thread.tid
        self._reference_us, self._reference_thread_us = thread.reference_timestamp_us, thread.reference_thread_time_us

    def time(self, packet: Any) -> int:
        """The time of a packet in ns of MONOTONIC."""
        clock = packet.timestamp_clock_id or self._default_clock or _BOOTTIME
        if clock in self._own:
            return self._own[clock].read(packet.timestamp)
        if (ts := self._clocks.to_monotonic(clock, packet.timestamp)) is None:
            self._anomalies[NO_CLOCK] += 1
            return int(packet.timestamp)
        return ts

    def event_time(self, packet: Any, told: dict[int, Any]) -> int:
        """The time of a track event in ns of MONOTONIC, from wherever its version put it. told: its fields."""
        if (delta := told.get(_DELTA_US)) is not None:
            self._reference_us += delta
            return int(self._reference_us * 1000)
        if absolute := told.get(_ABSOLUTE_US):
            return int(absolute * 1000)
        return self.time(packet)

    def thread_time(self, told: dict[int, Any], counters: dict[int, Any]) -> int | None:
        """The CPU time of its thread at a track event, in ns. counters: the descriptors of counter tracks by uuid."""
        if (values := told.get(_EXTRA_VALUES)) is None:
            if (delta := told.get(_THREAD_DELTA_US)) is not None:
                self._reference_thread_us += delta
                return int(self._reference_thread_us * 1000)
            return int(absolute * 1000) if (absolute := told.get(_THREAD_ABSOLUTE_US)) else None
        found = None
        tracks = told.get(_EXTRA_TRACKS) or (self.defaults.extra_counter_track_uuids if self.defaults else ())
        for uuid, value in zip(tracks, values, strict=False):
            counter = counters.get(uuid)
            counted = self.count(uuid, value, counter)
            if counter is not None and counter.type == _THREAD_TIME:
                found = int(counted)
        return found

    def count(self, uuid: int, value: float, counter: Any) -> float:
        """The absolute value of a counter, in its own unit."""
        if counter is None:
            return value
        value *= counter.unit_multiplier or 1
        if counter.is_incremental:
            value = self._counters[uuid] = self._counters.get(uuid, 0) + int(value)
        return value

    def word(self, kind: str, iid: int) -> str:
        found = self.interned.get(kind, {}).get(iid)
        return text(found.name) if found is not None else f"unknown({iid})"
