"""Programs that read a recording: installed once, run on its file, told apart from a lab that lacks them."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import paths
from harness.errors import CapabilityError, HarnessError, ScenarioError
from harness.run.readers import read_recording
from harness.scenario.load import load_file

SCENARIO = """\
scenario: parse-html.read
title: Reads
claims: [parse-html.renderer-main-thread]
record: {categories: [blink]}
steps: [{settle: 1ms}]
readers: [READER]
expect:
  - compare: {left: {value: READER.answer}, is: 1}
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader `stub`, and a `node` and an `npm` of our own that leave traces of their calls."""
    stub = tmp_path / "readers" / "stub"
    stub.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "read.mjs"):
        (stub / name).write_text("{}")
    monkeypatch.setattr(paths, "readers_root", lambda: tmp_path / "readers")
    monkeypatch.setenv("TRACEPROOF_CACHE", str(tmp_path / "cache"))
    binaries = tmp_path / "bin"
    binaries.mkdir()
    monkeypatch.setenv("PATH", f"{binaries}:/usr/bin:/bin")
    program(binaries / "npm", 'echo "$@" >> ' + str(tmp_path / "npm.log"))
    program(binaries / "node", """echo '{"answer": 1, "of": "'"$2"'"}'""")
    return binaries


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def read(tmp_path: Path) -> Any:
    return asyncio.run(read_recording("stub", tmp_path / "trace.json.gz"))


def test_a_reader_answers_with_json_about_the_file(tools: Path, tmp_path: Path) -> None:
    assert read(tmp_path) == {"answer": 1, "of": str(tmp_path / "trace.json.gz")}


def test_its_packages_are_installed_once_and_without_their_scripts(tools: Path, tmp_path: Path) -> None:
    read(tmp_path)
    read(tmp_path)
    calls = (tmp_path / "npm.log").read_text().splitlines()
    assert len(calls) == 1
    assert "--ignore-scripts" in calls[0]


def test_packages_that_cannot_be_had_are_a_lack_of_this_machine(tools: Path, tmp_path: Path) -> None:
    program(tools / "npm", 'echo "no network" >&2; exit 1')
    with pytest.raises(CapabilityError, match="no network"):
        read(tmp_path)
    assert not list((tmp_path / "cache" / "readers").iterdir())


def test_no_node_is_a_lack_of_this_machine(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(CapabilityError, match="node"):
        read(tmp_path)


@pytest.mark.parametrize(("body", "says"), [('echo "no such event" >&2; exit 3', "no such event"), ("echo {", "JSON")])
def test_a_reader_that_fails_is_a_failure_of_the_lab(tools: Path, tmp_path: Path, body: str, says: str) -> None:
    program(tools / "node", body)
    with pytest.raises(HarnessError, match=says):
        read(tmp_path)


def test_a_scenario_may_use_what_its_reader_says(tmp_path: Path) -> None:
    path = tmp_path / "read.scenario.yaml"
    path.write_text(SCENARIO.replace("READER", "trace_engine"))
    assert load_file(path)[0].readers == ("trace_engine",)


def test_a_reader_that_is_not_there_is_a_mistake_in_the_scenario(tmp_path: Path) -> None:
    path = tmp_path / "read.scenario.yaml"
    path.write_text(SCENARIO.replace("READER", "trace_motor"))
    with pytest.raises(ScenarioError, match="trace_engine"):
        load_file(path)


def test_a_reader_does_not_outlive_a_harness_that_is_killed(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = ["/bin/sh", "-c", f"exec 9>{pipe}; echo here >&9; exec sleep 120"]
    script = f"import asyncio, pathlib, harness.run.readers as r; asyncio.run(r._run({reader}, pathlib.Path('/'), 120))"
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], cwd=root) as killed, pipe.open() as held:
        assert held.readline() == "here\n"
        killed.kill()
        assert select.select([held], [], [], 30)[0], "the reader is still there"
        assert held.read() == ""  # nobody has it open any more
