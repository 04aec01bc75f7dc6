"""The recorders that take the trace as Perfetto protobuf: what Chrome writes before it makes JSON of it.

`perfetto` asks for it with `streamFormat: proto`. `perfetto-config` gives a whole `TraceConfig` of Perfetto instead, as
other tools do: the same categories in one buffer, asked for by another way in.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from harness.record.cdp import CdpRecorder
from harness.scenario.model import RecordSpec

GZIP_PROTO = ".pftrace.gz"


class PerfettoRecorder(CdpRecorder):
    """See `Recorder`."""

    suffix = GZIP_PROTO

    def _what(self) -> dict[str, Any]:
        return super()._what() | {"streamFormat": "proto"}


class PerfettoConfigRecorder(PerfettoRecorder):
    """See `Recorder`."""

    def _what(self) -> dict[str, Any]:
        config = trace_config(self._spec, self._categories)
        return {"streamFormat": "proto", "perfettoConfig": base64.b64encode(config).decode()}


def trace_config(spec: RecordSpec, categories: tuple[str, ...]) -> bytes:
    """A serialised `perfetto.protos.TraceConfig` that records what `traceConfig` of the protocol would."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

    config = protos.TraceConfig()
    policy = "RING_BUFFER" if spec.buffer_mode == "continuously" else "DISCARD"
    config.buffers.add(size_kb=max(1, spec.buffer_bytes // 1024), fill_policy=policy)
    legacy = {"included_categories": list(categories), "excluded_categories": list(spec.exclude)}
    for name in ("track_event", "org.chromium.trace_metadata2"):
        source = config.data_sources.add().config
        source.name = name
        source.chrome_config.trace_config = json.dumps(legacy)
    events = config.data_sources[0].config.track_event_config
    # The clock markers are events of this category; `traceConfig` records it unasked.
    events.enabled_categories.extend([*categories, "__metadata"])
    events.disabled_categories.extend(spec.exclude)
    events.timestamp_unit_multiplier = 1000  # microseconds, in which Chrome measures
    events.enable_thread_time_sampling = True
    return bytes(config.SerializeToString())
