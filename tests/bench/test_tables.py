"""The tables of `make bench`: a key that lacks would be found after an hour of measuring."""

from __future__ import annotations

from pathlib import Path

from bench import tables

ROW = {"wall_s": 2.0, "cpu_s": 1.5, "peak_mb": 30.0, "wall_ratio": 0.5, "cpu_ratio": 0.25}


def test_every_stage_has_a_table(tmp_path: Path) -> None:
    file = tmp_path / "10MB.json"
    file.write_bytes(bytes(10_000))
    assert "2.00    1.50      5         0.50       0.25    2.0x     30     3.0x" in tables.peers(
        {"ours": ROW}, 10_000_000
    )
    assert "2.00    1.50       30" in tables.packed({"ours": ROW})
    assert "ours 150000.0 us/KB 30 MB" in tables.growth("JSON", {10: {"ours": ROW}}, {10: file})
    assert "1,000: 1.50 s 30 MB" in tables.many({"claims": {"lint": [{**ROW, "number": 1000}]}})
    run = {"pairs": 5, "load": 1.0, "ratio": 1.1}
    cycle = {**run, "build": "chromium 156", "mode": "shell", "ours_s": 1.0, "bare_s": 0.9}
    suite = {**run, "cases": ["a", "b"], "two_s": 5.0, "one_s": 9.0}
    assert "2 cases by two workers" in tables.running({"cycle": cycle, "suite": suite})
