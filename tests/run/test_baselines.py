"""Expected verdicts, and what a person is told who gets them wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ConfigError
from harness.paths import configs_root
from harness.run.baselines import baseline_files, load_baselines
from harness.run.catalog import load_catalog
from harness.verdict import Verdict

GOOD = """\
- claim: parse-html.one
  verdict: REFUTED
  versions: ">=111"
  modes: [shell]
  reason: Chrome differs.
  date: 2026-01-31
- {claim: parse-html.one, verdict: SOMETIMES, versions: 156, reason: A race., date: 2026-02-01}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "my.baseline.yaml"
    path.write_text(text)
    return path


def test_the_last_entry_that_covers_a_build_counts(tmp_path: Path) -> None:
    baselines = load_baselines([written(tmp_path, GOOD)])
    assert baselines.expected("parse-html.one", 153, "shell", "software") is Verdict.REFUTED
    assert baselines.expected("parse-html.one", 156, "shell", "software") is Verdict.SOMETIMES
    assert baselines.expected("parse-html.one", 153, "headless", "software") is Verdict.HOLDS
    assert baselines.expected("parse-html.one", 110, "shell", "software") is Verdict.HOLDS
    assert baselines.expected("parse-html.two", 153, "shell", "software") is Verdict.HOLDS


def test_an_entry_may_be_about_one_raster_path(tmp_path: Path) -> None:
    bound = GOOD + "- {claim: parse-html.one, verdict: HOLDS, raster: gpu, reason: Tiles., date: 2026-02-02}\n"
    baselines = load_baselines([written(tmp_path, bound)])
    assert baselines.expected("parse-html.one", 156, "shell", "gpu") is Verdict.HOLDS
    for other in ("software", "both"):
        assert baselines.expected("parse-html.one", 156, "shell", other) is Verdict.SOMETIMES


def test_every_mistake_is_told_with_its_place(tmp_path: Path) -> None:
    bad = """\
- claim: parse-html.won
  verdict: REFUTD
  reason: x
  date: yesterday
- {claim: parse-html.one, verdikt: HOLDS, reason: x, date: 2026-01-31}
"""
    with pytest.raises(ConfigError) as caught:
        load_baselines([written(tmp_path, bad)])
    text = str(caught.value)
    for told in ("my.baseline.yaml:2:12", 'did you mean "REFUTED"?', ":4:9", "verdikt", 'did you mean "verdict"?'):
        assert told in text


def test_an_unknown_claim_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'there is no claim "parse-html.one"(.|\n)*did you mean "parse-html.ones"'):
        load_baselines([written(tmp_path, GOOD)], ["parse-html.ones"])


def test_files_beside_a_users_scenarios_are_found(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert baseline_files(tmp_path / "none", [tmp_path]) == [path]


def test_our_own_baselines_are_about_our_own_claims() -> None:
    load_baselines(baseline_files(configs_root()), load_catalog().claims)
