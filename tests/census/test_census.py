"""`traceproof census`: against a slow count, over broken files, its Parquet, its words, and another engine."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner

from harness.census.bands import DURATIONS, USAGE, bands
from harness.census.layout import TABLES
from harness.cli.census import census
from harness.errors import UsageError
from tests.census import obvious
from tests.traces import Json, async_begin, async_end, begin, end, event, instant, names, slice, write_trace

ROOT = Path(__file__).resolve().parents[2]
SHARED = next((each for each in (parent / "shared" / "traces" for parent in ROOT.parents) if each.is_dir()), None)

ONE = [
    *names(),
    slice("Layout", ts=10, dur=5, args={"beginData": {"frame": "F1", "dirty": 3}, "endData": {"roots": [{"id": 1}]}}),
    slice("Layout", ts=20, dur=7, args={"beginData": {"frame": "F2", "dirty": 3.5}}),
    slice("Layout", ts=30, dur=7),
    begin("ParseHTML", ts=40, args={"beginData": {"url": "u"}}),
    end("ParseHTML", ts=52, args={"endData": {"endLine": 4}}),
    begin("ParseHTML", ts=60),
    async_begin("Frame", ts=10, args={"k": None}),
    async_end("Frame", ts=500, args={}),
    instant("Mark", ts=70, args={"0x1f": True}),
]
TWO = [*names(), slice("Layout", ts=1, dur=100), instant("Mark", ts=2, cat="other"), event("Odd", "X", 5)]


def run(*words: Any) -> tuple[int, Json, str]:
    done = CliRunner().invoke(census, [*map(str, words), "--json"], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.return_value, json.loads(done.stdout), done.stderr


def same_as_obvious(found: Json, paths: list[Path]) -> None:
    expected = obvious.census(paths)
    assert {one["name"] for one in found["events"]} == set(expected)
    for one in found["events"]:
        wanted = expected[one["name"]]
        for key in ("records", "traces", "categories", "phases", "processes", "threads"):
            assert one[key] == wanted[key], (one["name"], key)
        timed = one["durations"]
        if timed:
            timed = {
                "count": timed["count"],
                "total": timed["total_us"],
                "least": timed["least_us"],
                "most": timed["most_us"],
                **timed["quantiles_us"],
            }
        assert timed == wanted["durations"], one["name"]
        arguments = {each["path"]: (each["events"], each["share"], each["types"]) for each in one["arguments"]}
        assert arguments == wanted["arguments"], one["name"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "below").mkdir(parents=True)
    write_trace(folder / "one.json.gz", ONE)
    (folder / "below" / "two.json").write_text(json.dumps(TWO))
    return folder


def test_it_counts_what_a_slow_count_counts(corpus: Path) -> None:
    status, found, _ = run(corpus)
    assert status == 0 and found["traces"] == 2 and found["records"] == len(ONE) + len(TWO)
    same_as_obvious(found, [corpus / "one.json.gz", corpus / "below" / "two.json"])


def test_begins_and_ends_that_are_out_of_order_find_each_other(tmp_path: Path) -> None:
    halves = [
        end("Parse", ts=30, args={"data": {"line": 3}}),
        begin("Parse", ts=10, args={"data": {"line": None}, "url": "u"}),
        begin("Parse", ts=12),
        end("Parse", ts=20),
        async_end("Frame", ts=9),
        async_begin("Frame", ts=2, args={"a": 1}),
        async_begin("Frame", ts=4, args={"b": 1}),
        async_end("Frame", ts=6),
        end("Never", ts=50),
    ]
    (tmp_path / "t.json").write_text(json.dumps(halves))
    _, found, _ = run(tmp_path / "t.json")
    same_as_obvious(found, [tmp_path / "t.json"])
    by_name = {one["name"]: one for one in found["events"]}
    assert by_name["Parse"]["durations"]["quantiles_us"]["p5"] == 8 and by_name["Parse"]["durations"]["most_us"] == 20
    types = {one["path"]: one["types"] for one in by_name["Parse"]["arguments"]}
    assert types == {"args.data": {"object": 1}, "args.data.line": {"integer": 1}, "args.url": {"string": 1}}


@pytest.mark.skipif(SHARED is None, reason="the shared traces are not on this machine")
@pytest.mark.parametrize("workers", [1, 3])
def test_real_traces_count_as_in_a_slow_count(workers: int) -> None:
    assert SHARED is not None
    _, found, _ = run(SHARED, "--workers", workers)
    same_as_obvious(found, sorted(SHARED.glob("*.json.gz")))


def test_compressed_in_any_way_it_is_the_same(corpus: Path, tmp_path: Path) -> None:
    text = json.dumps({"traceEvents": ONE}).encode()
    (tmp_path / "a.json").write_bytes(text)
    (tmp_path / "b.json.zst").write_bytes(zstandard.compress(text))
    (tmp_path / "c.trace.gz").write_bytes(gzip.compress(text))
    said = [run(tmp_path / name)[1] for name in ("a.json", "b.json.zst", "c.trace.gz")]
    for one in said:
        one.pop("bytes")
    assert said[0] == said[1] == said[2]


def test_a_broken_file_is_named_and_the_others_are_counted(corpus: Path) -> None:
    (corpus / "cut.json.gz").write_bytes((corpus / "one.json.gz").read_bytes()[:-30])
    (corpus / "list.json").write_text('{"scripts": []}')
    status, found, said = run(corpus)
    assert status == 2 and found["traces"] == 2
    assert [Path(one["file"]).name for one in found["broken"]] == ["cut.json.gz", "list.json"]
    assert "cut short" in said and "no traceEvents" in said


def test_only_broken_files_leave_nothing_to_count(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    status, found, _ = run(tmp_path)
    assert status == 2 and found["traces"] == 0 and found["events"] == []


def test_parts_that_were_kept_are_added_without_being_counted_again(corpus: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    _, whole, _ = run(corpus, "--parquet", kept)
    assert {each.name for each in kept.iterdir()} == set(TABLES)
    assert not list(kept.rglob(".*"))
    assert run(kept)[1] == whole
    (tmp_path / "three.json").write_text(json.dumps(TWO))
    _, more, _ = run(kept, tmp_path / "three.json")
    assert more["traces"] == 3 and more["records"] == whole["records"] + len(TWO)
    with pytest.raises(UsageError, match="would mix two censuses"):
        run(corpus, "--parquet", kept)


def test_no_path_of_this_machine_is_in_the_parts(corpus: Path, tmp_path: Path) -> None:
    run(corpus, "--parquet", tmp_path / "kept")
    assert not [each for each in (tmp_path / "kept").rglob("*.parquet") if bytes(tmp_path) in each.read_bytes()]


def test_events_are_chosen_by_name(corpus: Path) -> None:
    found = run(corpus, "--event", "Par*")[1]["events"]
    assert [one["name"] for one in found] == ["ParseHTML"]
    done = CliRunner().invoke(census, [str(corpus), "--event", "ParseHTML"])
    assert re.search(r"args\.endData\.endLine +50 % +integer", done.stdout)
    with pytest.raises(UsageError, match='did you mean "Layout"'):
        run(corpus, "--event", "layout")


def test_the_same_words_for_the_same_place() -> None:
    assert bands(range(20), USAGE) == [
        *["rare"] * 2,
        *["low"] * 3,
        *["moderate"] * 10,
        *["high"] * 3,
        *["very high"] * 2,
    ]
    assert bands([3], DURATIONS) == ["typical"]
    assert bands([7, 7, 7], DURATIONS) == ["typical"] * 3


def test_text_that_is_hard_to_write_comes_back(tmp_path: Path) -> None:
    odd = "a\n\"b\" \\ \x00 é 🙂 'q'"
    (tmp_path / "t.json").write_text(json.dumps([event(odd, "I", 1, cat=odd, args={odd: odd})]))
    _, found, _ = run(tmp_path / "t.json")
    assert [one["name"] for one in found["events"]] == [odd] and found["events"][0]["categories"] == {odd: 1}


def test_the_layout_is_the_one_that_is_documented() -> None:
    text = (ROOT / "docs" / "census.md").read_text()
    documented = {
        table: dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", rows, re.M))
        for table, rows in re.findall(r"^### `(\w+)/`\n(.*?)(?=^#)", text, re.M | re.S)
    }
    assert documented == TABLES


def test_another_engine_adds_up_the_same(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    _, found, _ = run(corpus, "--parquet", tmp_path / "kept")
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "census_dask.py", tmp_path / "kept"],
        capture_output=True,
        text=True,
        check=True,
    )
    by_dask = {one["name"]: one for one in json.loads(done.stdout)}
    for one in found["events"]:
        timed = one["durations"]
        assert by_dask[one["name"]] == {
            "name": one["name"],
            "records": one["records"],
            "traces": one["traces"],
            "timed": timed["count"] if timed else 0,
            "p50_us": timed["quantiles_us"]["p50"] if timed else None,
            "p95_us": timed["quantiles_us"]["p95"] if timed else None,
            "arguments": len(one["arguments"]),
        }
