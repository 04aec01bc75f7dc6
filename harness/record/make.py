"""Which recorder a scenario asks for."""

from __future__ import annotations

from collections.abc import Sequence

from harness.record.cdp import CdpRecorder
from harness.record.perfetto import PerfettoConfigRecorder, PerfettoRecorder
from harness.record.recorder import Recorder
from harness.scenario.model import RecordSpec

_KINDS: dict[str, type[CdpRecorder]] = {"perfetto": PerfettoRecorder, "perfetto-config": PerfettoConfigRecorder}


def trace_suffix(spec: RecordSpec) -> str:
    """The ending that the file of a recording has, known before the recorder is made."""
    return _KINDS.get(spec.recorder, CdpRecorder).suffix


def make_recorder(spec: RecordSpec, categories: Sequence[str]) -> Recorder:
    """The recorder for one recording.

    `categories` are trace categories, already resolved from the names of sets and checked; `spec.categories` is not
    looked at. `startup` has phases of its own (`StartupRecorder`).
    """
    assert spec.recorder != "startup", "StartupRecorder has no client to start and stop it"
    return _KINDS.get(spec.recorder, CdpRecorder)(spec, tuple(categories))
