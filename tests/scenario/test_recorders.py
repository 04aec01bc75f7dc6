"""What a recorder cannot do is said before a browser starts, with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.shared import RECORDERS as OFFERED
from harness.cli.shared import recorded_with
from harness.errors import ScenarioError
from harness.scenario import load_file
from harness.scenario.model import RECORDERS, Case
from harness.scenario.recorders import IMPOSSIBLE, problems_of, with_recorder
from harness.scenario.verbs import VERBS

HEAD = """scenario: demo.steps
title: Steps
claims: [demo.one]
record: {{categories: [blink]{more}}}
steps:
{steps}
select: {{all: {{name: Layout}}}}
expect: [{{count: {{of: all, is: 1}}}}]
"""
CLAIMS = "event: Demo\nslug: demo\nclaims: [{id: demo.one, says: a thing, refuted_by: another thing}]\n"
DRIVEN = ["goto: about:blank", "reload", "call: go", "key: Enter", "settle: 10ms"]


def scenario(folder: Path, steps: list[str], more: str = "") -> Path:
    (folder / "claims.yaml").write_text(CLAIMS)
    file = folder / "demo.scenario.yaml"
    file.write_text(HEAD.format(steps="\n".join(f"  - {step}" for step in steps), more=more))
    return file


def case(folder: Path, steps: list[str], more: str = "") -> Case:
    return load_file(scenario(folder, steps, more))[0]


@pytest.mark.parametrize(
    ("recorder", "lines"), [("cdp-quiet", [7, 9]), ("startup", [7, 8, 9])], ids=["cdp-quiet", "startup"]
)
def test_a_file_that_names_the_recorder_is_refused_with_every_place(
    tmp_path: Path, recorder: str, lines: list[int]
) -> None:
    with pytest.raises(ScenarioError) as raised:
        load_file(scenario(tmp_path, DRIVEN, f", recorder: {recorder}"))
    assert [problem.line for problem in raised.value.problems] == lines
    assert all(problem.column == 5 and recorder in problem.message for problem in raised.value.problems)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["settle: 10ms", "goto: about:blank"], "first step is goto"),
        (["goto: about:blank", "goto: about:blank"], "step 2, goto, is impossible"),
        (["goto: about:blank", "start_recording"], "nobody can start it later"),
    ],
)
def test_startup_has_one_url_and_one_time(tmp_path: Path, steps: list[str], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        load_file(scenario(tmp_path, steps, ", recorder: startup"))


def test_a_frame_is_out_of_reach_without_the_runtime_domain(tmp_path: Path) -> None:
    one = case(tmp_path, ["goto: about:blank", "{evaluate: '1', frame: child}", "evaluate: '1'"])
    arm = next(iter(with_recorder(one, "cdp-quiet").arms.values()))
    assert [problem.line for problem in problems_of(arm)] == [7]


def test_another_recorder_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    driven = case(tmp_path, DRIVEN)
    plain = case(tmp_path / "other", ["goto: about:blank", "settle: 10ms"])
    changed = recorded_with("startup", [driven, plain])
    assert {arm.record.recorder for one in changed for arm in one.arms.values()} == {"startup"}
    assert driven.arms["main"].record.recorder == "cdp-browser"
    with pytest.raises(ScenarioError, match="step 2, reload, is impossible with the recorder startup"):
        recorded_with("startup", [driven])


def test_the_tables_name_what_there_is() -> None:
    assert OFFERED == RECORDERS
    assert IMPOSSIBLE.keys() <= set(RECORDERS)
    assert all(verbs.keys() <= VERBS.keys() for verbs in IMPOSSIBLE.values())
