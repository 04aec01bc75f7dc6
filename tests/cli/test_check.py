"""`traceproof check`: stored traces against scenarios, with no browser."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness import cli as cli_module
from harness.cli.new import write_scenario
from harness.trace.context import END, START, FrameIdentity, Mark, PageIdentity, RecordingContext

PID, TID = 10, 11


def slices(*rows: tuple[str, int]) -> list[dict[str, Any]]:
    names = {"pid": PID, "tid": TID}
    thread = {"name": "thread_name", "ph": "M", "ts": 0, **names, "args": {"name": "CrRendererMain"}}
    clocks = [
        {"name": "clock_sync", "ph": "c", "ts": ts, "pid": 1, "tid": 1, "args": {"sync_id": f"traceproof-{edge}"}}
        for edge, ts in (("start", 1), ("end", 900))
    ]
    events = [{"name": name, "ph": "X", "cat": "blink", "ts": ts, "dur": 5, **names, "args": {}} for name, ts in rows]
    return [thread, *clocks, *events]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    write_scenario("mine", tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "main.json.gz"
    events = slices(("ParseHTML", 10), ("UpdateLayoutTree", 500))
    path.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    return path


def write_context(trace: Path, **fields: Any) -> None:
    marks = [Mark(START, 1), Mark("change", 400), Mark("done", 600), Mark(END, 900)]
    page = PageIdentity([FrameIdentity(PID, TID)])
    context = RecordingContext(**{"marks": marks, "page": page, "build": "156.0.1.2", "mode": "shell", **fields})
    trace.with_name("main.context.json").write_bytes(msgspec.json.encode(context))


def check(*args: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, str], str]:
    with pytest.raises(SystemExit) as ended:
        cli_module.main(["check", *map(str, args), "--json"])
    out, err = capsys.readouterr()
    verdicts = {one["claim"]: one["verdict"] for one in json.loads(out).get("verdicts", [])}
    return int(ended.value.code or 0), verdicts, err


def test_a_stored_recording_with_its_context(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_context(trace)
    status, verdicts, _ = check(trace, scenario, capsys=capsys)
    assert (status, verdicts) == (0, {"mine.one-style-pass-per-change": "HOLDS", "mine.parses-html": "HOLDS"})


def test_the_folder_of_an_attempt(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_context(trace)
    assert check(trace.parent, scenario, capsys=capsys)[0] == 0


def test_a_bare_trace_decides_what_needs_no_marks(
    trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, verdicts, _ = check(trace, scenario, capsys=capsys)
    assert (status, verdicts) == (1, {"mine.one-style-pass-per-change": "INCONCLUSIVE", "mine.parses-html": "HOLDS"})


def test_data_loss_is_no_evidence(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_context(trace, data_loss=True)
    status, verdicts, err = check(trace, scenario, capsys=capsys)
    assert (status, set(verdicts.values())) == (1, {"INCONCLUSIVE"})
    assert "data loss" in err


@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_a_cut_trace_is_a_users_error(
    trace: Path, scenario: Path, share: float, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = trace.read_bytes()
    trace.write_bytes(whole[: int(len(whole) * share)])
    status, verdicts, err = check(trace, scenario, capsys=capsys)
    assert (status, verdicts) == (2, {})
    assert "Traceback" not in err
    assert str(trace) in err


def test_an_arm_that_the_scenario_has_not(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = check(trace, scenario, "--arm", "plain", capsys=capsys)
    assert status == 2
    assert "has no arm 'plain'" in err


def test_a_folder_that_is_no_attempt(tmp_path: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = check(scenario, scenario, capsys=capsys)
    assert status == 2
    assert "is not the folder of an attempt" in err


def bind(scenario: Path, text: str) -> None:
    file = scenario / "first.scenario.yaml"
    file.write_text(file.read_text().replace("record:", text + "record:", 1))


def test_a_trace_of_another_version_or_mode_decides_nothing(
    trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bind(scenario, 'versions: "<=100"\nreason: the event was another one until then\n')
    write_context(trace)
    status, verdicts, err = check(trace, scenario, capsys=capsys)
    assert (status, set(verdicts.values())) == (0, {"NOT_APPLICABLE"})
    assert "for versions <=100, this is 156" in err
    write_context(trace, build="99.0.1.2")
    assert set(check(trace, scenario, capsys=capsys)[1].values()) == {"HOLDS"}


def test_a_claim_that_is_made_for_other_versions(
    trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = scenario / "claims.yaml"
    claims.write_text(claims.read_text().replace("    says:", '    versions: "<=100"\n    says:', 1))
    write_context(trace)
    assert check(trace, scenario, capsys=capsys)[1]["mine.parses-html"] == "NOT_APPLICABLE"


ARMS = "arms: {plain: {}, tracking: {}}\n"


def test_an_arm_that_the_context_contradicts(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the recording of one arm would be tested as that of the other."""
    bind(scenario, ARMS)
    file = scenario / "first.scenario.yaml"
    file.write_text(file.read_text().replace("  - claim: ", "  - arms: all\n    claim: "))
    write_context(trace, arm="plain")
    status, verdicts, err = check(trace, scenario, "--arm", "tracking", capsys=capsys)
    assert (status, verdicts) == (2, {})
    assert "is of the arm plain" in err


