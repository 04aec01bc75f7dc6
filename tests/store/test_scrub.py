"""What is exported for strangers tells nothing of whose machine it was, and still shows what it showed."""

from __future__ import annotations

import gzip
import os
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest

from harness.cli import cli
from harness.cli.new import write_scenario
from harness.errors import UsageError
from harness.store import Manifest, Store, context_beside, find_store, sha256_file
from harness.store.scrub import Owner, scrub
from harness.trace import load
from harness.trace.context import FrameIdentity, LogEntry, PageIdentity, RecordingContext
from tests.lab import SHELL, build_at
from tests.samples import BUILD
from tests.trace.packets import Writer
from tests.traces import PAGE, names, slice, write_trace

OWNER = Owner(frozenset({"/home/jane doe", "/work/lab"}), frozenset({"jane", "janes-laptop"}))
SECRETS = {
    "home": "/home/jane doe/page.html",
    "work": "file:///work/lab/page.html",
    "other": "see /var/lib/thing/x.js, and /Users/joe/y",
    "windows": "C:\\Users\\joe\\z.txt",
    "token": "http://127.0.0.1:4242/a.html?access_token=s3cr3t&n=1",
    "login": "http://joe:pa55@a.test/x",
    "bearer": "Authorization: Bearer abcdef0123456789",
    "jwt": "eyJhbGciOiJ.eyJzdWIiOiI.c2ln",
    "who": "run by jane on janes-laptop",
}
GONE = ("jane", "joe", "/var/lib", "C:", "s3cr3t", "pa55", "abcdef0123456789", "eyJ", "work/lab")
KEPT = {"url": "http://127.0.0.1:4242/tmp/page.html?n=1", "role": "root", "path": "/parse-html/x.html", "n": 3}


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, RecordingContext, Manifest]:
    trace = tmp_path / "t.json.gz"
    other = {**slice("ParseHTML", ts=5, dur=1), "pid": PAGE + 1, "tid": PAGE + 1}
    write_trace(trace, [*names(), slice("ParseHTML", ts=1, dur=2, args={**SECRETS, **KEPT}), other])
    page = PageIdentity(frames=[FrameIdentity(pid=PAGE, tid=PAGE)])
    entry = LogEntry(
        method="GET", host="127.0.0.1:4242", path="/x", request_headers={"cookie": "id=jane", "accept": "*"}
    )
    context = RecordingContext(page=page, log=[entry], values=dict(SECRETS))
    manifest = Manifest(
        scenario="a.b",
        arm="main",
        attempt=1,
        trace=trace.name,
        sha256=sha256_file(trace),
        bytes=1,
        build=BUILD,
        mode="shell",
        command_line=["/work/lab/chrome", "--user-data-dir=/tmp/traceproof-x/profile", "--lang=en-US"],
        recorder="cdp-browser",
    )
    return trace, context, manifest


def test_what_tells_of_the_owner_goes_and_the_rest_stays(
    recorded: tuple[Path, RecordingContext, Manifest], tmp_path: Path
) -> None:
    clean = scrub(*recorded, owner=OWNER)
    text = gzip.decompress(clean.trace).decode()
    whole = text + msgspec.json.encode(clean.context).decode() + msgspec.json.encode(clean.manifest).decode()
    assert [word for word in GONE if word in whole] == []
    (tmp_path / "clean.json.gz").write_bytes(clean.trace)
    (event,) = load(tmp_path / "clean.json.gz").by_name("ParseHTML")
    args = msgspec.json.decode(event.raw_args)
    assert {name: args[name] for name in KEPT} == KEPT
    assert args["token"] == "http://127.0.0.1:4242/a.html?access_token=<removed>&n=1"
    assert (event.ts, event.dur, event.pid) == (1, 2, PAGE)
    assert clean.context.log[0].request_headers == {"cookie": "<removed>", "accept": "*"}
    assert clean.manifest.command_line == ["<path>", "--user-data-dir=<path>", "--lang=en-US"]


def test_what_only_protobuf_tells_and_numbers_that_are_0_stay(
    recorded: tuple[Path, RecordingContext, Manifest], tmp_path: Path
) -> None:
    """An expectation on `written`, or on an id, is judged of the export as of the recording."""
    writer = Writer().begin("RunTask", at=1, flow_ids=[7]).instant("Mark", at=2)
    writer.begin("Next", at=3, terminating_flow_ids=[7]).end(at=4).end(at=5)
    trace, context, manifest = recorded
    trace = writer.save(trace.with_name("t.pftrace.gz"))
    clean = tmp_path / "clean.json.gz"
    clean.write_bytes(scrub(trace, context, manifest, owner=OWNER).trace)
    told = [[(one.name, one.ph, one.id, one.written) for one in load(path).events] for path in (trace, clean)]
    assert told[1] == told[0]
    assert {("RunTask", "X", "", 0), ("RunTask", "s", "0x0", None)} < set(told[0])


