"""Rules that need no recording, and what coverage counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.scenario import Checklist, claims_coverage, lint, own_checklist
from harness.scenario.model import Undecidable
from tests.golden import same_as_golden
from tests.scenario.conftest import CLAIMS, HERE, REST, Load

ONE, TWO = CLAIMS["parse-html.one"], CLAIMS["parse-html.two"]
OUT_OF_REACH = replace(TWO, undecidable=Undecidable("corpus", "not at hand"))


def test_a_claim_needs_a_scenario_or_a_reason(load: Load) -> None:
    cases = load()
    assert [problem.message for problem in lint([ONE, TWO], cases)] == [
        "nothing decides parse-html.two, and no reason is stated"
    ]
    assert lint([ONE, OUT_OF_REACH], cases) == []
    assert lint([ONE, replace(TWO, open="later")], cases) == []
    assert "but a scenario decides it" in lint([replace(ONE, open="later"), OUT_OF_REACH], cases)[0].message


def test_a_claim_comes_from_the_checklist(load: Load) -> None:
    assert [problem.message for problem in lint([ONE], load(), ["parse-html.two"])] == [
        "parse-html.one is not in the checklist"
    ]


@pytest.mark.parametrize(
    ("expectation", "message"),
    [
        ('count: {of: bursts, is: "<= 3"}', "an empty selection meets this test: it proves nothing alone"),
        ('compare: {left: {count: bursts}, is: "< 3"}', "an empty selection meets this test: it proves nothing alone"),
        (
            'count: {of: bursts, is: ">= 0"}\n    control: {count: {of: bursts, is: ">= 1"}}',
            "a test that everything meets: a count >= 0",
        ),
        (
            'each: {of: bursts, contains: {of: bursts, is: ">= 0"}}',
            "a test that everything meets: contains >= 0",
        ),
        (
            'each: {of: bursts, has: {args.url: {matches: ""}}}',
            'a test that everything meets: matches "", which is found in every text',
        ),
        (
            'each: {of: bursts, has: {args.url: {matches: ".*"}}}',
            'a test that everything meets: matches ".*", which is found in every text',
        ),
        (
            'each: {of: bursts, has: {"args.list[].url": {not: x}}}',
            "`not` at args.list[].url is met when any element differs, even where another one is that value",
        ),
        ('each: {of: bursts, has: {dur: {compare: "< 5ms"}}}', "an upper limit in absolute time: dur < 5ms"),
        ('compare: {left: {median: dur, of: bursts}, is: "1..2ms"}', "an upper limit in absolute time: is 1..2ms"),
    ],
)
def test_expectations_that_prove_little(load: Load, expectation: str, message: str) -> None:
    cases = load(rest=REST.split("  - count")[0] + f"  - {expectation}\n")
    assert [problem.message for problem in lint([ONE], cases)] == [message]


@pytest.mark.parametrize(
    "expectation",
    [
        'count: {of: bursts, is: "<= 3"}\n    control: {count: {of: bursts, on: any, is: ">= 1"}}',
        'each: {of: bursts, has: {args.url: {matches: "^$"}}}',
        'each: {of: bursts, has: {args.url: {matches: "^[^a]*$"}}}',
        'each: {of: bursts, has: {args.list: {length: ">= 1"}, "args.list[0].url": {not: x}}}',
        'each: {of: bursts, has: {dur: {compare: "> 0"}}}',
        'each: {of: bursts, has: {dur: {compare: ">= 300ms"}, args.n: {compare: "< 5"}}}',
        "compare: {left: {sum: dur, of: bursts}, right: {sum: self, of: bursts}, ratio: '<= 3'}",
    ],
)
def test_expectations_that_are_sound(load: Load, expectation: str) -> None:
    assert lint([ONE], load(rest=REST.split("  - count")[0] + f"  - {expectation}\n")) == []


def test_coverage_counts_each_claim_once(load: Load) -> None:
    listed = Checklist({"parse-html": ("parse-html.one", "parse-html.two"), "paint": ("paint.a",)}, {"paint": "Paint"})
    coverage = claims_coverage([ONE, OUT_OF_REACH], load(), listed)
    assert (coverage.total, coverage.decided, coverage.undecidable, coverage.open) == (3, 1, 1, 1)
    assert coverage.by_event["parse-html"].undecidable == {"parse-html.two": "corpus: not at hand"}
    assert coverage.by_event["paint"].open == {"paint.a": ""}
    assert claims_coverage([ONE, OUT_OF_REACH], load()).total == 2


def test_the_checklist_is_the_manuals() -> None:
    listed = own_checklist()
    ids = [name for names in listed.ids.values() for name in names]
    assert len(ids) == len(set(ids)) == 2354
    assert all(name.startswith(f"{slug}.") for slug, names in listed.ids.items() for name in names)
    folder = Path(__file__).parents[3] / "shared" / "claims"
    if not folder.is_dir():
        pytest.skip("the list that the checklist was made from is not beside this checkout")
    written = "".join(path.read_text() for path in folder.rglob("*.yaml"))
    assert all(f"id: {name}\n" in written or f'id: "{name}"\n' in written for name in ids)


PAIRABLE = """\
scenario: parse-html.costs
title: What one arm costs beside the other
claims: [parse-html.one]
exclusive: true
arms: {plain: {}, tracking: {}}
record: {categories: [timeline]}
fixture: page.html
steps:
  - goto: "${fixture.url}"
  - call: work
    as: work
select:
  bursts: {name: ParseHTML, on: page.main}
expect:
  - compare: {left: {sum: dur, of: bursts@tracking}, right: {sum: dur, of: bursts@plain}, ratio: ">= 3"}
  - compare: {left: {median: tdur, of: bursts@tracking}, right: {median: tdur, of: bursts@plain}, difference: "> 0"}
  - compare: {left: {value: work, arm: tracking}, right: {value: work, arm: plain}, ratio: ">= 3"}
  # No costs across arms: counts, sizes, times of one arm, what is subtracted from a count.
  - compare: {left: {count: bursts@tracking}, right: {count: bursts@plain}, ratio: ">= 3"}
  - compare: {left: {sum: args.n, of: bursts@tracking}, right: {sum: args.n, of: bursts@plain}, ratio: ">= 3"}
  - compare: {left: {sum: dur, of: bursts@plain}, right: {sum: self, of: bursts@plain}, ratio: "<= 3"}
  - compare: {left: {value: work, arm: tracking}, right: {value: work, arm: plain}, difference: 0}
"""


def paired(blocks: int) -> str:
    return PAIRABLE.replace("arms:", f"design: {{paired: alternating, blocks: {blocks}}}\narms:", 1)


@pytest.mark.parametrize("name", ["no-design", "four-blocks"])
def test_times_of_two_arms_are_paired(name: str, load: Load, tmp_path: Path) -> None:
    problems = lint([ONE], load(PAIRABLE if name == "no-design" else paired(4)))
    told = "".join(f"{problem}\n" for problem in problems).replace(f"{tmp_path}/", "")
    same_as_golden(HERE / "golden" / f"lint-{name}.txt", told)


def test_six_blocks_are_enough(load: Load) -> None:
    assert lint([ONE], load(paired(6))) == []


def test_costs_are_measured_with_nothing_beside_them(load: Load) -> None:
    (problem,) = lint([ONE], load(paired(6).replace("exclusive: true\n", "")))
    assert "in a scenario that others may run beside: ratio >= 3" in problem.message
    assert problem.expected == "exclusive: true"
