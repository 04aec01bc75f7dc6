from __future__ import annotations

import asyncio
import errno
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from harness.browser import Launched, launch
from harness.errors import BrowserError, RecorderError, StoreError
from harness.record import make_recorder
from harness.record.cdp import CdpRecorder, Tracing
from harness.record.stream import write_chunks
from harness.scenario.model import RECORDERS, BrowserSpec, RecordSpec
from harness.trace import Trace
from harness.trace.context import END, START, marker_name
from tests.lab import FULL, SHELL, build_at, record

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
DEVTOOLS = "disabled-by-default-devtools.timeline"
BOTH = pytest.mark.parametrize("recorder", ["cdp-browser", "cdp-page"])


def clock_markers(trace: Trace) -> list[Any]:
    return [event.args["sync_id"] for event in trace.by_name("clock_sync")]


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


@BOTH
async def test_records_what_happens_between_start_and_stop(
    launched: Launched, page: Page, tmp_path: Path, recorder: str
) -> None:
    async def work() -> None:
        await page.goto("data:text/html,<p>hello")

    trace, collected = await record(launched, page, tmp_path, ["devtools.timeline"], work, recorder=recorder)
    assert trace.by_name("ParseHTML")
    assert not collected.data_loss
    assert collected.bytes == collected.path.stat().st_size
    assert collected.categories == ("devtools.timeline",)
    assert collected.exclude == ("*",)
    parsed = trace.by_name("ParseHTML")[0]
    assert collected.start_us <= parsed.ts <= collected.stop_us  # one clock: the host's and the trace's
    assert names_in(tmp_path) == [collected.path.name]


async def test_the_page_recorder_writes_the_frame_tree(launched: Launched, page: Page, tmp_path: Path) -> None:
    trace, _ = await record(launched, page, tmp_path, ["devtools.timeline", DEVTOOLS], page.title, recorder="cdp-page")
    started = trace.by_name("TracingStartedInBrowser")
    assert [frame["url"] for frame in started[0].args["data"]["frames"]] == ["about:blank"]


@BOTH
@pytest.mark.parametrize("exclude", [("*",), ()], ids=["exclude all", "exclude nothing"])
async def test_clock_markers_need_no_category(
    launched: Launched, page: Page, tmp_path: Path, recorder: str, exclude: tuple[str, ...]
) -> None:
    trace, collected = await record(launched, page, tmp_path, ["blink"], page.title, recorder=recorder, exclude=exclude)
    assert clock_markers(trace) == [marker_name(START), marker_name(END)]
    begin, end = (event.ts for event in trace.by_name("clock_sync"))
    assert begin <= collected.start_us + 1e5
    assert collected.start_us <= end <= collected.stop_us


async def test_page_markers(launched: Launched, page: Page, tmp_path: Path) -> None:
    trace, _ = await record(launched, page, tmp_path, ["blink.user_timing"], page.title, markers="page")
    assert [len(trace.by_name(marker_name(edge))) for edge in (START, END)] == [1, 1]
    assert not clock_markers(trace)


async def test_no_markers(launched: Launched, page: Page, tmp_path: Path) -> None:
    trace, _ = await record(launched, page, tmp_path, ["blink.user_timing"], page.title, markers="none")
    assert not clock_markers(trace)
    assert not trace.by_name(marker_name(START))


@pytest.mark.parametrize("mode", ["until-full", "as-much-as-possible", "continuously"])
async def test_a_small_buffer_is_seen_as_data_loss(launched: Launched, page: Page, tmp_path: Path, mode: str) -> None:
    """The flag tells; the browser's own report of how full the buffer is stays below 1, and the markers are lost too
    where a full buffer stops the recording."""

    spec = RecordSpec(("blink.user_timing",), buffer_bytes=1_000_000, buffer_mode=mode)
    recorder = CdpRecorder(spec, spec.categories)
    await recorder.start(launched, page)
    for _ in range(4):
        await page.evaluate("() => { for (let i = 0; i < 30000; i++) performance.mark('m' + i) }")
    while (recorder.buffer_peak or 0) <= 0.5:  # the buffer is filled in the background
        await page.evaluate("() => { for (let i = 0; i < 1000; i++) performance.mark('n' + i) }")
    await recorder.stop()
    collected = await recorder.collect(tmp_path / "recording.json.gz")
    assert collected.data_loss
    assert collected.buffer_peak is not None
    assert 0.5 < collected.buffer_peak < 1


