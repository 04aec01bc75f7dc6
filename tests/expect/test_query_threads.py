"""Workers of one process judge side by side, and the tables of queries are kept for all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.expect import evaluate
from harness.expect.forms import tables
from harness.verdict import Outcome
from tests.expect import notation
from tests.mutate.lab import load


def test_no_query_loses_its_tables_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_TABLES", 0)  # so that each query makes room
    case = load(tmp_path, 'query: "select a.seq from a, b where a.ts > b.ts", rows: none, over: a')
    recordings = [notation.read(f"A[{n}] B[{n + 5}] {'A[1] ' * (n % 3)}") for n in range(6)]

    def judge(number: int) -> Outcome:
        (finding,) = evaluate(case, recordings[number % len(recordings)])
        return finding.outcome

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(judge, range(80))) == {Outcome.MET}
