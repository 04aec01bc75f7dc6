"""What stands for a verdict in one line: the finding that says the same, and the event that came nearest."""

from __future__ import annotations

import msgspec

from harness.evidence import CaseEvidence, Reported
from harness.report.html.index import Index
from harness.report.near import nearest_miss, shortened, telling
from harness.verdict import Outcome, Verdict
from tests.report.large import large
from tests.samples import event


def test_a_verdict_that_does_not_hold_is_told_by_what_is_unmet() -> None:
    result = large(20, 1)
    for verdict in result.verdicts:
        found = telling(verdict, [case for case in result.cases if verdict.claim in case.claims])
        assert found is not None and verdict.claim in found[1].claims
        assert (found[1].outcome is Outcome.MET) == (verdict.verdict is Verdict.HOLDS)
    assert telling(result.verdicts[0], []) is None


def test_the_first_miss_that_says_why() -> None:
    case = large(2, 1).cases[0]
    finding = case.attempts[0].findings[0]
    silent, told = event(seq=1), event(seq=2, note="missed: dur 12 us")
    assert nearest_miss(msgspec.structs.replace(finding, misses=[silent, told])) == told
    assert nearest_miss(msgspec.structs.replace(finding, misses=[silent])) is None
    assert shortened("a\n  b" + "c" * 200).startswith("a bccc") and len(shortened("c" * 200)) == 161


def test_the_index_has_it_for_each_verdict_that_does_not_hold() -> None:
    result = large(40, 2)
    reported = Reported(result, {id(case): CaseEvidence() for case in result.cases})
    index = Index([reported], {}).build([0] * len(result.cases), made="", version="")
    cells = index["cells"]
    for word, near in zip(cells["word"], cells["near"], strict=True):
        assert index["texts"][near] == ("" if index["words"][word] == "HOLDS" else "ParseHTML dur 12 us")
