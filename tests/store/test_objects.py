"""The store: bytes once by their hash, found again, checked, kept and let go."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli import cli
from harness.errors import StoreError, UsageError, UserError
from harness.events import RunResult
from harness.run.catalog import load_catalog
from harness.store import Manifest, RunFolder, Store, find_store, plan_pruning, prune, sha256_file, uses, verify
from harness.trace.context import RecordingContext
from tests.samples import BUILD
from tests.stored import store_run, write_scenarios
from tests.traces import slice

Run = Callable[..., RunResult]


def parsed(number: int) -> list[dict[str, Any]]:
    return [slice("ParseHTML", ts=number, dur=5, args={"endData": {"endLine": number}})]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def run(tmp_path: Path, out: Path) -> Run:
    """A run of so many attempts, as `out/<name>`, recorded into `out/<name>/.store`."""
    catalog = load_catalog([write_scenarios(tmp_path / "own")])

    def make(name: str, *numbers: int, **rest: Any) -> RunResult:
        return store_run(out / name, catalog, [parsed(number) for number in numbers], **rest)

    return make


@pytest.fixture
def store(run: Run, out: Path) -> Store:
    """Of one run with two attempts."""
    run("a", 1, 2)
    return find_store(out / "a")


def command(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    status = cli.main([*words], standalone_mode=False)
    said = capsys.readouterr().out
    return status, json.loads(said) if "--json" in words else said


def test_a_recording_lies_once_and_the_run_folder_shows_the_same_bytes(store: Store, out: Path) -> None:
    entries = store.entries()
    assert len(entries) == 2
    for entry in entries:
        shown = out / "a" / "recordings" / "parsing.one" / "156.0.1.2-shell" / str(entry.manifest.attempt)
        assert store.object(entry.sha256).samefile(shown / "main.json.gz")
        assert store.object(entry.context).read_bytes() == (shown / "main.context.json").read_bytes()
    assert len(list(store.objects())) == 3  # the contexts of both attempts are the same
    assert verify(store) == ([], 3)


def test_on_another_disk_it_is_a_copy(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    def refuse(*names: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "link", refuse)
    run("a", 1)
    store = find_store(out / "a")
    assert verify(store) == ([], 2)
    assert store.object(store.entries()[0].sha256).stat().st_nlink == 1


def test_found_by_as_many_digits_as_it_takes_or_by_name(store: Store) -> None:
    first, second = store.entries()
    assert store.find(first.sha256) == store.find(first.sha256[:8]) == [first]
    store.keep("ref-156", [first.sha256, second.sha256])
    assert store.find("ref-156") == [first, second]
    for word in ("ffffffff", first.sha256[:3], "nothing", ""):
        with pytest.raises(UsageError, match="no recording or name here"):
            store.find(word)
    for name in ("../x", "abc", "a/b", ".x", "", "deadbeef"):
        with pytest.raises(UsageError, match="is no name for a recording"):
            store.keep(name, [first.sha256])
    with pytest.raises(UsageError, match="no recording is kept as 'other'"):
        store.drop("other")


def test_damage_and_loss_are_found(store: Store, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = store.entries()
    store.keep("ref", [first.sha256])
    path = store.object(first.sha256)
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.unlink()
    path.write_bytes(data)
    store.object(second.sha256).unlink()
    status, told = command("store", "verify", "--store", str(out / "a"), "--json", capsys=capsys)
    assert status == 1
    faults = {one["sha256"]: one["what"] for one in told["faults"]}
    assert faults[first.sha256].startswith("damaged: its bytes have the sha256 ")
    assert faults[second.sha256] == f"missing: the trace {second.sha256}"
    store.forget(first)
    assert "missing: it is kept as ref" in [fault.what for fault in verify(store)[0]]


def test_a_full_disk_is_said_and_leaves_nothing(run: Run, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(StoreError, match="could not be written: No space left"):
        run("a", 1)
    assert not list(Store(out / "a" / ".store").objects()) and not Store(out / "a" / ".store").entries()


def test_what_a_ledger_or_a_name_needs_is_not_pruned(run: Run, out: Path, tmp_path: Path) -> None:
    run("a", 1, 2)
    store = find_store(out / "a")
    (out / "a" / "ledger.jsonl").rename(out / "a" / "ledger-1.jsonl")  # as a later run in the same folder does
    plan = plan_pruning(store)
    assert not plan.entries and not plan.objects and plan.kept == {"needed by a ledger": 2}
    (out / "a" / "ledger-1.jsonl").unlink()
    assert plan_pruning(store).kept == {"in a run folder": 2}
    first, second = store.entries()
    store.keep("ref", [first.sha256])
    for file in (out / "a" / "recordings").rglob("main.*"):
        file.unlink()
    plan = plan_pruning(store)
    size = store.object(second.sha256).stat().st_size
    assert (plan.entries, plan.bytes, plan.kept) == ([second], size, {"kept by name": 1})
    prune(store, plan)
    assert store.entries() == [first] and verify(store) == ([], 2)
    store.drop("ref")
    prune(store, plan_pruning(store))
    assert not store.entries() and not list(store.objects())


def test_pruning_asks_the_ledgers_of_every_run_that_recorded_here(run: Run, out: Path, tmp_path: Path) -> None:
    run("a", 1, store=tmp_path / "shared")
    run("b", 2, store=tmp_path / "shared")
    store = find_store(tmp_path / "shared")
    assert {path.parent.name for path in store.ledgers()} == {"a", "b"}
    assert len(uses(store.ledgers())) == 2
    shutil.rmtree(out / "a")
    plan = plan_pruning(store)
    assert len(plan.entries) == 1 and plan.kept == {"needed by a ledger": 1}
    (out / "b" / "ledger.jsonl").write_text("{broken}\n")
    with pytest.raises(UserError, match="is not a line of a ledger"):
        plan_pruning(store)


def test_only_with_yes_and_old_runs_only_when_asked(
    store: Store, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--store", str(out / "a")]
    traces = list(out.rglob("main.json.gz"))
    status, said = command("store", "prune", *where, "--older-than", "0", capsys=capsys)
    assert status == 0 and "would remove 2 recordings (3 objects and 6 files of run folders)" in said
    assert all(path.is_file() for path in traces)
    _, told = command("store", "prune", *where, "--older-than", "0", "--yes", "--json", capsys=capsys)
    assert told["removed"] and len(told["recordings"]) == 2 and told["bytes"] > 0
    assert not any(path.exists() for path in traces)
    assert (out / "a" / "ledger.jsonl").is_file() and not store.entries()


def test_nothing_is_pruned_while_a_run_records(store: Store, out: Path) -> None:
    lock = store.writing()
    with pytest.raises(UserError, match="a run is recording into this store"):
        cli.main(["store", "prune", "--store", str(out / "a")], standalone_mode=False)
    os.close(lock)


def test_list_and_show(store: Store, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--store", str(out / "a"), "--json"]
    first = store.entries()[0]
    store.keep("ref", [first.sha256])

    def listed(*words: str) -> int:
        return len(command("store", "list", *where, *words, capsys=capsys)[1]["recordings"])

    assert listed() == listed("--claim", "parsing.*") == listed("--scenario", "parsing.one", "--build", "156") == 2
    assert listed("--build", "15") == listed("--claim", "other.*") == listed("--mode", "headed") == 0
    assert listed("--kept") == 1
    _, told = command("store", "show", "ref", *where, capsys=capsys)
    (one,) = told["recordings"]
    assert one["sha256"] == first.sha256 and one["names"] == ["ref"]
    (use,) = one["uses"]
    assert use["attempt"] == first.manifest.attempt and use["findings"][0]["outcome"] == "met"
    _, said = command("store", "show", first.sha256[:10], *where[:2], capsys=capsys)
    assert "met      parsing.end-line:" in said


def test_no_store_is_a_users_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no store in"):
        find_store(tmp_path)


WRITER = """
import sys
from pathlib import Path
from harness.store import RunFolder
from tests.store.test_objects import add_plain
folder = RunFolder(Path(sys.argv[1]), store=Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3]), int(sys.argv[3]) + 60):
    add_plain(folder, number)
