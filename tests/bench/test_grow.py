"""Recordings of any size for the benchmark, and its drawings."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.draw import plot
from bench.grow import grow
from bench.grow_proto import grow as grow_proto
from harness.trace import load

RECORDING = Path(__file__).parent.parent / "trace" / "recordings" / "chromium-156.json.gz"
PROTO = RECORDING.with_name("chromium-156.pftrace.gz")


def test_a_grown_recording_is_the_same_one_again_and_again(tmp_path: Path) -> None:
    seed, target = load(RECORDING), tmp_path / "grown.json"
    copies = grow(RECORDING, target, 2_000_000)
    grown = load(target)
    assert target.stat().st_size >= 2_000_000
    assert copies > 2
    metadata = sum(event.ph == "M" for event in seed.events)
    assert len(grown.events) == copies * (len(seed.events) - metadata) + metadata
    assert grown.count("RunTask") == copies * seed.count("RunTask")
    assert grown.threads == seed.threads
    assert grown.metadata == seed.metadata
    assert "events out of order" not in grown.anomalies


def test_what_is_not_chrome_s_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"traceEvents": [{"name": "a"}]}')
    with pytest.raises(ValueError, match="not a recording"):
        grow(other, tmp_path / "grown.json", 10)


def test_a_plot_is_well_formed() -> None:
    drawn = ElementTree.fromstring(plot({"a < b": [(10, 0.1), (2000, 31)], "empty": []}, "MB", "s"))
    assert "a < b" in [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]


def test_a_grown_proto_is_the_same_one_again_and_again(tmp_path: Path) -> None:
    seed, target = load(PROTO), tmp_path / "grown.pftrace"
    copies = grow_proto(PROTO, target, 1_000_000)
    grown = load(target)
    assert target.stat().st_size >= 1_000_000
    assert copies > 2
    assert grown.count("UpdateCounters") == copies * seed.count("UpdateCounters") > 0
    assert grown.threads == seed.threads
    spans = [len({event.id for event in trace.events if event.kind == "async"}) for trace in (seed, grown)]
    assert spans[1] == copies * spans[0] > copies
