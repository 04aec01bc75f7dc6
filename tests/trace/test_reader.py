"""Reading files: every form and packing, odd types, and what is said of files that are no whole trace."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import Problem, TraceFileError
from harness.trace import load, packed
from tests.traces import instant, make, slice, write_trace

EVENTS = [slice("Layout", ts=1, dur=2), instant("Paint", ts=2)]
ARRAY = json.dumps(EVENTS).encode()
OBJECT = b'{"traceEvents":' + ARRAY + b',"metadata":{"os-name":"Linux"}}'


def read(tmp_path: Path, data: bytes, name: str = "t.json") -> list[str]:
    path = tmp_path / name
    path.write_bytes(data)
    return [event.name for event in load(path).events]


def refusal(tmp_path: Path, data: bytes) -> Problem:
    with pytest.raises(TraceFileError) as raised:
        read(tmp_path, data)
    (problem,) = raised.value.problems
    assert problem.file == str(tmp_path / "t.json")
    assert problem.message and problem.expected and problem.found and problem.remedy
    return problem


@pytest.mark.parametrize("data", [ARRAY, OBJECT, b" \n" * 5000 + OBJECT, b"\xef\xbb\xbf" + OBJECT])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_every_form_and_packing_whatever_the_name(tmp_path: Path, data: bytes, pack: type[bytes]) -> None:
    assert read(tmp_path, pack(data), "name.tells.nothing") == ["Layout", "Paint"]


def test_files_of_several_gzip_members_or_zstd_frames(tmp_path: Path) -> None:
    for pack in (gzip.compress, zstandard.compress):
        assert read(tmp_path, pack(OBJECT[:50]) + pack(OBJECT[50:])) == ["Layout", "Paint"]


@pytest.mark.parametrize("block", [3, 7, 64])
def test_gzip_headers_with_extra_fields_may_lie_across_blocks(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bgzip writes such headers every 64 KB. A faster library (isal) called them damaged where a read ended in one."""
    monkeypatch.setattr(packed, "_PACKED_BLOCK", block)
    head = b"\x1f\x8b\x08\x16" + bytes(6) + b"\6\0BC\2\0\0\0" + b"a comment\0"  # FEXTRA, FCOMMENT and FHCRC
    head += (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little")
    members = [head + gzip.compress(OBJECT[at : at + 20])[10:] for at in range(0, len(OBJECT), 20)]
    assert read(tmp_path, b"".join(members)) == ["Layout", "Paint"]


def test_write_trace_packs_by_the_name(tmp_path: Path) -> None:
    for name in ("t.json", "t.json.gz", "t.zst"):
        assert len(load(write_trace(tmp_path / name, EVENTS)).events) == 2


def test_the_metadata_of_the_file(tmp_path: Path) -> None:
    assert load(write_trace(tmp_path / "t.json", EVENTS, product="Chrome")).metadata == {"product": "Chrome"}
    assert make(EVENTS).metadata == {}


def test_a_bare_array_without_its_bracket_is_read_and_counted(tmp_path: Path) -> None:
    for tail in (b"", b",", b",\n"):
        path = tmp_path / "t.json"
        path.write_bytes(ARRAY[:-1] + tail)
        trace = load(path)
        assert len(trace.events) == 2
        assert trace.anomalies == {"array not closed": 1}


@pytest.mark.parametrize("keep", [1, 30, len(ARRAY) - 3])
def test_a_bare_array_cut_inside_an_event_is_refused(tmp_path: Path, keep: int) -> None:
    assert "cut short" in refusal(tmp_path, ARRAY[:keep]).message


@pytest.mark.parametrize("keep", [1, 20, len(OBJECT) - 60, len(OBJECT) - 1])
def test_a_cut_object_is_refused(tmp_path: Path, keep: int) -> None:
    assert "cut short" in refusal(tmp_path, OBJECT[:keep]).message


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_cut_package_is_refused(tmp_path: Path, pack: type[bytes]) -> None:
    packed = pack(OBJECT)
    assert "cut short" in refusal(tmp_path, packed[:-6]).message
    damaged = packed[:20] + bytes(byte ^ 0xFF for byte in packed[20:])
    assert "damaged" in refusal(tmp_path, damaged).message


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"scenario: x\n", "not JSON"),
        (b"PK\x03\x04rest", "zip"),
        (b"<!doctype html>", "a page"),
        (b"\x0a\x2f\x0a\x01\x00\xff\x80", "cut short: its last packet"),
        (b"\x00\x01\x02binary", "neither JSON nor"),
        (b'{"nodes":[],"timeDeltas":[]}', "no traceEvents"),
        (b'{"nodes":[]} x', "no traceEvents"),
        (b'{"traceEvents":5}', "malformed"),
        (b'{"traceEvents":[1]}', "malformed"),
        (b'{"traceEvents":[{"ph":"X","ts":"soon"}]}', "malformed"),
        (b'{"traceEvents":[{"ph":"X",}]}', "not valid JSON"),
        (b'{"traceEvents":[]} trailing', "not valid JSON"),
        (b'{"traceEvents":[{"args":' + b"[" * 100_000, "JSON"),
    ],
)
def test_what_is_no_trace_is_refused_in_words(tmp_path: Path, data: bytes, says: str) -> None:
    assert says in refusal(tmp_path, data).message