"""


def add_plain(folder: RunFolder, number: int) -> None:
    """A recording that is bytes and a manifest."""
    files = folder.recording("a.b", "156.0.1.2", "shell", number, "main", 0, binary="/b")
    files.trace.write_bytes(b"%d" % number * 50_000)
    files.write_context(RecordingContext(values={"number": number}))
    digest = sha256_file(files.trace)
    told = {"scenario": "a.b", "arm": "main", "attempt": number, "trace": files.trace.name, "sha256": digest}
    files.write_manifest(Manifest(**told, bytes=1, build=BUILD, mode="shell", recorder="cdp-browser"))
    folder.take_in([folder.relative(files.trace)])


def test_two_processes_write_one_store(tmp_path: Path) -> None:
    """Half of their recordings are the same bytes, which both then try to put in one place."""
    shared = tmp_path / "shared"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "out" / str(start)), str(shared), str(start)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )
        for start in (0, 30)
    ]
    for process in both:
        assert process.stdout and process.stdout.readline() == "ready\n"
    for process in both:
        process.communicate("go\n")
    assert [process.returncode for process in both] == [0, 0]
    store = find_store(shared)
    assert verify(store) == ([], 2 * 90)
    assert sorted(entry.manifest.attempt for entry in store.entries()) == list(range(90))
    assert not [path for path in shared.rglob(".*") if path.is_file()]
