from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import TraceFileError
from harness.trace import Event, Trace, load, resolve_page
from harness.trace.proto_packets import packets
from harness.trace.proto_schema import schema
from tests.trace.packets import CLEARED, PROCESS, THREAD, Writer, annotated, serialised
from tests.traces import PAGE, TIMELINE

SPAN = 7


def read(writer: Writer, folder: Path) -> Trace:
    return load(writer.save(folder / "trace.pftrace.gz"))


def only(trace: Trace, name: str) -> Event:
    (event,) = trace.by_name(name)
    return event


def test_begins_and_ends_become_slices_with_their_nesting_and_thread_time(tmp_path: Path) -> None:
    writer = Writer().begin("RunTask", at=10, cpu=5).begin("Layout", at=12, cpu=6).end(at=17, cpu=9).end(at=30, cpu=20)
    trace = read(writer, tmp_path)
    task, layout = only(trace, "RunTask"), only(trace, "Layout")
    assert (task.ph, task.ts, task.dur, task.tts, task.tdur) == ("X", 1010, 20, 5, 15)
    assert (layout.ts, layout.dur, layout.cat, layout.tdur) == (1012, 5, TIMELINE, 3)
    assert layout.parent is task
    assert task.thread == (PAGE, PAGE)
    assert trace.threads[PAGE, PAGE].name == "CrRendererMain"
    assert trace.processes[PAGE].role == "renderer"
    assert resolve_page(trace).how == "the only renderer in the trace"


def test_a_slice_without_a_duration_is_an_instant_as_in_json(tmp_path: Path) -> None:
    event = only(read(Writer().begin("Layout", at=10, cpu=1).end(at=10, cpu=1), tmp_path), "Layout")
    assert (event.ph, event.scope, event.dur, event.kind) == ("I", "t", None, "instant")
    assert event.tts is None  # the export writes thread times only where they moved


def test_a_slice_that_never_ends_is_open(tmp_path: Path) -> None:
    trace = read(Writer().begin("RunTask", at=10).instant("Mark", at=40), tmp_path)
    task = only(trace, "RunTask")
    assert (task.ph, task.open, task.end) == ("B", True, 1040)
    assert only(trace, "Mark").parent is task


def test_an_end_that_nothing_began_is_counted(tmp_path: Path) -> None:
    assert read(Writer().end(at=10), tmp_path).anomalies == {"unmatched ends": 1}


def test_marks_keep_their_phase(tmp_path: Path) -> None:
    legacy = {"phase": ord("R")}
    event = only(read(Writer().event("", "firstPaint", at=10, legacy_event=legacy), tmp_path), "firstPaint")
    assert (event.ph, event.scope, event.thread) == ("R", "t", (PAGE, PAGE))


def test_samples_keep_their_id_and_json_arguments(tmp_path: Path) -> None:
    writer = Writer().event(
        "",
        "ProfileChunk",
        at=10,
        legacy_event={"phase": ord("P"), "unscoped_id": 31},
        **annotated(data={"legacy_json_value": '{"lines":[1,2.0],"empty":[],"none":null,"deep":{"er":{}}}'}),
    )
    event = only(read(writer, tmp_path), "ProfileChunk")
    assert (event.ph, event.kind, event.id) == ("P", "sample", "0x1f")
    assert event.args == {"data": {"lines": [1, 2]}}


def test_arguments_of_begin_and_end_are_put_together(tmp_path: Path) -> None:
    data = {"dict_entries": [{"name": "frame", "string_value": "F"}]}
    more = {"dict_entries": [{"name": "bytes", "int_value": -3}]}
    writer = Writer().begin("ParseHTML", at=10, **annotated(data=data)).end(at=20, **annotated(data=more))
    assert only(read(writer, tmp_path), "ParseHTML").args == {"data": {"frame": "F", "bytes": -3}}