def test_the_place_of_a_syntax_error_and_of_a_malformed_event(tmp_path: Path) -> None:
    problem = refusal(tmp_path, b'{"traceEvents":[\n{"ph":"X"},\n{"ph":: "X"}]}')
    assert (problem.line, problem.column) == (3, 7)
    assert refusal(tmp_path, b'{"traceEvents":[{},{"ts":[]}]}').path == "$.traceEvents[1].ts"


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(TraceFileError, match="cannot be read"):
            load(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80), st.sampled_from([b"", b"{", b'{"traceEvents":', b"[", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"]))
def test_no_bytes_make_a_traceback(tmp_path: Path, data: bytes, head: bytes) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(head + data)
    try:
        load(path)
    except TraceFileError as error:
        assert str(path) in str(error)


def test_odd_types_of_fields(tmp_path: Path) -> None:
    text = """[
      {"name":"a","ph":"X","ts":"10.5","dur":"2","pid":"7","tid":"8","id":5},
      {"name":"b","ph":"X","ts":11,"dur":1.25,"pid":7.0,"tid":"main","args":"__stripped__"},
      {"ph":"i","ts":1e3,"args":null},
      {"name":"c","ph":"O","pid":7,"id":"0xAB","scope":"net","ts":1},
      {"name":"d","ph":"b","pid":7,"id2":{"local":"0x1"},"ts":1,"cat":"x"},
      {"name":"e","ph":"b","pid":7,"id2":{"global":12},"ts":1,"parent":{"ts":"mine"},"seq":"x","kind":3},
      {"name":"f","ph":"n","pid":7,"id":123456789012345678901234567890,"ts":1}
    ]"""
    path = tmp_path / "t.json"
    path.write_text(text)
    trace = load(path)
    a, b, nameless, c, d, e, f = trace.events
    assert (a.ts, a.dur, a.end, a.pid, a.tid, a.id) == (10.5, 2, 12.5, 7, 8, "0x5")
    assert (b.pid, b.tid, b.args, trace.threads[b.thread].name) == (7, -1, {}, "main")
    assert (nameless.name, nameless.cat, nameless.pid, nameless.scope, nameless.args) == ("", "", 0, "t", {})
    assert (c.id, d.id, e.id) == ("net:0xab", "0x1@7", "0xc")
    assert (e.parent, e.seq, e.kind) == (None, 5, "async")
    assert f.id.startswith("0x")


def test_times_that_cannot_be_compared_are_counted() -> None:
    events = [
        {"name": "no ts", "ph": "I"},
        {"name": "nan", "ph": "X", "ts": "nan", "dur": 1},
        {"name": "negative", "ph": "X", "ts": 5, "dur": -3},
        {"name": "no phase", "ts": 5},
        {"name": "unknown", "ph": "?", "ts": 5},
        {"name": "late", "ph": "I", "ts": 4},
        {"name": "thread_name", "ph": "M", "args": {"name": "x"}},
    ]
    trace = make(events)
    assert [event.name for event in trace.events] == ["no ts", "nan", "negative", "late", "thread_name"]
    assert trace.by_name("negative")[0].end == 5
    assert (trace.start_ts, trace.end_ts) == (4, 5)
    expected = {"events without ts": 2, "negative durations": 1, "records without a phase": 1, "unknown phases": 1}
    assert {name: trace.anomalies[name] for name in expected} == expected
    assert trace.anomalies["events out of order"] == 1


def test_text_that_is_not_utf_8_does_not_hide_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(b'[{"name":"a\xff","ph":"I","ts":1,"args":{"url":"b\xe2\x82"}}]')
    trace = load(path)
    assert trace.events[0].name == "a\ufffd"
    assert trace.events[0].args == {"url": "b\ufffd"}
    assert trace.anomalies == {"text that is not UTF-8": 1}
    path.write_bytes(b'[{"name":"a","ph":"I","ts":1,"args":{"url":"b\xe2\x82"}}]')
    assert load(path).events[0].args == {"url": "b\ufffd"}


def test_an_empty_trace() -> None:
    trace = make([])
    assert (trace.events, trace.start_ts, trace.end_ts, trace.anomalies) == ([], 0, 0, {})


def test_a_trace_whose_only_slice_starts_at_zero_starts_there() -> None:
    trace = make([slice("ParseHTML", ts=0, dur=10)])
    assert (trace.start_ts, trace.end_ts) == (0, 10)
