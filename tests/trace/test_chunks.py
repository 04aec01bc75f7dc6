"""Reading in bounded memory: the same events as from the whole document, wherever the pieces end."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import TraceFileError
from harness.trace import chunks, load, packed
from harness.trace.event import WireEvent
from harness.trace.reader import TraceStream, read

RECORDING = Path(__file__).parent / "recordings" / "chromium-156.json.gz"
# Texts and lists that look like the place between two events.
TRICKS = ['},\n{"args":', '}, {"', '"},{"args":"', "\\", '\\"', "[{]}", "ж", ""]
NESTED: list[Any] = [{"args": {"b": 1}}, {"args": {}}, [], {"frames": [{"args": 1}, {"args": 2}]}]


def write(path: Path, events: list[dict[str, Any]], form: str, **how: Any) -> Path:
    metadata = {"traceEvents": "not these", "x": [{"args": {}}, {"args": {}}]}
    if form == "lines":
        body = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
        text = f'{{"traceEvents":[\n{body}],"metadata":{json.dumps(metadata)}}}'
    elif form == "array":
        text = json.dumps(events, **how)
    elif form == "last":
        text = json.dumps({"metadata": metadata, "traceEvents": events}, **how)
    else:
        text = json.dumps({"traceEvents": events, "metadata": metadata}, **how)
    path.write_text(text)
    return path


def told(events: list[WireEvent]) -> list[tuple[Any, ...]]:
    return [(event.name, event.ts, msgspec.json.decode(event.raw_args)) for event in events]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_LEAST", 40)
    monkeypatch.setattr(packed, "_PLAIN_BLOCK", 64)
    monkeypatch.setattr(packed, "_PACKED_BLOCK", 32)


texts = st.sampled_from(TRICKS) | st.text(max_size=8)
values = st.recursive(
    texts | st.integers() | st.sampled_from(NESTED),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
records = st.lists(
    st.fixed_dictionaries(
        {"args": st.dictionaries(texts, values, max_size=3), "name": texts, "ts": st.integers(0, 99)}
    ),
    max_size=12,
)


@pytest.mark.usefixtures("tiny")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    records,
    st.sampled_from(["lines", "array", "first", "last"]),
    st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]),
)
def test_any_document_in_pieces(tmp_path: Path, events: list[Any], form: str, how: dict[str, Any]) -> None:
    path = write(tmp_path / "t.json", events, form, **how)
    wanted = [(event["name"], event["ts"], event["args"]) for event in events]
    assert told(read(path).events) == wanted


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_recording_of_chrome_in_pieces(tmp_path: Path, pack: type[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(pack(packed.read_bytes(RECORDING)))
    pieces = list(TraceStream(path))
    assert len(pieces) > 3
    monkeypatch.undo()
    whole = read(RECORDING)
    assert told([event for piece in pieces for event in piece]) == told(whole.events)


@pytest.mark.usefixtures("tiny")
def test_what_stands_around_the_events_is_read(tmp_path: Path) -> None:
    events = [{"args": {}, "name": f"e{n}", "ph": "I", "ts": n} for n in range(50)]
    for form in ("lines", "first", "last"):
        stream = TraceStream(write(tmp_path / "t.json", events, form))
        assert sum(map(len, stream)) == 50
        assert msgspec.json.decode(stream.metadata)["traceEvents"] == "not these"


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("broken", "says", "place", "at"),
    [
        ('{"args":{},"name":"x","ts":"soon"}', "malformed", (0, 0), "$.traceEvents[40].ts"),
        ('{"args":{},"name":: "x"}', "not valid JSON", (42, 19), ""),
        ("7", "malformed", (0, 0), "$.traceEvents[40]"),
    ],
)
def test_errors_are_placed_in_the_whole_file(
    tmp_path: Path, broken: str, says: str, place: tuple[int, int], at: str
) -> None:
    path = tmp_path / "t.json"
    line = '{"args":{},"name":"a","ts":1}'
    path.write_text('{"traceEvents":[\n' + ",\n".join([*[line] * 40, broken, *[line] * 40]) + "]}")
    with pytest.raises(TraceFileError) as raised:
        load(path)
    (problem,) = raised.value.problems
    assert says in problem.message
    assert (problem.line, problem.column, problem.path) == (*place, at)


@pytest.mark.usefixtures("tiny")
def test_a_long_file_that_is_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", [{"args": {}, "name": "a", "ts": 1}] * 90, "lines")
    whole = path.read_bytes()
    for keep in (len(whole) - 1, len(whole) - 40, len(whole) // 2):
        path.write_bytes(whole[:keep])
        with pytest.raises(TraceFileError, match="cut short") as raised:
            load(path)
        assert f"after {keep:,} bytes" in str(raised.value)


@pytest.mark.usefixtures("tiny")
def test_text_that_is_not_utf8_far_inside(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", [{"args": {}, "name": f"n{n}", "ts": n, "ph": "I"} for n in range(50)], "lines")
    path.write_bytes(path.read_bytes().replace(b"n25", b"n\xff5"))
    trace = load(path)
    assert trace.events[25].name == "n�5"
    assert trace.anomalies == {chunks.NOT_UTF8: 1}


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for copies in (8, 64):
        path = tmp_path / f"{copies}.json"
        lines = packed.read_bytes(RECORDING).partition(b"[\n")[2].partition(b'],"metadata"')[0]
        path.write_bytes(b'{"traceEvents":[\n' + b",\n".join([lines] * copies) + b"]}")
        tracemalloc.start()
        count = sum(map(len, TraceStream(path)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert count > 1000 * copies
    assert peaks[1] < 1.5 * peaks[0]


def test_a_text_that_a_piece_cuts_is_no_place_between_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its brackets are none of the file's, even where nothing but counting them finds the next event."""
    monkeypatch.setattr(packed, "_PLAIN_BLOCK", 64)
    events = [{"name": "[{},\n{" * 9 + "}]" * n, "ts": n, "args": {}} for n in range(12)]
    path = write(tmp_path / "t.json", events, "array", separators=(" ,\t\n", ":"))
    for least in range(20, 160, 7):
        monkeypatch.setattr(chunks, "_LEAST", least)
        assert [(event.name, event.ts) for event in read(path).events] == [(e["name"], e["ts"]) for e in events]


@pytest.mark.parametrize("count", [1, 2000])
def test_two_lists_of_events_are_refused_however_long_the_first_is(tmp_path: Path, count: int) -> None:
    path = tmp_path / "t.json"
    first = ",\n".join(json.dumps({"args": {"text": "x" * 99}, "name": "A", "ts": n}) for n in range(count))
    path.write_text(f'{{"traceEvents":[{first}],"traceEvents":[{{"args":{{}},"name":"B","ts":1}}]}}')
    with pytest.raises(TraceFileError, match="more than one list of events"):
        read(path)
