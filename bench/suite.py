"""Wall time of a suite with two workers against one.

    python -m bench.suite [PAIRS] [BROWSER] [MODE]

The same cases, one attempt each, by one worker and by two in turns (A B, B A, ...), in a process each as `traceproof
run` starts it. Fifteen cases of ours that are not exclusive; what they find does not matter here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from harness.paths import data_root
from harness.run.catalog import load_catalog

CASES = 15


def _cases() -> list[str]:
    """Scenarios with one recording each, spread over the folders."""
    cases = [case for case in load_catalog(()).cases if not (case.exclusive or case.cell or case.readers)]
    plain = sorted(case.id for case in cases if len(case.arms) == 1 and not case.versions.text)
    return plain[:: max(1, len(plain) // CASES)][:CASES]


def _run(cases: list[str], workers: int, folder: Path, browser: str, mode: str) -> float:
    words = ["run", *cases, "--attempts", "1", "--workers", str(workers), "--out", str(folder), "-q"]
    words += ["--browser", browser] if browser else []
    words += ["--mode", mode] if mode else []
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", *words], capture_output=True, text=True, cwd=data_root()
    )
    if done.returncode == 2:
        raise SystemExit(f"the suite failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.monotonic() - began


def measure(pairs: int = 3, browser: str = "", mode: str = "") -> dict[str, Any]:
    """`ratio`: the median over the pairs of the seconds of two workers by those of one."""
    cases = _cases()
    seconds: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory(prefix="traceproof-bench-") as folder:
        for pair in range(pairs):
            for workers in (1, 2) if pair % 2 == 0 else (2, 1):
                place = Path(folder) / f"{pair}-{workers}"
                seconds[workers].append(_run(cases, workers, place, browser, mode))
    return {
        "ratio": median(two / one for one, two in zip(seconds[1], seconds[2], strict=True)),
        "one_s": median(seconds[1]),
        "two_s": median(seconds[2]),
        "pairs": pairs,
        "cases": cases,
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


if __name__ == "__main__":
    words = sys.argv[1:]
    print(json.dumps(measure(int(words[0]) if words else 3, *words[1:]), indent=1))
