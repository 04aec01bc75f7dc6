"""Whatever is killed in the middle of a run: nothing is left over, and what is said is true."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.cli.new import write_scenario
from harness.events import AttemptDone, CaseResult, ClaimVerdict, RunFooter, RunHeader
from harness.run.rederive import rederive
from harness.store import Store, read_ledger, verify
from harness.verdict import Verdict
from tests.lab import SHELL, build_at

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 90.0


def wait_for(what: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def processes() -> Iterator[tuple[int, int, str]]:
    """Live processes: pid, parent, command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if state not in "ZX":
                yield int(entry.name), int(parent), command


def descendants(root: int) -> dict[int, str]:
    found: dict[int, str] = {}
    known, rows = {root}, list(processes())
    while more := [row for row in rows if row[1] in known and row[0] not in found]:
        for pid, _, command in more:
            found[pid] = command
            known.add(pid)
    return found


def threads(pid: int) -> list[str]:
    try:
        return [(task / "comm").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []


class Running:
    """A run that has a page open, and steps that keep it so for longer than the test takes."""

    def __init__(self, folder: Path) -> None:
        write_scenario("held", folder / "held")
        scenario = folder / "held" / "first.scenario.yaml"
        scenario.write_text(scenario.read_text().replace("settle: 200ms", "settle: 40s"))
        page = folder / "held" / "page.html"
        page.write_text(
            page.read_text() + "<script>new Worker(URL.createObjectURL(new Blob(['']))).onmessage = 0</script>"
        )
        self.out = folder / "out"
        command = [sys.executable, "-m", "harness.cli", "run", "./held", "--attempts", "1", "--out", str(self.out)]
        command += ["--browser", str(build_at(SHELL).path)]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )
        wait_for(self.loaded, self.process)
        self.children = descendants(self.process.pid)
        found = re.search(r"--user-data-dir=(\S+)/profile", " ".join(self.children.values()))
        assert found
        self.attempt = found[1]

    def renderers(self) -> list[int]:
        return [pid for pid, command in descendants(self.process.pid).items() if "--type=renderer" in command]

    def loaded(self) -> list[int]:
        """Renderers that run the page's worker: what is killed before that is not missed by anyone."""
        return [pid for pid in self.renderers() if any("DedicatedWorker" in name for name in threads(pid))]

    def browser(self) -> int:
        return next(
            pid
            for pid, command in self.children.items()
            if "--user-data-dir" in command and "--type=" not in command and "guard.py" not in command
        )

    def left_over(self) -> list[str]:
        alive = {pid: command for pid, _, command in processes()}
        same = [command for pid, command in self.children.items() if alive.get(pid) == command]
        return [*same, *([self.attempt] if Path(self.attempt).exists() else [])]

    def assert_nothing_left(self) -> None:
        deadline = time.monotonic() + 20
        while (left := self.left_over()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left


def test_killed_at_random_moments_and_resumed_every_verdict_comes_once(tmp_path: Path) -> None:
    """Each time it is killed within the attempt after the first new one, wherever that then is."""
    write_scenario("brief", tmp_path / "brief")
    scenario = tmp_path / "brief" / "first.scenario.yaml"
    scenario.write_text(scenario.read_text().replace("settle: 300ms", "settle: 20ms").replace("200ms", "50ms"))
    out = tmp_path / "out"
    ledger = out / "ledger.jsonl"
    program = [sys.executable, "-m", "harness.cli", "run"]
    command = [*program, "./brief", "--attempts", "5", "--out", str(out), "--browser", str(build_at(SHELL).path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    chance = random.Random(9)

    def attempts() -> list[int]:
        lines = read_ledger(ledger) if ledger.exists() else []
        return [line.attempt.number for line in lines if isinstance(line, AttemptDone)]

    for wanted in (1, 3):
        process = subprocess.Popen(
            command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        )
        wait_for(lambda wanted=wanted: len(attempts()) >= wanted, process)  # type: ignore[misc]
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 1))
        process.kill()
        process.communicate()
        command = [*program, "--resume", str(out)]
    kept = attempts()
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert kept == list(range(1, len(kept) + 1)) and attempts() == [1, 2, 3, 4, 5]
    lines = read_ledger(ledger)
    (case,) = [line for line in lines if isinstance(line, CaseResult)]
    verdicts = [line for line in lines if isinstance(line, ClaimVerdict)]
    assert [one.number for one in case.attempts] == attempts()
    assert [(one.met, one.valid, one.attempts) for one in verdicts] == [(5, 5, 5)] * 2
    assert isinstance(lines[-1], RunFooter)
    stored = {one.trace for attempt in case.attempts for one in attempt.recordings}
    assert {path.relative_to(out).as_posix() for path in out.glob("recordings/**/*.json.gz")} == stored
    assert not rederive(ledger, [scenario]).changes


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 5 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", str(disk)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_ends_the_run_and_with_space_it_goes_on(tmp_path: Path, small_disk: Path) -> None:
    write_scenario("brief", tmp_path / "brief")
    out, filler = small_disk / "run", small_disk / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(small_disk).free - 200_000))
    program = [sys.executable, "-m", "harness.cli", "run"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*program, *words], cwd=tmp_path, text=True, capture_output=True, env=environment)

    full = run("./brief", "--attempts", "4", "--out", str(out), "--browser", str(build_at(SHELL).path))
    assert full.returncode == 3, full.stdout + full.stderr
    assert "No space left on device" in full.stderr and f"`traceproof run --resume {out}` goes on" in full.stderr
    assert "Traceback" not in full.stderr
    ledger = out / "ledger.jsonl"
    kept = [line.attempt for line in read_ledger(ledger) if isinstance(line, AttemptDone)]
    assert 0 < len(kept) < 4 and all(attempt.valid for attempt in kept)
    assert ledger.read_bytes().endswith(b"\n")
    assert not [path for path in out.rglob(".*") if path.is_file()]
    assert verify(Store(out / ".store"))[0] == []
    filler.unlink()
    again = run("--resume", str(out))
    assert again.returncode == 0, again.stdout + again.stderr
    (case,) = [line for line in read_ledger(ledger) if isinstance(line, CaseResult)]
    assert [attempt.number for attempt in case.attempts] == [1, 2, 3, 4]
    assert case.attempts[: len(kept)] == kept and set(case.verdicts.values()) == {Verdict.HOLDS}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path)
    yield running
    running.process.kill()
    running.process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything_and_says_what_was_kept(running: Running, number: signal.Signals) -> None:
    running.process.send_signal(number)
    said, _ = running.process.communicate(timeout=PATIENCE)
    assert running.process.returncode == 128 + number
    assert f"stopped by {number.name}" in said
    assert str(running.out) in said
    assert "Traceback" not in said
    assert "never retrieved" not in said
    running.assert_nothing_left()
    assert [type(line) for line in read_ledger(running.out / "ledger.jsonl")] == [RunHeader]


def test_a_killed_harness_leaves_nothing_running(running: Running) -> None:
    running.process.kill()
    running.process.communicate()
    running.assert_nothing_left()
    assert [type(line) for line in read_ledger(running.out / "ledger.jsonl")] == [RunHeader]


@pytest.mark.parametrize("victim", ["browser", "renderer"])
def test_a_killed_browser_is_an_error_and_no_evidence(running: Running, victim: str) -> None:
    os.kill(running.browser() if victim == "browser" else running.loaded()[0], signal.SIGKILL)
    said, _ = running.process.communicate(timeout=PATIENCE)
    assert running.process.returncode == 3
    assert "failed: " in said
    assert "Traceback" not in said
    running.assert_nothing_left()
    _, attempt, case, *verdicts, footer = read_ledger(running.out / "ledger.jsonl")
    assert isinstance(attempt, AttemptDone)
    assert isinstance(case, CaseResult)
    assert set(case.verdicts.values()) == {Verdict.ERROR}
    assert not case.attempts[0].valid and case.attempts == [attempt.attempt]
    assert len(verdicts) == 2
    assert isinstance(footer, RunFooter)