@pytest.mark.parametrize(
    ("value", "read_as"),
    [
        ({"bool_value": True}, True),
        ({"uint_value": 2**64 - 1}, 2**64 - 1),
        ({"double_value": 1280.0}, 1280),
        ({"double_value": 0.5}, 0.5),
        ({"double_value": float("nan")}, "NaN"),
        ({"pointer_value": 31}, "0x1f"),
        ({"array_values": [{"int_value": 1}, {"array_values": []}]}, [1]),
        ({"nested_value": {"nested_type": 2, "array_values": [{"int_value": 1}, {"string_value": "a"}]}}, [1, "a"]),
        (
            {"nested_value": {"nested_type": 1, "dict_keys": ["a.b"], "dict_values": [{"double_value": 2.5}]}},
            {"a_b": 2.5},
        ),
    ],
)
def test_annotations_read_as_the_export_writes_them(tmp_path: Path, value: dict[str, Any], read_as: Any) -> None:
    found = only(read(Writer().instant("Event", at=1, **annotated(value=value)), tmp_path), "Event").args["value"]
    assert found == read_as
    assert type(found) is type(read_as)


def test_lists_and_objects_without_content_leave_no_trace(tmp_path: Path) -> None:
    empty = {"nested_value": {"nested_type": 1}}
    assert only(read(Writer().instant("Event", at=1, **annotated(value=empty)), tmp_path), "Event").args == {}


def test_interned_words_of_annotations(tmp_path: Path) -> None:
    writer = Writer().instant("Event", at=1, debug_annotations=[{"name_iid": 4, "string_value_iid": 5}])
    writer.packets[-1].interned_data.debug_annotation_names.add(iid=4, name="data.url")
    writer.packets[-1].interned_data.debug_annotation_string_values.add(iid=5, str=b"http://a")
    assert only(read(writer, tmp_path), "Event").args == {"data_url": "http://a"}


def test_typed_arguments_by_the_stored_descriptors(tmp_path: Path) -> None:
    writer = Writer().instant("Graphics.Pipeline", at=1)
    message = schema().message("perfetto.protos.ChromeTrackEvent")
    assert message is not None
    extension = message.DESCRIPTOR.extensions_by_name["chrome_graphics_pipeline"]
    pipeline = writer.packets[-1].track_event.Extensions[extension]
    pipeline.step, pipeline.surface_frame_trace_id = 1, -5
    pipeline.frame_sink_id.SetInParent()
    args = only(read(writer, tmp_path), "Graphics.Pipeline").args["chrome_graphics_pipeline"]
    assert args["surface_frame_trace_id"] == -5
    assert args["step"].startswith("STEP_")
    assert args["frame_sink_id"] == "0x0"


def test_a_message_of_a_named_type_inside_an_annotation(tmp_path: Path) -> None:
    message = schema().message(".perfetto.protos.FrameSinkId")
    assert message is not None
    value = message(frame_sink_client_id=3).SerializeToString()
    annotation = {"name": "sink", "proto_type_name": ".perfetto.protos.FrameSinkId", "proto_value": value}
    event = only(read(Writer().instant("Event", at=1, debug_annotations=[annotation]), tmp_path), "Event")
    assert event.args == {"sink": {"frame_sink_client_id": 3}}


def test_where_a_task_was_posted_from(tmp_path: Path) -> None:
    writer = Writer().instant("RunTask", at=1, task_execution={"posted_from_iid": 9})
    location = {"iid": 9, "file_name": "cc\\a.cc", "function_name": "Post", "line_number": 12}
    writer.packets[-1].interned_data.source_locations.add(**location)
    assert only(read(writer, tmp_path), "RunTask").args == {"src_file": "cc/a.cc", "src_func": "Post", "src_line": 12}


def test_a_track_below_a_thread_is_an_async_span(tmp_path: Path) -> None:
    writer = Writer().track(SPAN, parent_uuid=THREAD, name="pipeline")
    writer.begin("Frame", at=10, track_uuid=SPAN, **annotated(n={"int_value": 1})).end(at=10_000, track_uuid=SPAN)
    writer.begin("Frame", at=10_000, track_uuid=SPAN).end(at=10_005, track_uuid=SPAN)
    writer.begin("Point", at=10_010, track_uuid=SPAN).end(at=10_010, track_uuid=SPAN)
    trace = read(writer, tmp_path)
    first, second = trace.by_name("Frame")
    assert (first.ph, first.kind, first.dur, first.id, first.args) == ("b", "async", 9990, f"0x7@{PAGE}", {"n": 1})
    assert second.dur == 5
    assert only(trace, "Point").ph == "n"
    assert trace.anomalies == {}


