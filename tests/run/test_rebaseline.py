"""Proposals from ledgers, the files that they are written to, and `traceproof baseline update`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from harness.cli.baseline import baseline
from harness.errors import UserError
from harness.events import ClaimVerdict
from harness.run.baseline_text import entry_lines, updated
from harness.run.baselines import load_baselines
from harness.run.catalog import load_catalog
from harness.run.ledgers import read_result
from harness.run.rebaseline import Proposal, propose
from harness.verdict import Verdict
from tests import samples
from tests.golden import same_as_golden
from tests.stored import SCENARIO, build, store_run, write_scenarios
from tests.traces import Json, slice

ONCE, END_LINE = "parsing.once", "parsing.end-line"


def parse(ts: float, **end: object) -> Json:
    return slice("ParseHTML", ts=ts, dur=5, args={"endData": end})


GOOD, TWICE = [parse(1, endLine=3)], [parse(1, endLine=3), parse(9, endLine=4)]


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    return write_scenarios(tmp_path / "parsing")


def verdict(major: int, word: Verdict, mode: str = "shell") -> ClaimVerdict:
    return ClaimVerdict(claim=ONCE, event="parsing", build=build(major), mode=mode, verdict=word)


def proposed(
    scenarios: Path, *verdicts: ClaimVerdict, entries: str = ""
) -> list[tuple[str, str, tuple[str, ...], bool]]:
    (scenarios / "my.baseline.yaml").write_text(entries or "[]\n")
    result = samples.result([], list(verdicts))
    made = propose([result], load_catalog([scenarios])).made
    return [(str(one.verdict), one.versions.text, one.modes, one.replaces is not None) for one in made]


def entry(word: str, versions: str = "", modes: str = "[shell]") -> str:
    bound = f', versions: "{versions}"' if versions else ""
    return f"- {{claim: {ONCE}, verdict: {word}{bound}, modes: {modes}, reason: r, date: 2026-01-31}}\n"


R, H = Verdict.REFUTED, Verdict.HOLDS


@pytest.mark.parametrize(
    ("verdicts", "entries", "expected"),
    [
        ([verdict(156, H)], "", []),
        ([verdict(156, Verdict.NOT_APPLICABLE)], "", []),
        ([verdict(156, R)], "", [("REFUTED", ">=156", ("shell",), False)]),
        ([verdict(153, R), verdict(156, R)], "", [("REFUTED", ">=153", ("shell",), False)]),
        ([verdict(153, R), verdict(156, H)], "", [("REFUTED", "153", ("shell",), False)]),
        ([verdict(110, R), verdict(153, R), verdict(156, H)], "", [("REFUTED", "110..153", ("shell",), False)]),
        ([verdict(156, R), verdict(156, R, "headed")], "", [("REFUTED", ">=156", ("headed", "shell"), False)]),
        ([verdict(156, R)], entry("REFUTED"), []),
        ([verdict(156, H)], entry("REFUTED", ">=111"), [("HOLDS", ">=156", ("shell",), False)]),
        ([verdict(156, H)], entry("REFUTED", ">=156"), [("HOLDS", ">=156", ("shell",), True)]),
        # What is known of newer builds is not overruled by a look at an old one.
        ([verdict(110, R)], entry("SOMETIMES", ">=153"), [("REFUTED", "110", ("shell",), False)]),
        # Nor is an entry changed that a later one overrules.
        (
            [verdict(156, H)],
            entry("REFUTED", ">=156") + entry("SOMETIMES", "156"),
            [("HOLDS", ">=156", ("shell",), False)],
        ),
    ],
)
def test_versions_and_modes_of_a_proposal(
    scenarios: Path, verdicts: Sequence[ClaimVerdict], entries: str, expected: list[object]
) -> None:
    assert proposed(scenarios, *verdicts, entries=entries) == expected


def test_raster_is_bound_where_scenarios_of_the_claim_raster_in_two_ways(scenarios: Path) -> None:
    other = SCENARIO.replace("parsing.one", "parsing.gpu") + "browser: {raster: gpu}\n"
    (scenarios / "gpu.scenario.yaml").write_text(other)
    (scenarios / "my.baseline.yaml").write_text(entry("REFUTED"))
    wrong = structs.replace(verdict(156, H), raster="gpu")
    catalog = load_catalog([scenarios])
    (one,) = propose([samples.result([], [verdict(156, R), wrong])], catalog).made
    assert (one.verdict, one.raster, one.replaces) == (H, "gpu", None)
    text = updated((scenarios / "my.baseline.yaml").read_text(), [(one, "Tiles.")], "2026-01-31")
    (scenarios / "my.baseline.yaml").write_text(text)
    baselines = load_catalog([scenarios]).baselines
    assert [baselines.expected(ONCE, 156, "shell", raster) for raster in ("software", "gpu")] == [R, H]


@pytest.mark.parametrize("word", [Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.UNSUPPORTED])
def test_what_says_nothing_of_chrome_is_never_expected(scenarios: Path, word: Verdict) -> None:
    result = samples.result([], [verdict(156, word)])
    proposals = propose([result], load_catalog([scenarios]))
    assert (proposals.made, len(proposals.refused)) == ((), 1)


def test_evidence_is_a_recording_that_contradicts(tmp_path: Path, scenarios: Path) -> None:
    catalog = load_catalog([scenarios])
    result = store_run(tmp_path / "run", catalog, [GOOD, TWICE])
    (one,) = propose([result], catalog).made
    assert (one.verdict, one.evidence) == (Verdict.SOMETIMES, result.cases[0].attempts[1].recordings[0].sha256)


def one_proposal(tmp_path: Path, scenarios: Path) -> Proposal:
    catalog = load_catalog([scenarios])
    return propose([store_run(tmp_path / "run", catalog, [TWICE])], catalog).made[0]


@pytest.mark.parametrize(
    "reason",
    [
        "Plain words.",
        "A colon: and a # hash",
        "- dash first",
        'Quotes " and \\ back',
        "two\nlines",
        "true",
        "word " * 60,
        "Ünïcode → ${x}",
        "[x]",
        "12",
    ],
)
def test_what_is_written_can_be_read_again(tmp_path: Path, scenarios: Path, reason: str) -> None:
    proposal = one_proposal(tmp_path, scenarios)
    file = tmp_path / "x.baseline.yaml"
    file.write_text(updated("", [(proposal, reason)], "2026-01-31"))
    (found,) = load_baselines([file]).entries
    assert (found.claim, found.verdict, found.reason) == (ONCE, Verdict.REFUTED, " ".join(reason.split()))
    assert (found.modes, found.evidence, found.date) == (("shell",), proposal.evidence, "2026-01-31")


def test_other_entries_and_comments_stay_as_they_are(tmp_path: Path, scenarios: Path) -> None:
    text = f"""\
