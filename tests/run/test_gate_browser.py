"""Each rule of the validity gate, broken by a real browser: what it recorded is never evidence, and the reason is said.

`test_sound` is the control: the same page and expectations, met where nothing is broken. Processes that are killed from
outside are in `test_interruptions.py`, a GPU process in `test_tape.py`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from harness.browser import shared_driver
from harness.errors import TraceFileError
from harness.events import Attempt, CaseResult
from harness.run.attempt import run_attempt
from harness.run.baselines import Baselines
from harness.run.catalog import Catalog
from harness.run.check import check_trace
from harness.run.gate import invalid_reasons
from harness.run.plan import Job
from harness.scenario.load import load_file
from harness.scenario.model import Case
from harness.store import RunFolder
from harness.trace import load
from harness.trace.context import RecordingContext
from harness.verdict import Outcome, Verdict
from tests.lab import SHELL, build_at

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = """<!doctype html><title>A page</title><p>One</p><script>
  function fill(many) { for (let n = 0; n < many; n++) performance.mark("m" + n); performance.clearMarks(); }
  function hang() { for (;;); }
</script>"""
SCENARIO = """
scenario: gate.broken
title: A page is parsed, unless the recording is broken
claims: [gate.parsed]
timeout: {timeout}
record: {{categories: [{categories}], {record}}}
fixture: page.html
steps: {steps}
select:
  parsed: {{name: ParseHTML}}
  marked: {{name: m7, during: {window}}}
expect:
  - count: {{of: parsed, is: ">= 1"}}
  - none: {{of: marked}}
    control: {{count: {{of: parsed, is: ">= 1"}}}}
"""
OPEN = '{goto: "${fixture.url}"}'
CATEGORIES = "devtools.timeline, blink.user_timing"
LOSSY = f"[{OPEN}, {{call: fill, args: [30000]}}, {{settle: 100ms}}, {{call: fill, args: [30000]}}, {{settle: 100ms}}]"


class Broken:
    """A case and its one attempt, made in a shell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "page.html").write_text(PAGE)

    def case(self, steps: str, **parts: str) -> Case:
        path = self.folder / "broken.scenario.yaml"
        usual = {"record": "", "categories": CATEGORIES, "window": "start..end", "timeout": "30s"}
        path.write_text(SCENARIO.format(steps=steps, **{**usual, **parts}))
        (case,) = load_file(path, claims={"gate.parsed": None}, fixtures_roots=[])  # type: ignore[dict-item]
        return case

    async def attempt(self, case: Case) -> Attempt:
        async with shared_driver():
            return await run_attempt(Job(case, build_at(SHELL), "shell", 1), 1, RunFolder(self.folder / "out"))

    def trace(self, attempt: Attempt) -> Path:
        return self.folder / "out" / attempt.recordings[0].trace

    def context(self, attempt: Attempt) -> RecordingContext:
        path = self.folder / "out" / attempt.recordings[0].context
        return msgspec.json.decode(path.read_bytes(), type=RecordingContext)

    def check(self, case: Case, trace: Path) -> CaseResult:
        (result,) = check_trace(trace.parent, [case], "", Catalog((case,), (), {}, Baselines()), []).cases
        return result


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    return Broken(tmp_path)


async def test_sound(broken: Broken) -> None:
    found = await broken.attempt(broken.case(f"[{OPEN}]"))
    assert found.valid, (found.error, found.reasons)
    assert [finding.outcome for finding in found.findings] == [Outcome.MET, Outcome.MET]


@pytest.mark.parametrize(
    "record",
    [
        "buffer: 1MiB",
        "buffer: 1MiB, buffer_mode: continuously",
        "buffer: 1MiB, buffer_mode: as-much-as-possible, markers: none",
        "buffer: 1MiB, recorder: perfetto",
    ],
)
async def test_a_buffer_too_small(broken: Broken, record: str) -> None:
    """The file alone says so too, without the flag that the protocol gave."""
    case = broken.case(LOSSY, record=record)
    found = await broken.attempt(case)
    assert not found.valid and not found.findings
    assert any("data loss" in reason for reason in found.reasons), (found.error, found.reasons)
    silent = msgspec.structs.replace(broken.context(found), data_loss=False)
    told = invalid_reasons(case, case.arms["main"], load(broken.trace(found)), silent)
    assert any("data loss (" in reason for reason in told), told