def test_instants_of_processes_and_of_the_whole_trace(tmp_path: Path) -> None:
    writer = Writer().instant("OfProcess", at=1, track_uuid=PROCESS).instant("OfAll", at=2, track_uuid=0)
    trace = read(writer, tmp_path)
    assert (only(trace, "OfProcess").scope, only(trace, "OfAll").scope) == ("p", "g")
    assert only(trace, "OfProcess").pid == PAGE


def test_counters_have_their_tracks_name_and_value(tmp_path: Path) -> None:
    writer = Writer().track(SPAN, parent_uuid=PROCESS, name="Memory", counter={"unit_multiplier": 1024})
    event = only(read(writer.event("counter", at=5, track_uuid=SPAN, counter_value=2), tmp_path), "Memory")
    assert (event.kind, event.args, event.pid) == ("counter", {"value": 2048}, PAGE)


def test_flows_go_from_slice_to_slice(tmp_path: Path) -> None:
    writer = Writer().begin("Post", at=10, flow_ids=[99]).end(at=11).begin("Run", at=20, flow_ids=[99]).end(at=30)
    writer.begin("Done", at=40, terminating_flow_ids=[99]).end(at=41).begin("Late", at=50, terminating_flow_ids=[99])
    flows = read(writer, tmp_path).flows
    ends = [
        (flow.source_slice.name, flow.target_slice.name) for flow in flows if flow.source_slice and flow.target_slice
    ]
    assert ends == [("Post", "Run"), ("Run", "Done")]


def test_writers_are_put_in_the_order_of_time(tmp_path: Path) -> None:
    main, other = Writer(2), Writer(3, tid=PAGE + 1)
    main.instant("second", at=20)
    for uuid, packet in zip((201, 200, 202), other.packets[1:4], strict=True):
        packet.track_descriptor.uuid = uuid + 100
    other.instant("first", at=10, track_uuid=0)
    path = tmp_path / "two.pftrace"
    path.write_bytes(serialised(main.packets + other.packets))
    assert [event.name for event in load(path).events if event.kind == "instant"] == ["first", "second"]


def test_what_is_written_late_keeps_its_time_and_its_place(tmp_path: Path) -> None:
    writer = Writer().track(SPAN, parent_uuid=THREAD, name="stage")
    writer.instant("later", at=20).begin("Stage", at=20, track_uuid=SPAN).end(at=20, track_uuid=SPAN)
    for packet, at in zip(writer.packets[-2:], (5, 10), strict=True):
        packet.timestamp, packet.timestamp_clock_id = (1000 + at) * 1000, 3  # a clock that does not count on
    stage, later = (only(read(writer, tmp_path), name) for name in ("Stage", "later"))
    assert (stage.ts, stage.end, later.ts) == (1005, 1010, 1020)
    assert stage.written is not None and later.written is not None and stage.written > later.written


def test_after_a_loss_nothing_is_read_until_the_state_is_cleared(tmp_path: Path) -> None:
    writer = Writer().instant("before", at=10)
    writer.instant("lost words", at=20)
    writer.packets[-1].previous_packet_dropped = 1
    writer.instant("unreadable", at=30).clear().instant("after", at=40)
    trace = read(writer, tmp_path)
    assert [event.name for event in trace.events if event.kind == "instant"] == ["before", "after"]
    assert trace.anomalies == {"packets after a loss that cannot be read": 2, "places where packets were lost": 1}


def test_a_description_that_comes_after_its_events(tmp_path: Path) -> None:
    writer = Writer().instant("Event", at=1)
    descriptions = writer.packets[1:4]
    path = tmp_path / "late.pftrace"
    path.write_bytes(serialised([writer.packets[0], *writer.packets[4:], *descriptions]))
    assert only(load(path), "Event").thread == (PAGE, PAGE)


def test_slices_that_touch_do_not_overlap_in_a_trace_that_counts_in_ns(tmp_path: Path) -> None:
    writer = Writer()
    for ts, kind in ((1_000_600, 1), (1_001_400, 2), (1_001_500, 1), (1_002_100, 2)):
        writer.packet(
            timestamp=ts, timestamp_clock_id=3, track_event={"type": kind, "name": "Task" if kind == 1 else ""}
        )
    trace = read(writer, tmp_path)
    assert [(event.ts, event.end) for event in trace.by_name("Task")] == [(1000, 1001), (1001, 1002)]
    assert trace.anomalies == {}