def test_half_of_a_paired_attempt(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a killed run leaves behind has fewer blocks than the design: its median is that of another test."""
    bind(scenario, ARMS + "design: {paired: alternating, blocks: 3}\n")
    file = scenario / "first.scenario.yaml"
    file.write_text(file.read_text().replace("  - claim: ", "  - arm: plain\n    claim: "))
    write_context(trace, arm="plain")
    status, verdicts, err = check(trace, scenario, capsys=capsys)
    assert (status, set(verdicts.values())) == (1, {"INCONCLUSIVE"})
    assert "an attempt has 3 recordings of arm plain, here are blocks 0" in err


def test_arguments_that_were_stripped_are_not_absent(
    tmp_path: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenario / "first.scenario.yaml"
    head, _, _ = file.read_text().partition("    count:")
    text = "    each: {of: parsed, has: {args.frame: {absent: true}}}\n"
    rest = file.read_text()[len(head) :].partition("\n")[2]
    file.write_text(head + text + rest)
    events = slices(("ParseHTML", 10), ("UpdateLayoutTree", 500))
    for args, verdict in (({}, "HOLDS"), ("__stripped__", "REFUTED"), (None, "REFUTED")):
        events[-2]["args"] = args
        trace = tmp_path / "main.json"
        trace.write_text(json.dumps({"traceEvents": events}))
        write_context(trace)
        assert check(trace, scenario, capsys=capsys)[1]["mine.parses-html"] == verdict


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_beyond_all_arithmetic(
    tmp_path: Path, scenario: Path, digits: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenario / "first.scenario.yaml"
    each = 'each: {of: parsed, has: {args.n: {compare: "> 5"}}}'
    file.write_text(file.read_text().replace('count: {of: parsed, is: ">= 1"}', each))
    events = slices(("ParseHTML", 10), ("UpdateLayoutTree", 500))
    events[-2]["args"] = {"n": "@"}
    trace = tmp_path / "main.json"
    trace.write_text(json.dumps({"traceEvents": events}).replace('"@"', "1" * digits))
    write_context(trace)
    status, verdicts, _ = check(trace, scenario, capsys=capsys)
    assert (status, verdicts["mine.parses-html"]) == (1, "REFUTED")


def test_a_broken_manifest(trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bind(scenario, "matrix: {wait: [200ms, 100ms]}\n")
    file = scenario / "first.scenario.yaml"
    file.write_text(file.read_text().replace("settle: 200ms", 'settle: "${wait}"'))
    write_context(trace)
    trace.with_name("main.manifest.json").write_text("{")
    status, _, err = check(trace, scenario, capsys=capsys)
    assert status == 2
    assert "not the manifest of a recording" in err


def test_the_repeat_names_the_file_of_a_scenario_that_is_not_ours(
    trace: Path, scenario: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenario / "first.scenario.yaml"
    file.write_text(file.read_text().replace('is: ">= 1"', 'is: ">= 2"'))
    write_context(trace, arm="main")
    monkeypatch.chdir(scenario.parent)
    _, _, err = check(trace, file, capsys=capsys)
    assert f"traceproof check {trace} mine/first.scenario.yaml" in " ".join(err.split())


def test_a_misspelt_name_that_a_test_looks_for_is_told(
    trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenario / "first.scenario.yaml"
    text = file.read_text().replace("{name: UpdateLayoutTree,", "{name: UpdateLayuotTree,")
    file.write_text(text.replace("count: {of: passes, is: 1}", "each: {of: parsed, contains: passes}"))
    write_context(trace)
    _, _, err = check(trace, file, capsys=capsys)
    assert "no event named UpdateLayuotTree is in the recording; similar: UpdateLayoutTree (1)" in " ".join(err.split())


SHARED = [parent / "shared" / "traces" for parent in Path(__file__).resolve().parents]
OF_74 = next((file for folder in SHARED if (file := folder / "no-tracingstarted-m74.json.gz").is_file()), None)


@pytest.mark.skipif(OF_74 is None, reason="the shared traces are not on this machine")
@pytest.mark.parametrize(
    ("begins_at", "counted"),
    [
        (0.0, {"open slices": 3, "overlapping slices": 3}),
        (0.7, {"open slices": 3, "overlapping slices": 3, "unmatched ends": 4}),
    ],
    ids=["whole", "begun in the middle"],
)
def test_what_chrome_74_left_unpaired_is_counted_and_told(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], begins_at: float, counted: dict[str, int]
) -> None:
    """V8.RunMicrotasks and RunMicrotasks interleave there; where a recording begins in the middle, ends lack begins."""
    assert OF_74 is not None
    events = json.loads(gzip.decompress(OF_74.read_bytes()))["traceEvents"]
    timed = sorted(event["ts"] for event in events if event["ph"] != "M")
    first = timed[int(len(timed) * begins_at)]
    path = tmp_path / "old.json.gz"
    kept = [event for event in events if event["ph"] == "M" or event["ts"] >= first]
    path.write_bytes(gzip.compress(json.dumps({"traceEvents": kept}).encode()))
    with pytest.raises(SystemExit):
        cli_module.main(["check", str(path), str(scenario), "--json"])
    out, err = capsys.readouterr()
    (attempt,) = json.loads(out)["cases"][0]["attempts"]
    assert not any("old.json.gz" in reason for reason in attempt["reasons"]), "it is evidence all the same"
    told = ", ".join(f"{count} {kind}" for kind, count in counted.items())
    assert f"counted and left as found in old.json.gz: {told}" in err


def test_a_trace_of_an_unknown_version_is_named_without_a_gap(
    trace: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli_module.main(["check", str(trace), str(scenario)])
    told = "".join(capsys.readouterr())
    assert "trace of an unknown version: " in told and "version :" not in told


def test_lint_counts_the_baselines_of_what_it_was_given(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli_module.main(["lint", str(scenario)])
    assert "no problems in 1 case, 2 claims, 0 baselines" in capsys.readouterr().out
