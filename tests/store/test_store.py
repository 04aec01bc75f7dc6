"""What lies on disk is whole, whatever happens while it is written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest

from harness.errors import StoreError, UserError
from harness.events import RunFooter, RunHeader
from harness.store import Ledger, Manifest, RunFolder, context_beside, read_ledger, write_atomic
from harness.store.folder import safe_name
from harness.trace.context import Mark, RecordingContext
from tests.samples import BUILD, mixed

HEADER = RunHeader(traceproof="0.1.0", started="2026-01-31T12:00:00+00:00", command=["traceproof", "run"])


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)


def test_ledger_round_trip(tmp_path: Path) -> None:
    result = mixed()
    lines = [HEADER, *result.cases, *result.verdicts, RunFooter(seconds=1, verdicts={"HOLDS": 1}, drifts=0)]
    with Ledger(tmp_path / "deep" / "ledger.jsonl") as ledger:
        for line in lines:
            ledger.append(line)
    assert read_ledger(tmp_path / "deep" / "ledger.jsonl") == lines


def test_a_line_cut_by_a_kill_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path) as ledger:
        ledger.append(HEADER)
        ledger.append(HEADER)
    path.write_bytes(path.read_bytes()[:-20])
    assert read_ledger(path) == [HEADER]


def test_a_broken_line_inside_is_a_users_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text('{"type": "run"}\n{}\n')
    with pytest.raises(UserError, match=r"ledger\.jsonl:1:1: is not a line of a ledger"):
        read_ledger(path)


def test_a_ledger_of_another_schema_is_not_misread(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(HEADER, schema=2)) + b"\n")
    with pytest.raises(UserError, match=r"(?s)ledger\.jsonl:1:1: the ledger is of another schema.*expected: schema 1"):
        read_ledger(path)


def test_a_full_disk_takes_the_broken_line_back(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path) as ledger:
        ledger.append(HEADER)
        request.getfixturevalue("full_disk")
        with pytest.raises(StoreError, match=r"ledger\.jsonl could not be written: No space left on device"):
            ledger.append(HEADER)
    assert read_ledger(path) == [HEADER]


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    request.getfixturevalue("full_disk")
    with pytest.raises(StoreError, match="No space left"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_run_never_writes_over_an_older_one(tmp_path: Path) -> None:
    folders = [RunFolder(parent=tmp_path).path for _ in range(3)]
    assert len(set(folders)) == 3
    for _ in range(3):
        RunFolder(folders[0]).ledger().close()
    assert sorted(path.name for path in folders[0].iterdir()) == ["ledger-1.jsonl", "ledger-2.jsonl", "ledger.jsonl"]


def test_two_binaries_of_one_version_get_folders_of_their_own(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    one, two, again = (
        folder.recording("a.b[n=1]", "156.0.1.2", "headless", 1, "main", 0, binary=binary).trace
        for binary in ("/a", "/b", "/a")
    )
    assert one == again != two
    assert folder.relative(one) == "recordings/a.b~n=1/156.0.1.2-headless/1/main.json.gz"
    paired = folder.recording("a.b", "156.0.1.2", "headless", 1, "plain", 3, binary="/a", blocks=6)
    assert paired.trace.name == "plain-3.json.gz"


@pytest.mark.parametrize("hostile", ["../../etc/passwd", "/abs", "..", ".", "a/b", "a\0b", "x" * 500, ""])
def test_names_stay_inside_the_folder(tmp_path: Path, hostile: str) -> None:
    path = RunFolder(tmp_path).recording(hostile, "1.2.3.4", "shell", 1, hostile, 0, binary="/a").trace
    assert path.resolve().is_relative_to(tmp_path.resolve() / "recordings")
    assert path.parents[3] == tmp_path / "recordings"


def test_odd_names_stay_apart() -> None:
    assert safe_name("a/b") != safe_name("a_b")
    assert safe_name("parse-html.one[n=10,size=2]") == "parse-html.one~n=10,size=2"


def test_the_context_is_found_beside_the_trace(tmp_path: Path) -> None:
    files = RunFolder(tmp_path).recording("a.b", "156.0.1.2", "shell", 1, "main", 0, binary="/a")
    context = RecordingContext(marks=[Mark("done", 5.0)], values={"x": [1]}, build="156.0.1.2")
    files.write_context(context)
    assert context_beside(files.trace) == context
    assert context_beside(files.trace.with_name("other.json")) is None
    plain = tmp_path / "trace.json.zst"
    (tmp_path / "context.json").write_bytes(msgspec.json.encode(context))
    assert context_beside(plain) == context


def test_a_broken_context_is_a_users_error(tmp_path: Path) -> None:
    (tmp_path / "t.context.json").write_text("{nonsense")
    with pytest.raises(UserError, match="is not the context of a recording"):
        context_beside(tmp_path / "t.json.gz")


def test_manifest_is_readable(tmp_path: Path) -> None:
    files = RunFolder(tmp_path).recording("a.b", "156.0.1.2", "shell", 1, "main", 0, binary="/a")
    manifest = Manifest(
        scenario="a.b",
        arm="main",
        attempt=1,
        trace="main.json.gz",
        sha256="0",
        bytes=1,
        build=BUILD,
        mode="shell",
        recorder="cdp-browser",
    )
    files.write_manifest(manifest)
    assert msgspec.json.decode(files.manifest.read_bytes(), type=Manifest) == manifest


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    """The second would write over the recordings that the first one's verdicts rest on."""
    with RunFolder(tmp_path).ledger(), pytest.raises(UserError, match="another run is writing here"):
        RunFolder(tmp_path).ledger()
    with RunFolder(tmp_path).ledger():
        assert (tmp_path / "ledger-1.jsonl").is_file()