def test_every_process_stays_when_asked(recorded: tuple[Path, RecordingContext, Manifest], tmp_path: Path) -> None:
    clean = scrub(*recorded, owner=OWNER, every_process=True)
    (tmp_path / "clean.json.gz").write_bytes(clean.trace)
    assert len(load(tmp_path / "clean.json.gz").by_name("ParseHTML")) == 2


def test_a_page_that_nobody_knows_is_not_guessed(
    tmp_path: Path, recorded: tuple[Path, RecordingContext, Manifest]
) -> None:
    trace, _, manifest = recorded
    write_trace(trace, [{"name": "x", "ph": "X", "ts": 1, "dur": 1, "pid": 9, "tid": 9, "args": {}}])
    with pytest.raises(UsageError, match="nothing tells which processes are the page's"):
        scrub(trace, RecordingContext(), manifest, owner=OWNER)


def test_an_archive_or_a_folder_is_whole_or_not_there(
    recorded: tuple[Path, RecordingContext, Manifest], tmp_path: Path
) -> None:
    trace, context, manifest = recorded
    (tmp_path / "t.context.json").write_bytes(msgspec.json.encode(context))
    store = Store(tmp_path / "store")
    entry = store.add(trace, tmp_path / "t.context.json", manifest)
    where = ["--store", str(tmp_path / "store")]
    for target in ("x.zip", "x"):
        cli.main(["store", "export", entry.sha256[:8], "-o", str(tmp_path / target), *where], standalone_mode=False)
        with pytest.raises(UsageError, match="is there already"):
            cli.main(["store", "export", entry.sha256, "-o", str(tmp_path / target), *where], standalone_mode=False)
    (packed,) = (tmp_path / "x").glob("*.json.gz")
    assert sha256_file(packed) == entry.sha256 and context_beside(packed) == context
    assert sorted(zipfile.ZipFile(tmp_path / "x.zip").namelist()) == sorted(
        one.name for one in (tmp_path / "x").iterdir()
    )
    store.object(entry.sha256).unlink()
    with pytest.raises(UsageError, match="is missing"):
        cli.main(["store", "export", entry.sha256, "-o", str(tmp_path / "y.zip"), *where], standalone_mode=False)
    assert not list(tmp_path.glob("*y.zip*"))


@pytest.mark.browser
@pytest.mark.slow
def test_a_real_recording_tells_no_place_and_no_name(tmp_path: Path) -> None:
    """Two runs record into one store at the same time; what both made is exported."""
    home = tmp_path / "homes" / "somebody-here"
    home.mkdir(parents=True)
    write_scenario("brief", tmp_path / "brief")
    scenario = tmp_path / "brief" / "first.scenario.yaml"
    text = scenario.read_text().replace("${fixture.url}", "${fixture.url}#token=s3cr3t").replace("300ms", "20ms")
    scenario.write_text(text)
    binary, shared = str(build_at(SHELL).path), tmp_path / "shared"
    environment = {
        **os.environ,
        "HOME": str(home),
        "USER": "somebody-here",
        "LOGNAME": "somebody-here",
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "harness.cli", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=tmp_path, text=True, stdout=pipe, stderr=subprocess.STDOUT, env=environment
        )

    def run(*words: str) -> str:
        process = start(*words)
        said, _ = process.communicate()
        assert process.returncode == 0, said
        return said

    both = [
        start("run", "./brief", "--attempts", "1", "--browser", binary, "--out", name, "--store", str(shared))
        for name in ("a", "b")
    ]
    for process in both:
        said, _ = process.communicate()
        assert process.returncode == 0, said
    run("store", "verify", "--store", str(shared))
    entries = find_store(shared).entries()
    assert len(entries) == 2
    run("store", "export", *(one.sha256 for one in entries), "-o", "x.zip", "--scrub", "--store", str(shared))
    profiles = [word.split("=")[1] for one in entries for word in one.manifest.command_line if "user-data" in word]
    assert len(profiles) == 2
    archive = zipfile.ZipFile(tmp_path / "x.zip")
    telling = [str(home), "somebody-here", str(tmp_path), "s3cr3t", str(Path(binary).parent), *profiles]
    telling += [Path(profile).parent.name for profile in profiles]
    raw = b"".join(gzip.decompress(find_store(shared).object(one.sha256).read_bytes()) for one in entries).decode()
    assert "s3cr3t" in raw and all(profile in raw for profile in profiles)
    for name in archive.namelist():
        data = archive.read(name)
        content = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
        assert [word for word in telling if word in content + name] == []
        assert not re.search(rf"(?<![\w-]){re.escape(socket.gethostname())}(?![\w-])", content)
    archive.extractall(tmp_path / "x")
    for trace in (tmp_path / "x").glob("*.json.gz"):
        assert "HOLDS 2" in run("check", str(trace), str(scenario))
