"""The published messages of Perfetto's trace format, and Chrome's own fields on top of them.

`perfetto.protos` has the messages, but not what Chrome adds to `TrackEvent` (fields 1000 and up, the typed arguments).
The full browser writes their descriptors into each trace; the headless shells leave them out, and there the ones of
Chromium 156, stored beside this module, are used: a field keeps its number and its name from version to version.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path
from typing import Any

_STORED = Path(__file__).with_name("chrome_track_event.descriptors.gz")  # base/tracing/protos/*.proto, BSD licence
PACKET = "perfetto.protos.TracePacket"
LEGACY_EVENT = "perfetto.protos.TrackEvent.LegacyEvent"


def text(value: str | bytes) -> str:
    """A field that is text, to its first NUL as in the export.

    Chrome cuts URLs inside a character and writes bytes as text; what is not UTF-8 the library gives as bytes.
    """
    said = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return said.partition("\0")[0] if "\0" in said else said


class Schema:
    """Message classes by name. Made once for each set of descriptors, for that takes 0.1 s."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.packet: Any = self.message(PACKET)
        self.legacy_event: Any = self.message(LEGACY_EVENT)

    @lru_cache(maxsize=256)  # noqa: B019 - schemas are few and live as long as the process
    def message(self, name: str) -> Any | None:
        """The class of a message, with or without the leading dot of its name; None for one that nobody described."""
        from google.protobuf import message_factory

        try:
            return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(name.removeprefix(".")))
        except KeyError:
            return None


@lru_cache(maxsize=8)
def schema(extensions: bytes = b"") -> Schema:
    """The schema of a trace that brings these descriptors (a serialised `FileDescriptorSet`); the stored ones if none.

    Descriptors that contradict the published messages are left out: their fields are not read then.
    """
    # Both are imported here: they cost a third of a second, which readers of JSON need not pay.
    from google.protobuf import descriptor_pb2, descriptor_pool
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2

    published = perfetto_trace_pb2.DESCRIPTOR
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(published.serialized_pb)
    files = descriptor_pb2.FileDescriptorSet.FromString(extensions or gzip.decompress(_STORED.read_bytes())).file
    present = {published.name, *(file.name for file in files)}
    for name in {imported for file in files for imported in file.dependency} - present:
        # Chromium imports Perfetto's files one by one; the package has them all in one.
        alias = descriptor_pb2.FileDescriptorProto(name=name, dependency=[published.name], public_dependency=[0])
        pool.AddSerializedFile(alias.SerializeToString())
    for file in files:
        try:
            pool.AddSerializedFile(file.SerializeToString())
        except TypeError:
            continue
    return Schema(pool)
