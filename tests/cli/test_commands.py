"""Each command as a person meets it: its help, its answers, its exit status."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import jsonschema
import pytest

from harness import cli as cli_module
from harness.cli import cli, shared
from harness.cli.new import write_scenario
from harness.errors import CapabilityError, StoreError, UsageError
from harness.events import Attempt
from harness.run.plan import Job
from harness.scenario import model
from harness.store import RunFolder
from tests.run.cases import BUILD
from tests.samples import attempt, finding


def status(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli_module.main(list(args))
    return int(ended.value.code or 0)


def commands() -> list[list[str]]:
    found = []
    for name, command in cli.commands.items():
        found.append([name])
        if isinstance(command, click.Group):
            found += [[name, inner] for inner in command.commands]
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_help_has_an_example(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*words, "--help") == 0
    assert f"traceproof {' '.join(words)}" in capsys.readouterr().out.partition("Examples:")[2]


@pytest.mark.parametrize("words", [["run", "parse-html", "--html"], ["report", "out", "-o"]], ids=" ".join)
def test_a_file_that_is_left_out_does_not_swallow_the_next_option(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(*words, "--quiet") == 2
    assert "a file is needed, and --quiet looks like an option" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_help_does_not_import_what_is_heavy() -> None:
    script = (
        "import sys; sys.argv = ['traceproof', '--help']\n"
        "from harness.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'playwright', 'duckdb', 'scipy', 'numpy', 'rich', 'yaml'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_reads_files_and_stored_runs_asks_for_no_browser_and_no_server() -> None:
    script = (
        "import sys, harness.run.history, harness.run.ledgers, harness.run.rederive, harness.run.reporting\n"
        "import harness.run.check, harness.run.lint\n"
        "lab = {'playwright', 'h2', 'harness.browser', 'harness.record', 'harness.server'} & set(sys.modules)\n"
        "assert not lab, lab"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["claims", "list"], ["lint", "--json"], ["schema"]], ids=" ".join)
def test_a_full_output_is_told_and_no_fault_of_ours(words: list[str]) -> None:
    script = f"from harness.cli import main; main({words})"
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == "error: no space left on the output; free some, or send it elsewhere\n"


def test_a_reader_that_goes_away_is_no_verdict() -> None:
    command = [sys.executable, "-c", "from harness.cli import main; main(['claims', 'list'])"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 141)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["run", "parse-htm"], 'did you mean "parse-html"'),
        (["run", "./nowhere"], "./nowhere does not exist"),
        (["run", "parse-html", "-k", "nonsense"], "no scenario matches -k 'nonsense'"),
        (["run", "--mode", "sideways"], "is not one of"),
        (["run", "--attempts", "0"], "0 is not in the range"),
        (["run", "parse-html", "--browser", "/no/such/chromium"], "/no/such/chromium"),
        (["record", "layout.stack-depth", "--recorder", "startup"], "step 1, cdp, is impossible"),
        (["check", "nowhere.json", "parse-html"], "does not exist"),
        (["claims", "show", "parse-html.nonsense"], "is no claim"),
        (["categories", "timelime"], 'did you mean "timeline"'),
        (["new", "My Event"], "cannot be the name of an event"),
        (["nonsense"], "No such command"),
    ],
)
def test_a_mistake_of_the_user_has_status_2_and_no_traceback(
    args: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert "Traceback" not in err
    assert status(*args, "--json") == 2  # for machines the same, where the command has that option
    out, err = capsys.readouterr()
    assert json.loads(out)["exit_status"] == 2
    assert json.loads(out)["problems"]


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (UsageError("so not"), 2, "error: so not\n"),
        (StoreError("the disk is full"), 3, "error: the disk is full\n"),
        (KeyboardInterrupt(), 130, "stopped"),
        (ZeroDivisionError("division by zero"), 3, "TRACEPROOF_DEBUG=1"),
    ],
)
def test_how_a_command_ends(
    raised: BaseException,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*args: object, **more: object) -> None:
        raise raised

    monkeypatch.setattr(cli, "main", fail)
    monkeypatch.delenv("TRACEPROOF_DEBUG", raising=False)
    assert status() == code
    assert told in capsys.readouterr().err


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **more: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "main", fail)
    monkeypatch.setenv("TRACEPROOF_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli_module.main([])


def test_the_words_of_options_are_those_of_scenarios() -> None:
    assert (shared.MODES, shared.RECORDERS) == (model.MODES, model.RECORDERS)


@pytest.mark.parametrize("early", [True, False])
def test_what_one_job_lacks_does_not_end_a_recording_of_several(
    early: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether it is known before the browser starts, or only then."""

    async def run_attempt(job: Job, number: int, folder: RunFolder, *, judged: bool) -> Attempt:
        if job.mode == "headless":
            raise CapabilityError("no GPU raster here")
        return attempt(number)

    modes = ("headless", "headed") if not early else ("shell", "headed")
    monkeypatch.setattr("harness.run.attempt.run_attempt", run_attempt)
    monkeypatch.setattr("harness.run.builds.find_builds", lambda wanted, echo: [BUILD])
    monkeypatch.setenv("DISPLAY", ":0")
    write_scenario("mine", tmp_path / "mine")
    words = [word for mode in modes for word in ("--mode", mode)]
    assert status("record", str(tmp_path / "mine"), *words, "--out", str(tmp_path / "out")) == 3
    out = capsys.readouterr().out
    assert "UNSUPPORTED: " in out
    assert "main.json.gz  100 events" in out


