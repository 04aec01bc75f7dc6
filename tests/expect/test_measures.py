"""The numbers beside a finding: for every form, over blocks and arms."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.events import Measure
from harness.expect import evaluate
from harness.numbers import parse_number_test
from harness.verdict import Outcome
from tests.expect import notation
from tests.mutate.lab import load

RATIO = 'compare: {left: {sum: dur, of: a@tracking}, right: {sum: dur, of: a@plain}, ratio: ">= 3"}'


def measures(folder: Path, events: str, expectation: str) -> list[Measure]:
    blocks = events.split(";")[0].count(" / ") + 1
    (finding,) = evaluate(load(folder, expectation, "plain:" in events, blocks), notation.read(events))
    return finding.measures


@pytest.mark.parametrize(
    ("events", "expectation", "numbers"),
    [
        ("A[10] A[20]", "count: {of: a, is: 3}", {"count": 2}),
        ("none", "count: {of: a, is: 3}", {"count": 0}),
        (
            "A[10]{f: 1} A[20]{f: 1} A[30]{f: 2}",
            "count: {of: a, is: 2, per: args.f}",
            {"the smallest group": 1, "the largest group": 2, "groups": 2},
        ),
        ("A[10]", "none: {of: a}, control: {count: {of: b, is: 0}}", {}),
        ("A[10] B[20]", "none: {of: a}, control: {count: {of: b, is: 1}}", {"count": 1}),
        ("A[10]{n: 1} A[20]", "each: {of: a, has: {args.n: 1}}", {"failed": 1, "count of `a`": 2}),
        ("A[10] B[5]", "order: {of: [a, b]}", {"places where not": 1, "count of `a`": 1, "count of `b`": 1}),
        (
            "A[10]{k: 1} B[20]{k: 1} B[30]{k: 2}",
            "join: {left: a, right: b, on: [args.k]}",
            {"pairs": 1, "count of `a` (left)": 1, "count of `b` (right)": 2},
        ),
        ("A[10]{n: 1} B[20]{n: 1}", "same: {of: [a, b], values: args.n}", {"count of `a`": 1, "count of `b`": 1}),
        ("A[10..20]", "compare: {left: {sum: dur, of: a}, is: 10}", {"value": 10}),
        ("A[10]", 'query: "select 1 from a", rows: one', {"rows": 1}),
    ],
)
def test_each_form_tells_its_number(tmp_path: Path, events: str, expectation: str, numbers: dict[str, float]) -> None:
    assert {one.name: one.median for one in measures(tmp_path, events, expectation)} == numbers


def test_a_comparison_of_paired_arms_tells_its_blocks(tmp_path: Path) -> None:
    plain = " / ".join(["A[0..10]"] * 6)
    tracking = " / ".join(f"A[0..{end}]" for end in (60, 31, 33, 32, 34, 35))
    ratio, left, right = measures(tmp_path, f"plain: {plain}; tracking: {tracking}", RATIO)
    assert ratio.values == pytest.approx([6, 3.1, 3.3, 3.2, 3.4, 3.5])
    assert (ratio.median, ratio.low, ratio.high) == pytest.approx((3.35, 3.1, 6))
    assert ratio.confidence == pytest.approx(0.96875)
    assert (ratio.name, ratio.unit, ratio.cost) == ("ratio", "", True)
    assert ratio.warm_up == pytest.approx(6 / 3.3)  # against the median of the other five
    assert ratio.order == pytest.approx(3.4 / 3.2)
    assert (left.values[0], left.unit, right.values, right.unit) == (60, "us", [10] * 6, "us")
    assert left.warm_up == pytest.approx(27)  # microseconds, not a quotient


def test_other_forms_tell_each_block_of_each_arm(tmp_path: Path) -> None:
    found = measures(
        tmp_path, "plain: A[1] / A[1] A[2]; tracking: none / A[1]", 'count: {of: a, is: ">= 1"}, arms: all'
    )
    assert [(one.arm, one.name, one.values) for one in found] == [
        ("plain", "count", [1, 2]),
        ("tracking", "count", [0, 1]),
    ]


def test_counts_in_one_recording_are_no_cost_and_times_are(tmp_path: Path) -> None:
    (count,) = measures(tmp_path, "A[10..20]", "compare: {left: {count: a}, is: 1}")
    (time,) = measures(tmp_path, "A[10..20]", "compare: {left: {sum: dur, of: a}, is: 10}")
    assert (count.cost, count.unit, time.cost, time.unit) == (False, "events", True, "us")
    assert (count.low, count.warm_up) == (None, None)


def test_too_close_to_tell_is_no_evidence_either_way(tmp_path: Path) -> None:
    plain, tracking = " / ".join(["A[0..10]"] * 6), " / ".join(f"A[0..{end}]" for end in (25, 31, 33, 32, 34, 35))
    case = load(tmp_path, RATIO, arms=True, blocks=6)
    (finding,) = evaluate(case, notation.read(f"plain: {plain}; tracking: {tracking}"))
    assert finding.outcome is Outcome.INVALID
    assert finding.summary.endswith("(97%: 2.5 to 3.5), which is on both sides of the bound: too close to tell")


@pytest.mark.parametrize(
    ("test", "low", "high", "all_pass", "none_passes"),
    [
        (">= 3", 3, 4, True, False),
        ("> 3", 3, 4, False, False),
        ("> 3", 2, 3, False, True),
        ("< 3", 3, 4, False, True),
        ("2..5", 1, 6, False, False),
        ("2..5", 6, 7, False, True),
        ("!= 3", 2, 4, False, False),
        ("!= 3", 4, 5, True, False),
        ("!= 3", 3, 3, False, True),
        (3, 3, 3, True, False),
    ],
)
def test_an_interval_against_a_test(test: object, low: float, high: float, all_pass: bool, none_passes: bool) -> None:
    parsed = parse_number_test(test)
    assert (parsed.accepts_all(low, high), parsed.refuses_all(low, high)) == (all_pass, none_passes)