async def test_the_same_work_fits_a_large_buffer(launched: Launched, page: Page, tmp_path: Path) -> None:
    async def work() -> None:
        await page.evaluate("() => { for (let i = 0; i < 30000; i++) performance.mark('m' + i) }")

    trace, collected = await record(launched, page, tmp_path, ["blink.user_timing"], work)
    assert not collected.data_loss
    assert sum(event.name.startswith("m") for event in trace.events) == 30000
    assert len(clock_markers(trace)) == 2


async def test_two_recordings_at_once_are_refused_in_words(launched: Launched, page: Page, tmp_path: Path) -> None:
    first, second = (make_recorder(RecordSpec(("blink",)), ["blink"]) for _ in range(2))
    await first.start(launched, page)
    with pytest.raises(RecorderError, match=r"did not start to record: .*[Tt]racing"):
        await second.start(launched, page)
    await first.stop()
    await first.collect(tmp_path / "first.json.gz")


async def test_stop_without_start(launched: Launched) -> None:
    with pytest.raises(RecorderError, match="never started"):
        await make_recorder(RecordSpec(("blink",)), ["blink"]).stop()


async def test_a_file_that_cannot_be_written(launched: Launched, page: Page, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"absent/recording\.json\.gz could not be written: No such file"):
        await record(launched, page, tmp_path / "absent", ["blink"], page.title)


async def test_a_full_disk_leaves_no_draft_and_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "recording.json.gz"
    path.write_bytes(b"old")

    async def chunks() -> Any:
        yield b"new"

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("harness.store.atomic.os.fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        await write_chunks(chunks(), path)
    assert names_in(tmp_path) == [path.name]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("name", [name for name in RECORDERS if name != "startup"])  # it has phases of its own
async def test_every_recorder_of_the_schema_is_there(name: str) -> None:
    assert make_recorder(RecordSpec(("blink",), recorder=name), ["blink"]).setup() == ()


@pytest.mark.parametrize("victim", ["browser", "renderer"])
async def test_a_death_in_the_middle_ends_the_recording_at_once(tmp_path: Path, victim: str) -> None:
    async with launch(build_at(SHELL), "shell") as own:
        page = await own.new_page()
        await page.goto("data:text/html,<p>hello")
        recorder = make_recorder(RecordSpec(("blink",)), ["blink"])
        await recorder.start(own, page)
        if victim == "browser":
            os.kill(own.pid, signal.SIGKILL)
        else:
            session = await page.context.new_cdp_session(page)
            asyncio.ensure_future(session.send("Page.crash")).add_done_callback(lambda call: call.exception())
        with pytest.raises(BrowserError):
            await own.watch(asyncio.Event().wait())
        with pytest.raises(BrowserError):  # what waits until a time limit is a RecorderError
            await recorder.stop()


async def test_a_browser_that_dies_while_the_trace_is_gathered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gathering = asyncio.Event()
    real_end = Tracing.end

    async def end(self: Tracing) -> dict[str, Any]:
        gathering.set()
        return await real_end(self)

    monkeypatch.setattr(Tracing, "end", end)
    async with launch(build_at(SHELL), "shell") as own:
        page = await own.new_page()
        recorder = make_recorder(RecordSpec(("blink.user_timing",)), ["blink.user_timing"])
        await recorder.start(own, page)
        await page.evaluate("() => { for (let i = 0; i < 60000; i++) performance.mark('m' + i) }")
        stopping = asyncio.ensure_future(recorder.stop())
        await gathering.wait()
        os.kill(own.pid, signal.SIGKILL)
        with pytest.raises(BrowserError):
            await stopping


async def test_a_browser_that_dies_before_collect(tmp_path: Path) -> None:
    async with launch(build_at(SHELL), "shell") as own:
        recorder = make_recorder(RecordSpec(("blink",)), ["blink"])
        await recorder.start(own, await own.new_page())
        await recorder.stop()
        os.kill(own.pid, signal.SIGKILL)
        with pytest.raises(BrowserError):
            await recorder.collect(tmp_path / "recording.json.gz")
    assert not names_in(tmp_path)


async def test_the_full_browser(tmp_path: Path) -> None:
    async with launch(build_at(FULL), "headless", BrowserSpec()) as own:
        page = await own.new_page()

        async def work() -> None:
            await page.goto("data:text/html,<p>hello")

        trace, collected = await record(own, page, tmp_path, ["devtools.timeline"], work)
        assert trace.by_name("ParseHTML")
        assert len(clock_markers(trace)) == 2
        assert not collected.data_loss