def test_a_run_that_is_stopped_shows_what_had_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run_attempt(job: Job, number: int, folder: RunFolder) -> Attempt:
        if job.case.id.endswith("second"):
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        return attempt(number, *(finding(claim) for claim in job.case.claims))

    monkeypatch.setattr("harness.run.job.run_attempt", run_attempt)
    monkeypatch.setattr("harness.run.builds.find_builds", lambda wanted, echo: [BUILD])
    write_scenario("mine", tmp_path / "mine")
    first = tmp_path / "mine" / "first.scenario.yaml"
    first.with_name("second.scenario.yaml").write_text(first.read_text().replace("mine.first", "mine.second"))
    out = tmp_path / "out"
    assert status("run", str(tmp_path / "mine"), "--attempts", "1", "--out", str(out), "--json") == 128 + signal.SIGTERM
    said = capsys.readouterr()
    assert "CUT SHORT by SIGTERM: 1 of 2 cases had finished" in said.err
    told = json.loads(said.out)
    assert told["cut_short"] == "SIGTERM"
    assert {one["verdict"] for one in told["verdicts"]} == {"HOLDS"}
    assert all(one["left_out"] == ["mine.second"] for one in told["verdicts"])
    assert '"type":"end"' not in (out / "ledger.jsonl").read_text()


def test_a_new_scenario_is_sound_and_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status("new", "my-event") == 0
    assert "traceproof run ./my-event" in capsys.readouterr().out
    assert status("lint", "./my-event") == 0
    assert status("claims", "coverage", "./my-event", "--json") == 0
    told = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))
    assert (told["total"], told["decided"], told["undecidable"], told["open"]) == (2, 2, 0, 0)
    assert status("new", "my-event") == 2


def test_lint_tells_every_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_scenario("my-event", tmp_path / "mine")
    scenario = tmp_path / "mine" / "first.scenario.yaml"
    scenario.write_text(
        scenario.read_text().replace("blink]", "blinkcc]").replace("title:", "needs: [two-core]\ntitle:")
    )
    (tmp_path / "mine" / "my.baseline.yaml").write_text("- {claim: nonsense.x, verdict: HOLD}\n")
    assert status("lint", str(tmp_path / "mine")) == 2
    out = capsys.readouterr().out
    for told in ("a comma seems to be missing", 'did you mean "two-cores"', 'did you mean "HOLDS"'):
        assert told in out


def test_a_scenario_that_cannot_be_read_may_decide_the_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_scenario("my-event", tmp_path / "mine")
    scenario = tmp_path / "mine" / "first.scenario.yaml"
    scenario.write_text(scenario.read_text().replace("settle: 300ms", "settel: 300ms"))
    assert status("lint", str(tmp_path / "mine")) == 2
    out = capsys.readouterr().out
    assert 'did you mean "settle"' in out
    assert "nothing decides" not in out
    scenario.unlink()
    assert status("lint", str(tmp_path / "mine")) == 2
    assert "nothing decides" in capsys.readouterr().out


def test_coverage_names_open_claims_of_the_events_that_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("claims", "coverage") == 0
    out = capsys.readouterr().out
    assert "name an event to list those of it" in out
    assert "timer-fire." not in out
    assert status("claims", "coverage", "timer-fire") == 0
    assert "\nopen         timer-fire." in capsys.readouterr().out


def test_coverage_has_the_keys_that_others_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("claims", "coverage", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert {"total", "decided", "undecidable", "open", "by_event"} <= told.keys()
    assert told["total"] == told["decided"] + told["undecidable"] + told["open"]
    assert told["total"] == sum(event["total"] for event in told["by_event"].values())


def test_the_schema_is_a_schema(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["schema"], ["schema", "claims"], ["schema", "ledger"]):
        assert status(*args) == 0
        jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


def test_categories(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("categories", "--json") == 0
    assert "disabled-by-default-devtools.timeline" in json.loads(capsys.readouterr().out)["timeline"]
    assert status("categories", "devtools.timeline") == 0
    assert capsys.readouterr().out.startswith("devtools.timeline: a trace category, in ")


def test_claims_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("claims", "list", "parse-html", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows
    assert {row["event"] for row in rows} == {"parse-html"}
    assert status("claims", "show", rows[0]["claim"]) == 0
    assert rows[0]["says"] in capsys.readouterr().out
