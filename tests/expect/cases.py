"""Cases around one expectation, written as in a scenario file and read by the real loader."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

from harness.events import Finding
from harness.expect import Recording, evaluate
from harness.scenario.load import load_file
from harness.scenario.model import Case
from harness.trace import Trace
from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext
from tests import traces
from tests.expect.tables import Row, scenario

SELECT = {"a": "{name: A}", "b": "{name: B}", "c": "{name: C}", "anything": "{on: any}"}
PAGE = PageIdentity([FrameIdentity(traces.PAGE, traces.PAGE)])


@lru_cache(maxsize=512)
def expectation(text: str, **select: str) -> Case:
    """A case that expects `text` (a flow mapping without its braces) of the selections in `SELECT` and `select`."""
    row = Row(0, "", "", text, "", "", {**SELECT, **select})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.scenario.yaml"
        path.write_text(scenario(row), encoding="utf-8")
        (case,) = load_file(path, claims={"truth.row": None}, fixtures_roots=[])  # type: ignore[dict-item]
    return case


def evaluate_form(case: Case, trace: Trace, context: RecordingContext | None = None) -> Finding:
    (finding,) = evaluate(case, {"main": [Recording(trace, context or RecordingContext(page=PAGE))]})
    return finding


def contexts(**fields: object) -> RecordingContext:
    return RecordingContext(page=PAGE, **fields)  # type: ignore[arg-type]
