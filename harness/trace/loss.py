"""What a trace file itself says to have lost, whatever the protocol told of it.

Measured with a buffer of 1 MB: 156 and 153 count `chunks_discarded` until the buffer is full and `chunks_overwritten`
in a ring, as do 116 and 110; a recording that fits has a zero in each of them, on every build from 80 on. 64 writes the
event `trace_buffer_overflowed` instead. `readaheads_failed` and `patches_failed` alone lose nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from harness.trace.model import Trace

_LOSSES: Final = (
    "chunks_overwritten",
    "chunks_discarded",
    "trace_writer_packet_loss",
    "sequence_packet_loss",
    "incremental_sequences_dropped",
)
_ANY_LOSS: Final = "data_loss_"
_OF_PROTO: Final = ("chunks overwritten in the buffer", "chunks discarded by the buffer", "writers that lost packets")
OVERFLOWED: Final = "trace_buffer_overflowed"


def losses(trace: Trace) -> dict[str, int]:
    """Each way in which events were lost and how often, in the words of the file; {} where it knows of none."""
    found = Counter(losses_told(trace.metadata))
    found.update({kind: trace.anomalies[kind] for kind in _OF_PROTO if kind in trace.anomalies})
    found[OVERFLOWED] = len(trace.by_name(OVERFLOWED))
    return {kind: count for kind, count in found.items() if count}


def losses_told(metadata: Mapping[str, Any]) -> dict[str, int]:
    """The same from the `metadata` of the file alone: the tracing service's own count, by buffer (their sum)."""
    stats = _mapping(metadata.get("trace_processor_stats") or metadata.get("perfetto_trace_stats"))
    found = Counter[str]()
    for buffer in stats.get("traced_buf") or stats.get("buffer_stats") or []:
        for kind, count in _mapping(buffer).items():
            if (kind in _LOSSES or kind.startswith(_ANY_LOSS)) and isinstance(count, int) and count > 0:
                found[kind] += count
    return dict(found)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
