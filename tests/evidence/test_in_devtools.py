"""A recording as it is stored, its annotated copy and a Perfetto trace in the Performance panel of a real Chromium, and
the copy in Perfetto's UI."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from click.testing import CliRunner
from playwright.async_api import Page

from harness.cli import cli
from harness.store.folder import context_beside
from harness.trace import load as load_trace
from tests.evidence.panel import devtools, load
from tests.run.test_recording import OF_DEVTOOLS, recorded
from tests.trace.perfetto_ui import open_trace, perfetto, query

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def panel() -> AsyncIterator[Page]:
    async with devtools() as page:
        yield page


def ran(*words: object) -> None:
    told = CliRunner().invoke(cli, [str(word) for word in words])
    assert told.exit_code == 0, told.output


async def test_a_stored_recording_and_its_annotated_copy(tmp_path: Path, panel: Page) -> None:
    """Without TracingStartedInBrowser it is a trace of any program: threads by process, and no track is the page's."""
    case, _, trace = await recorded(tmp_path, "cdp-browser", "")
    context = context_beside(trace)
    assert context is not None and context.page is not None and context.page.main is not None
    main = context.page.main
    shown = await load(panel, trace)
    assert (shown.failed, shown.said) == (False, [])
    assert "Parse HTML" in str(shown.tracks[f"CrRendererMain ({main.pid})"])

    copy = tmp_path / "copy.json.gz"
    ran("annotate", trace, case.file, "-o", copy)
    shown = await load(panel, copy)
    assert (shown.failed, shown.said) == (False, [])
    assert {"Timings", "traceproof", "step marks", "expectation 1: met", f"Main — {main.url}"} <= shown.tracks.keys()
    parsed = [event for event in load_trace(trace).events if event.name == "ParseHTML" and event.pid == main.pid]
    assert parsed
    drawn = shown.tracks["expectation 1: met"]
    assert [title for title, _, _ in drawn] == ["parsed: ParseHTML"] * len(parsed)
    assert [(begin, length) for _, begin, length in drawn] == [
        (pytest.approx(event.ts, abs=1), pytest.approx(max(event.dur, 1), abs=1)) for event in parsed
    ]
    assert [title for title, _, _ in shown.tracks["Timings"]] == ["mark: start", "mark: end"]
    assert "Parse HTML" in str(shown.tracks[f"Main — {main.url}"])

    async with perfetto() as ui:
        await open_trace(ui, copy)
        told = await query(ui, "select name, ts / 1000 from slice where name like 'parsed: %' order by ts")
        assert told == [["parsed: ParseHTML", event.ts] for event in parsed]
        assert await query(ui, "select name from slice where name like 'mark: %' order by ts") == [
            ["mark: start"],
            ["mark: end"],
        ]


async def test_the_annotated_copy_of_what_the_panel_refuses(tmp_path: Path, panel: Page) -> None:
    case, _, trace = await recorded(tmp_path, "cdp-browser", f", {OF_DEVTOOLS}")
    shown = await load(panel, trace)
    assert shown.failed and "No frames found in trace data" in shown.said[0]
    copy = tmp_path / "copy.json.gz"
    ran("annotate", trace, case.file, "-o", copy)
    shown = await load(panel, copy)
    assert (shown.failed, shown.said) == (False, [])
    assert "expectation 1: met" in shown.tracks and any(name.startswith("Main — ") for name in shown.tracks)


async def test_a_perfetto_trace_only_as_json(tmp_path: Path, panel: Page) -> None:
    _, attempt, trace = await recorded(tmp_path, "perfetto", "")
    shown = await load(panel, trace)
    assert shown.failed and "is not valid JSON" in shown.said[0]
    ran(
        "store",
        "export",
        attempt.recordings[0].sha256,
        "--store",
        tmp_path / "out" / ".store",
        "--scrub",
        "-o",
        tmp_path / "x",
    )
    (exported,) = (tmp_path / "x").rglob("*.json.gz")
    shown = await load(panel, exported)
    assert (shown.failed, shown.said) == (False, [])
    assert "Parse HTML" in str(shown.tracks)