def test_a_bundle_of_compressed_packets(tmp_path: Path) -> None:
    import zlib

    path = tmp_path / "bundle.pftrace"
    packed = schema().packet(compressed_packets=zlib.compress(Writer().instant("Event", at=1).bytes()))
    path.write_bytes(serialised([packed]))
    assert only(load(path), "Event").ts == 1001


def test_metadata_of_the_browser(tmp_path: Path) -> None:
    writer = Writer()
    said = [{"name": "user-agent", "string_value": "Chrome/156"}, {"name": "net", "json_value": '{"a": 1}'}]
    writer.packet(chrome_events={"metadata": said}, sequence_flags=CLEARED)
    assert read(writer, tmp_path).metadata == {"user-agent": "Chrome/156", "net": {"a": 1}}


def test_text_that_is_not_utf_8_is_text_as_in_json(tmp_path: Path) -> None:
    """Chrome cuts URLs inside a character, and writes the bytes of a page's state as text (DidCommitNavigation)."""
    cut = {
        "url": {"string_value": "one##"},
        "state": {"string_value": "##\x02\0##"},
        "key##": {"legacy_json_value": '["two##"]'},
    }
    nested = {"nested_type": 1, "dict_keys": ["k##"], "dict_values": [{"string_value": "three##"}]}
    writer = Writer().instant("word##", at=1, **annotated(**cut, n={"nested_value": nested}))
    writer.event("instant", at=2, categories=["a##", "b"]).packets[-1].track_event.name = "plain##"
    writer.track(9, thread={"pid": PAGE, "tid": 9, "thread_name": "thread##"})
    path = tmp_path / "cut.pftrace"
    path.write_bytes(writer.bytes().replace(b"##", b"\xe2\x82"))
    trace = load(path)
    assert only(trace, "word\ufffd").args == {
        "url": "one\ufffd",
        "state": "\ufffd\x02",
        "key\ufffd": ["two\ufffd"],
        "n": {"k\ufffd": "three\ufffd"},
    }
    assert only(trace, "plain\ufffd").cat == "a\ufffd,b"
    assert trace.threads[PAGE, 9].name == "thread\ufffd"


@pytest.mark.parametrize("levels", [500, 100_000])
def test_json_in_an_argument_that_is_too_deep_is_refused(tmp_path: Path, levels: int) -> None:
    deep = annotated(value={"legacy_json_value": "[" * levels + "1" + "]" * levels})
    with pytest.raises(TraceFileError, match="nested too deeply to read"):
        read(Writer().instant("Event", at=1, **deep), tmp_path)


@pytest.mark.parametrize("cut", [1, 3, 9])
def test_a_cut_file_says_where_it_ends(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.pftrace"
    path.write_bytes(Writer().instant("Event", at=1).bytes()[:-cut])
    with pytest.raises(TraceFileError) as refused:
        load(path)
    (problem,) = refused.value.problems
    assert problem.message == "cut short: its last packet has no end"
    assert f"{path.stat().st_size:,} bytes" in problem.found


def test_damage_inside_is_told_from_a_cut(tmp_path: Path) -> None:
    path = tmp_path / "damaged.pftrace"
    data = bytearray(Writer().instant("Event", at=1).bytes())
    data[0 : 2 + data[1]] = b""
    path.write_bytes(b"\x0a\x02\x00\x01" + bytes(data))
    with pytest.raises(TraceFileError, match="damaged"):
        load(path)


def test_a_length_that_no_packet_has_is_not_waited_for_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.pftrace"
    head = Writer().instant("Event", at=1).bytes()
    path.write_bytes(head + b"\x0a\xff\xff\xff\xff\x0f" + bytes(100))
    with pytest.raises(TraceFileError) as refused:
        load(path)
    (problem,) = refused.value.problems
    assert problem.message == "cut short: its last packet has no end"
    assert problem.found.startswith(f"the end of the file after {path.stat().st_size:,} bytes, 4,294,967,195 before")


def test_packets_in_any_number_of_blocks(tmp_path: Path) -> None:
    writer = Writer().instant("Event", at=1, **annotated(long={"string_value": "a" * 300}))
    data = writer.bytes()
    expected = [packet.SerializeToString() for packet in packets(lambda: [data])[1]]
    assert len(expected) == len(writer.packets)
    for size in (1, 2, 7, 100, 299):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert [packet.SerializeToString() for packet in packets(lambda: pieces)[1]] == expected  # noqa: B023
