"""However the harness ends, nothing of the browser stays behind: not a process, not a display, not a folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.browser import Build
from harness.browser.attempt import create, sweep
from harness.browser.guard import LIFE, PIDS, kill_group, members

pytestmark = pytest.mark.browser

_HARNESS = """
import asyncio, json, signal, sys
from harness.browser import launch, probe

# a shell that puts the tests into the background has its children ignore SIGINT
signal.signal(signal.SIGINT, signal.default_int_handler)

async def main():
    async with launch(probe(sys.argv[1]), sys.argv[2]) as launched:
        page = await launched.new_page()
        await page.goto("data:text/html,<p>here")
        print(json.dumps({"folder": str(launched.profile.parent), **launched.pids}), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@contextmanager
def harness(build: Build, mode: str, temp: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A process of its own that runs a browser; ended in any case."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "TMPDIR": str(temp)}
    environment.pop("DISPLAY", None)
    command = [sys.executable, "-c", _HARNESS, str(build.path), mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return met


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids_in(folder: Path) -> list[int]:
    return [json.loads((folder / PIDS).read_text())["browser"]]


def left(said: dict[str, Any]) -> list[int]:
    sessions = [said["browser"], said["display"]] if "display" in said else [said["browser"]]
    return members(said["folder"], sessions)


def test_kill_9_of_the_harness_leaves_nothing(build_and_mode: tuple[Build, str], temp: Path) -> None:
    build, mode = build_and_mode
    with harness(build, mode, temp) as (process, said):
        assert len(left(said)) > 1  # the browser has renderers
        driver = parent_of(said["guard"])
        assert ("display" in said) == (mode == "headed")
        process.kill()
        assert wait_until(lambda: not left(said)), f"still there: {left(said)}"
        assert wait_until(lambda: not Path(said["folder"]).exists())
        assert wait_until(lambda: not is_alive(driver))  # Playwright's node


def test_an_interrupted_harness_leaves_nothing(build: Build, temp: Path) -> None:
    with harness(build, build.modes[0], temp) as (process, said):
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert not left(said)
        assert not Path(said["folder"]).exists()


def test_kill_9_of_the_guard_ends_the_browser(build: Build, temp: Path) -> None:
    with harness(build, build.modes[-1], temp) as (_, said):
        os.kill(said["guard"], signal.SIGKILL)
        assert wait_until(lambda: not left(said)), f"still there: {left(said)}"


def test_kill_9_of_harness_and_guard_leaves_a_folder_that_the_next_start_sweeps(
    build: Build, temp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    with harness(build, build.modes[0], temp) as (process, said):
        assert sweep() == []  # its owner lives
        os.kill(said["guard"], signal.SIGSTOP)
        process.kill()
        process.wait()
        os.kill(said["guard"], signal.SIGKILL)
        assert wait_until(lambda: not left(said))
        assert sweep() == [Path(said["folder"])]
        assert not Path(said["folder"]).exists()


def test_a_guard_whose_harness_died_before_it_started_runs_nothing_for_long(build: Build, temp: Path) -> None:
    os.mkfifo(temp / LIFE)
    with guard_of(temp) as guard:
        assert guard.wait(30) == 128 + signal.SIGKILL
    assert not temp.exists()


def test_a_browser_that_has_not_made_its_group_yet_is_ended() -> None:
    with subprocess.Popen(["/bin/sleep", "1000"]) as browser:  # in the group of this process
        kill_group(browser.pid, reaped=False)
        assert browser.wait(30) == -signal.SIGKILL


def guard_of(folder: Path) -> subprocess.Popen[bytes]:
    """A guard with a process under it that takes the place of a browser."""
    (folder / "profile").mkdir()
    guard = Path(sys.modules["harness.browser.guard"].__file__ or "")
    return subprocess.Popen([sys.executable, "-I", "-S", str(guard), str(folder), "--", "/bin/sleep", "1000"])


def test_a_guard_waits_for_the_last_thread_of_a_harness_that_is_going(temp: Path) -> None:
    """The kernel's signal comes when the thread that started the guard is gone; the pipe closes with the last one."""
    os.mkfifo(temp / LIFE)
    life = os.open(temp / LIFE, os.O_RDWR)
    with guard_of(temp) as guard:
        assert wait_until((temp / PIDS).exists) and wait_until(lambda: len(members(str(temp), pids_in(temp))) > 0)
        guard.send_signal(signal.SIGTERM)
        assert wait_until(lambda: not members(str(temp), pids_in(temp)))
        os.close(life)
        assert guard.wait(30) == 128 + signal.SIGKILL
    assert not temp.exists()


async def test_a_folder_whose_owner_lives_is_not_swept(temp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    attempt = create()
    assert sweep() == []
    assert attempt.pids() == {}
    (attempt.folder / PIDS).write_text("{")  # cut off while it was written
    assert attempt.pids() == {}
    assert await attempt.end() == []
    assert not attempt.folder.exists()
