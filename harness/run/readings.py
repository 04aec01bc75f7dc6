"""An arm that a reader makes: another arm's recording, edited where the scenario says so, as the reader sees it."""

from __future__ import annotations

import asyncio
import copy
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.errors import Problem, ScenarioError
from harness.expect.recording import Recording, Unanswerable
from harness.expect.select import Picker
from harness.expect.templates import resolve
from harness.run.readers import read_recording
from harness.run.recording import Made, Slot
from harness.scenario.model import Edit
from harness.scenario.runtime import parse_steps
from harness.store import now, sha256_file
from harness.trace import Event
from harness.trace.packed import read_bytes

Record = dict[str, Any]


async def make_reading(slot: Slot, base: Made, recording: Recording) -> Made:
    """What the slot's reader makes of a recording, as a recording of its own; its three files are on disk.

    `CapabilityError` where the reader cannot be had, `HarnessError` when it fails, `ScenarioError` for an edit that
    makes no sense.
    """
    reading, doubts = slot.arm.reading, list[str]()
    assert reading is not None
    with tempfile.TemporaryDirectory() as folder:
        source = base.slot.files.trace
        if reading.edits:
            source = Path(folder) / "edited.json"
            picker = Picker(reading.of, recording, slot.case.select, {})
            doubts = await asyncio.to_thread(_write_edited, base.slot.files.trace, source, picker, reading.edits)
        said = await read_recording(reading.by, source, slot.files.trace)
    context = msgspec.structs.replace(
        recording.context, arm=slot.arm.name, values={**recording.context.values, reading.by: said}, doubts=doubts
    )
    edited = ", edited" if reading.edits else ""
    manifest = msgspec.structs.replace(
        base.manifest,
        arm=slot.arm.name,
        trace=slot.files.trace.name,
        sha256=await asyncio.to_thread(sha256_file, slot.files.trace),
        bytes=slot.files.trace.stat().st_size,
        notes=[*base.manifest.notes, f"made by {reading.by} from the recording {base.manifest.sha256}{edited}"],
        recorded=now(),
    )
    slot.files.write_context(context)
    slot.files.write_manifest(manifest)
    return Made(slot, base.collected, context, manifest)


def _write_edited(trace: Path, target: Path, picker: Picker, edits: Sequence[Edit]) -> list[str]:
    """Write the edited recording. What comes back are the edits that found nothing to do: they would prove nothing."""
    # The text of some arguments is no UTF-8: Chrome cuts URLs inside a character.
    document = msgspec.json.decode(read_bytes(trace).decode("utf-8", "replace"))
    records: list[Record] = document["traceEvents"] if isinstance(document, dict) else document
    doubts = []
    try:
        for edit in edits:
            if not (items := picker.named(edit.of, edit.at).items):
                doubts.append(f"the edit `{edit.kind}: {edit.of}` has no event to edit ({edit.at})")
            events = [item for item in items if isinstance(item, Event) and item.seq >= 0]
            idle = apply(records, edit, events, picker) if events else []
            doubts += (f"the edit `{edit.kind}: {edit.of}` adds to no number at {path} ({edit.at})" for path in idle)
    except Unanswerable as why:
        doubts.append(str(why))
    kept = [record for record in records if record]
    metadata = document.get("metadata", {}) if isinstance(document, dict) else {}
    target.write_bytes(msgspec.json.encode({"traceEvents": kept, "metadata": metadata}))
    return doubts


def apply(records: list[Record], edit: Edit, events: Sequence[Event], picker: Picker) -> list[str]:
    """One edit to the records of a file. An event's `seq` is its place there, so what is dropped is emptied.

    The paths at which no event has a number to add to; `ScenarioError` for one that leads nowhere.
    """
    idle = dict.fromkeys(edit.add)
    for event in events:
        record = records[event.seq]
        if edit.kind == "drop":
            records[event.seq] = {}
            if event.end_seq >= 0:
                records[event.end_seq] = {}
            continue
        if edit.kind == "copy":
            record = copy.deepcopy(record)
            records.append(record)
        for path, value in edit.set.items():
            holder, last = _place(record, path, edit)
            holder[last] = resolve(value, picker.context)
        for path, more in edit.add.items():
            holder, last = _place(record, path, edit)
            old = holder.get(last) if isinstance(holder, dict) else holder[last]
            if isinstance(old, int | float):  # where there is no number there is nothing to add to
                holder[last] = old + more
                idle.pop(path, None)
    return list(idle)


def _place(record: Record, path: str, edit: Edit) -> tuple[Any, Any]:
    """What holds the value at a path, and its key or index there. Objects on the way are made where there are none."""
    *above, last = parse_steps(path)
    holder: Any = record
    try:
        for step in above:
            holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
        if not isinstance(holder, dict):
            holder[last]  # there is no making of elements
    except (LookupError, TypeError):
        at, message = edit.at, f"the edit `{edit.kind}: {edit.of}` finds no place for {path}"
        event = f"an event `{record.get('name', '')}` that has nothing there, or a value without parts"
        raise ScenarioError(
            Problem(message, at.file, at.line, at.column, at.path, found=event, remedy="see its arguments in the trace")
        ) from None
    return holder, last
