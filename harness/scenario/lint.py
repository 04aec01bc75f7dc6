"""Integrity rules that need no recording. Each takes what was loaded and answers Problems; none raises."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from harness.errors import Problem
from harness.numbers import NumberTest
from harness.scenario.checks import parts_of
from harness.scenario.model import Aggregate, Case, Claim, Compare, Condition, Contains, Count, Each, Expectation, Place
from harness.scenario.words import SPENT_FIELDS, TIME_FIELDS

FEWEST_BLOCKS = 6  # that give the median an interval of 95 %: `stats.medians`
_TEXTS = ("", "\0", "".join(map(chr, range(32, 127))))  # no pattern is found in all three but one found in every text


def lint(
    claims: Iterable[Claim],
    cases: Iterable[Case],
    checklist_ids: Collection[str] = (),
    unread: Collection[Path] = (),
) -> list[Problem]:
    """All rules. `checklist_ids`: ids that claims must come from; empty for a folder without a checklist.

    `unread`: folders with a scenario that could not be read, which may be the one that decides the claims there.
    """
    claims, cases = list(claims), list(cases)
    found = [
        *unanswered_claims((claim for claim in claims if Path(claim.at.file).parent not in unread), cases),
        *answered_twice(claims, cases),
        *unlisted_claims(claims, checklist_ids),
        *(problem for case in cases for rule in _OF_A_CASE for problem in rule(case)),
    ]
    return list(dict.fromkeys(found))


def _problem(at: Place, message: str, expected: str = "", remedy: str = "", found: str = "") -> Problem:
    return Problem(message, at.file, at.line, at.column, at.path, expected, found, remedy)


def unanswered_claims(claims: Iterable[Claim], cases: Iterable[Case]) -> list[Problem]:
    """Rule 7: a claim has a scenario, or a reason why it has none."""
    decided = {name for case in cases for name in case.claims}
    return [
        _problem(
            claim.at,
            f"nothing decides {claim.id}, and no reason is stated",
            expected="a scenario that lists it, or undecidable:, or open:",
            remedy="write the scenario, or say why there is none",
        )
        for claim in claims
        if claim.id not in decided and not claim.undecidable and not claim.open
    ]


def answered_twice(claims: Iterable[Claim], cases: Iterable[Case]) -> list[Problem]:
    """A claim that a scenario decides is neither undecidable nor open."""
    deciders = {name: case.id for case in cases for name in case.claims}
    return [
        _problem(
            claim.at,
            f"{claim.id} is said to be {'undecidable' if claim.undecidable else 'open'}, but a scenario decides it",
            found=deciders[claim.id],
            remedy="take the reason away, or the claim out of the scenario",
        )
        for claim in claims
        if claim.id in deciders and (claim.undecidable or claim.open)
    ]


def unlisted_claims(claims: Iterable[Claim], checklist_ids: Collection[str]) -> list[Problem]:
    """A claim that the checklist does not have would be counted although nobody documents it."""
    if not checklist_ids:
        return []
    return [
        _problem(
            claim.at, f"{claim.id} is not in the checklist", remedy="mend the id, or add it to configs/checklist.yaml"
        )
        for claim in claims
        if claim.id not in checklist_ids
    ]


def strange_slug(case: Case) -> list[Problem]:
    """A scenario is named after the event in whose folder it stands, wherever that folder has claims."""
    slug = case.id.split(".")[0]
    folder = case.file.parent
    if not case.id or not case.claims or slug == folder.name or not (folder / "claims.yaml").is_file():
        return []
    if any(claim.startswith(f"{slug}.") for claim in case.claims):
        return []
    message = f'the id "{case.id}" starts with none of its claims\' events'
    return [_problem(case.at, message, expected=f"{case.claims[0].split('.')[0]}.<name>", remedy="rename the scenario")]


def lenient_counts(case: Case) -> list[Problem]:
    """Rule 1 also for a count that nothing at all would meet: it takes a control."""
    found = []
    for expectation in case.expect:
        if expectation.control or not _may_be_nothing(expectation.form):
            continue
        found.append(
            _problem(
                expectation.at,
                "an empty selection meets this test: it proves nothing alone",
                expected="a test that zero does not meet, or a control",
                remedy='raise the lower bound, or add control: {count: {of: <selection>, is: ">= 1"}}',
            )
        )
    return found


def _may_be_nothing(form: Any) -> bool:
    if isinstance(form, Count):
        return form.test.accepts(0) and not form.per
    return isinstance(form, Compare) and form.measure == "is" and form.left.kind == "count" and form.test.accepts(0)


def met_by_all(case: Case) -> list[Problem]:
    """A test that every number or every text meets cannot fail."""
    found = []
    for at, form in _forms(case):
        for count in parts_of(form, Count):
            if _every_count(count.test):
                found.append(_met_by_all(at, f"a count {count.test}"))
        for contains in parts_of(form, Contains):
            if contains.equals_path is None and _every_count(contains.test):
                found.append(_met_by_all(at, f"contains {contains.test}"))
        if isinstance(form, Compare) and form.measure == "is" and form.left.kind == "count" and _every_count(form.test):
            found.append(_met_by_all(at, f"a count {form.test}"))
    for condition in _conditions(case):
        for test in condition.tests:
            if test.op == "matches" and all(re.search(str(test.operand), text) for text in _TEXTS):
                found.append(_met_by_all(condition.at, f'matches "{test.operand}", which is found in every text'))
            if test.op == "length" and isinstance(test.operand, NumberTest) and _every_count(test.operand):
                found.append(_met_by_all(condition.at, f"length {test.operand}"))
    return found


def _met_by_all(at: Place, what: str) -> Problem:
    return _problem(at, f"a test that everything meets: {what}", remedy="say what would fail it, or take it out")


def _every_count(test: NumberTest) -> bool:
    """Whether no number of things fails it."""
    return test.accepts(0) and test.accepts(1) and test.high == float("inf") and not test.negated


def others_than_one(case: Case) -> list[Problem]:
    """`not` below a list is met when any element differs, and nearly always it was meant that none is that value."""
    return [
        _problem(
            condition.at,
            f"`not` at {condition.path} is met when any element differs, even where another one is that value",
            remedy="where no element may be it, say `none` of a selection whose `where` has it; else name the index",
        )
        for condition in _conditions(case)
        if "[]" in condition.path and any(test.op == "not" for test in condition.tests)
    ]


def _forms(case: Case) -> Iterable[tuple[Place, Any]]:
    """Every form of a case that must be met, with its place; a control or a precondition that cannot fail is none."""
    for expectation in (*case.expect, *case.require):
        yield expectation.at, expectation.form
        yield from ((expectation.at, control) for control in expectation.control)


def _conditions(case: Case) -> list[Condition]:
    """Every test of a value, in selections and in forms."""
    return list(parts_of([*case.select.values(), *(form for _, form in _forms(case))], Condition))


def absolute_times(case: Case) -> list[Problem]:
    """Rule 5: a time is tested against another one, never against a number of milliseconds that load breaks."""
    return [
        _problem(
            at,
            f"an upper limit in absolute time: {what}",
            expected="a ratio, an order, or a comparison between arms",
            remedy="compare it with another duration of the same attempt",
        )
        for expectation in case.expect
        for at, what in _upper_limits(expectation)
    ]


def _upper_limits(expectation: Expectation) -> Iterable[tuple[Place, str]]:
    for form in parts_of(expectation.form, Each):
        for condition in form.has:
            yield from _condition_limits(condition)
    form = expectation.form
    if isinstance(form, Compare) and form.measure != "ratio" and form.left.path in TIME_FIELDS and _is_limit(form.test):
        yield expectation.at, f"{form.measure} {form.test}"


def _condition_limits(condition: Condition) -> Iterable[tuple[Place, str]]:
    if condition.path not in TIME_FIELDS:
        return
    for test in condition.tests:
        if isinstance(test.operand, NumberTest) and _is_limit(test.operand):
            yield condition.at, f"{condition.path} {test.operand}"


def _is_limit(test: NumberTest) -> bool:
    """A bound from above that is not zero."""
    return test.high != float("inf") and test.high > 0 and not test.negated


def unpaired_costs(case: Case) -> list[Problem]:
    """Times of two arms are recorded in turns, so often that an interval of their median can be told."""
    if case.paired and case.paired.blocks >= FEWEST_BLOCKS:
        return []
    alone = "no design: what else the machine did may be the difference"
    return [
        _problem(
            form.left.at,
            f"a time of one arm against that of another: {form.measure} {form.test}",
            expected=f"design: {{paired: alternating, blocks: {FEWEST_BLOCKS}}} or more blocks",
            found=f"{case.paired.blocks} blocks" if case.paired else alone,
            remedy="record the two arms in turns, in a scenario of their own where there are more arms",
        )
        for form in _costs(case)
    ]


def disturbed_costs(case: Case) -> list[Problem]:
    """What compares the times of arms is alone on the machine, or the other case that runs is the difference."""
    return [
        _problem(
            form.left.at,
            f"a time of one arm against that of another, in a scenario that others may run beside: "
            f"{form.measure} {form.test}",
            expected="exclusive: true",
            remedy="say so at the top of the scenario: it is then never run beside another",
        )
        for form in _costs(case)
        if not case.exclusive
    ][:1]


def _costs(case: Case) -> list[Compare]:
    """Comparisons of the times of two arms."""
    return [
        form
        for expectation in (*case.expect, *case.require)
        for form in parts_of([expectation.form, expectation.control], Compare)
        if len({_arm_of_time(side, form.measure) for side in (form.left, form.right)} - {None}) > 1
    ]


def _arm_of_time(side: Aggregate | None, measure: str) -> str | None:
    """The arm of a time that was spent. The number of a step is one where it makes a ratio; a count is subtracted."""
    if side is None:
        return None
    if side.kind == "value":
        return side.arm if measure == "ratio" else None
    return side.of.arm if side.of and side.path in SPENT_FIELDS else None


_OF_A_CASE = (
    lenient_counts,
    met_by_all,
    others_than_one,
    absolute_times,
    unpaired_costs,
    disturbed_costs,
    strange_slug,
)
