"""A bisection between real builds: CompositeLayers became Commit on the main thread between 110 and 111."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import cli as cli_module
from harness.browser import find_builds, one_per_version

pytestmark = pytest.mark.browser

SCENARIO = """\
scenario: mine.commits
title: A page is committed
claims: [mine.commit-there]
record: {categories: [devtools.timeline, disabled-by-default-devtools.timeline]}
steps: [{goto: "data:text/html,<p>One"}, {settle: 300ms}]
select:
  commits: {name: Commit, on: page.main, phase: slice}
expect:
  - count: {of: commits, is: ">= 1"}
"""
CLAIMS = """\
event: Commit
slug: mine
claims:
  - {id: mine.commit-there, says: The main thread writes Commit., refuted_by: A page that is shown without one.}
"""


def test_the_edge_is_between_the_builds_that_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    majors = sorted({build.major for build in one_per_version(find_builds()) if build.source == "cache"})
    before = [major for major in majors if 101 < major <= 110]
    after = [major for major in majors if 111 <= major < 130]
    if not before or not after:
        pytest.skip("no build of 102 to 110 and one of 111 to 129 is cached (traceproof browsers install 110 116)")
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    (tmp_path / "commits.scenario.yaml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    asked = ["mine.commit-there", str(tmp_path), "--installed", "--from", str(before[-1]), "--to", str(after[0])]
    with pytest.raises(SystemExit) as ended:
        cli_module.main(["bisect", *asked, "--json"])
    (line,) = json.loads(capsys.readouterr().out)["lines"]
    assert [(one["major"], one["verdict"], one["met"], one["valid"]) for one in line["answers"]] == [
        (before[-1], "REFUTED", 0, 3),
        (after[0], "HOLDS", 3, 3),
    ]
    (change,) = line["changes"]
    assert (change["from"], change["to"], change["sure"]) == ("REFUTED", "HOLDS", True)
    assert 111 in change["releases"] and line["monotonic"] and line["settled"]
    assert not ended.value.code