# Why these differ.
- claim: {END_LINE}
  verdict: REFUTED
  reason: >-
    As
    ever.
  date: 2026-01-31
# About the next.
- claim: {ONCE}
  verdict: SOMETIMES
  versions: ">=156"
  modes: [shell]
  reason: It was so.
  date: 2026-01-31
# The end.
"""
    file = scenarios / "parsing.baseline.yaml"
    file.write_text(text)
    catalog = load_catalog([scenarios])
    made = propose([store_run(tmp_path / "run", catalog, [TWICE])], catalog).made
    proposal = next(one for one in made if one.claim == ONCE)
    lines = "\n".join(entry_lines(proposal, "Now it is.", "2026-02-01"))
    old = text[text.index(f"- claim: {ONCE}") : text.index("# The end")]
    assert updated(text, [(proposal, "Now it is.")], "2026-02-01") == text.replace(old, lines + "\n")


def invoke(*words: str, **more: object) -> tuple[int, str]:
    said = CliRunner().invoke(baseline, ["update", *words], standalone_mode=False, catch_exceptions=False, **more)
    return said.return_value, said.output


def test_the_command_shows_the_difference_and_writes_beside_the_claims(tmp_path: Path, scenarios: Path) -> None:
    run, mine = str(tmp_path / "run"), ["--scenarios", str(scenarios)]
    store_run(tmp_path / "run", load_catalog([scenarios]), [TWICE, TWICE], majors=(153, 156))
    assert invoke(run, *mine, "--dry-run")[0] == 0
    assert list(scenarios.glob("*.baseline.yaml")) == []
    _, told = invoke(run, *mine, "--reason", "It is written for each burst.")
    same_as_golden(Path(__file__).with_name("golden") / "baseline.txt", told.replace(str(tmp_path), "TMP"))
    catalog = load_catalog([scenarios])
    assert catalog.baselines.expected(ONCE, 160, "shell", "software") is Verdict.REFUTED
    assert "nothing to change" in invoke(run, *mine)[1]


def test_nobody_to_ask_is_a_mistake_of_the_command_line(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [TWICE])
    with pytest.raises(UserError, match="--reason"):
        invoke(str(tmp_path / "run"), "--scenarios", str(scenarios))
    assert list(scenarios.glob("*.baseline.yaml")) == []


def test_an_empty_answer_leaves_a_claim_as_it_is(
    tmp_path: Path, scenarios: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [[parse(1), parse(2)]])
    monkeypatch.setattr("harness.cli.baseline._somebody", lambda: True)
    _, told = invoke(str(tmp_path / "run"), "--scenarios", str(scenarios), input="\nThere are two bursts.\n")
    assert "left as it was: 1" in told
    (entry,) = load_catalog([scenarios]).baselines.entries[-1:]
    assert (entry.claim, entry.reason) == (ONCE, "There are two bursts.")


def test_claims_choose_and_unknown_ones_are_told(tmp_path: Path, scenarios: Path) -> None:
    store_run(tmp_path / "run", load_catalog([scenarios]), [[parse(1), parse(2)]])
    run, mine = str(tmp_path / "run"), ["--scenarios", str(scenarios)]
    told = invoke(run, "*.end-line", "--dry-run", *mine)[1]
    assert END_LINE in told and ONCE not in told
    with pytest.raises(UserError, match="no claim nothing"):
        invoke(run, "nothing", *mine)
    with pytest.raises(UserError, match="--scenarios"):
        invoke(run)


def test_a_ledger_that_was_cut_short_is_read_from_its_cases(tmp_path: Path, scenarios: Path) -> None:
    catalog = load_catalog([scenarios])
    whole = store_run(tmp_path / "run", catalog, [TWICE])
    ledger = tmp_path / "run" / "ledger.jsonl"
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:2]))
    cut = read_result(ledger, catalog)
    assert [one.verdict for one in cut.verdicts] == [one.verdict for one in whole.verdicts]