@pytest.mark.parametrize("url", ["chrome://crash", "chrome://kill"])
async def test_a_renderer_that_crashes_by_itself(broken: Broken, url: str) -> None:
    found = await broken.attempt(broken.case(f'[{OPEN}, {{goto: "{url}", until: none}}, {{settle: 20s}}]'))
    assert not found.valid and not found.findings
    assert "crash" in found.error, found


async def test_a_page_that_never_loads(broken: Broken) -> None:
    case = broken.case('[{goto: "${fixture.url}?hold=for-ever", timeout: 300ms}]')
    found = await broken.attempt(case)
    assert not found.valid and not found.findings
    assert "goto did not finish within 0.3 s" in found.error


async def test_a_step_that_hangs(broken: Broken) -> None:
    found = await broken.attempt(broken.case(f"[{OPEN}, {{call: hang}}]", timeout="5s"))
    assert not found.valid and not found.findings
    assert "call did not finish within 5 s" in found.error or "did not finish within 5 s" in found.error


async def test_a_recording_stopped_early(broken: Broken) -> None:
    """What happened after its end was not recorded, so it is not absent."""
    steps = f"[{OPEN}, stop_recording, {{mark: late}}, {{call: fill, args: [10]}}, {{mark: later}}]"
    found = await broken.attempt(broken.case(steps, window="late..later"))
    assert [finding.outcome for finding in found.findings] == [Outcome.MET, Outcome.INVALID]
    assert "was not all recorded" in found.findings[1].summary


async def test_a_page_without_a_main_thread_in_it(broken: Broken) -> None:
    found = await broken.attempt(broken.case(f"[{OPEN}]", categories="viz"))
    assert not found.valid
    assert any("main thread" in reason and "wrote no event" in reason for reason in found.reasons), found.reasons


async def test_a_page_that_changes_its_process(broken: Broken) -> None:
    steps = '[{goto: "${server.a}/page.html"}, {goto: "${server.b}/page.html"}]'
    case = broken.case(steps)
    found = await broken.attempt(case)
    assert any("changed its process" in reason for reason in found.reasons), found


def _array(data: bytes) -> bytes:
    """The same events as a bare array, which a writer may leave open."""
    events = msgspec.json.decode(data)["traceEvents"]
    return b"[" + b",\n".join(msgspec.json.encode(event) for event in events) + b"]"


CUTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "object behind an event": (lambda data: data[: data.rindex(b"},", 0, len(data) // 2) + 1], "cut short"),
    "object in an event": (lambda data: data[: len(data) // 2], "cut short"),
    "array behind the last event": (lambda data: _array(data)[:-1], "is not closed"),
    "array behind an event": (lambda data: (a := _array(data))[: a.rindex(b"},\n", 0, len(a) // 2) + 1], "no end"),
}


async def test_a_trace_that_is_cut_at_its_end(broken: Broken) -> None:
    """The recording is sound; each cut of its file is not, and none is taken for evidence."""
    case = broken.case(f"[{OPEN}]")
    found = await broken.attempt(case)
    trace, page = broken.trace(found), broken.context(found)
    assert broken.check(case, trace).verdicts == {"gate.parsed": Verdict.HOLDS}
    whole = trace.read_bytes()
    for what, (cut, said) in CUTS.items():
        trace.write_bytes(gzip.compress(cut(gzip.decompress(whole))))
        assert said in _refused(case, trace, page), what
    trace.write_bytes(whole[:-20])
    assert "cut short" in _refused(case, trace, page)


def _refused(case: Case, trace: Path, context: RecordingContext) -> str:
    try:
        return "; ".join(invalid_reasons(case, case.arms["main"], load(trace), context))
    except TraceFileError as error:
        return str(error)
