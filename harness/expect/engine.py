"""From the expectations of a case and the recordings of one attempt to findings.

What cannot be told is INVALID before what is false is UNMET: an attempt with a broken control or without a value that
the test needs is no evidence, whatever the rest of it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from harness.events import Finding
from harness.expect.forms.compare import decide, measure
from harness.expect.forms.count import count, none_of
from harness.expect.forms.each import each
from harness.expect.forms.join import join
from harness.expect.forms.query import query
from harness.expect.forms.result import Result, Scope
from harness.expect.forms.same import same
from harness.expect.forms.sequence import alternate, order
from harness.expect.recording import NotShown, Recordings, Unanswerable
from harness.expect.select import Picker
from harness.scenario import model
from harness.scenario.model import Case, Compare, Expectation, Form
from harness.verdict import Outcome

_FORMS: dict[type, Callable[[Any, Scope], Result]] = {
    model.Count: count,
    model.Each: each,
    model.NoneOf: none_of,
    model.Order: order,
    model.Alternate: alternate,
    model.Join: join,
    model.Same: same,
    model.Query: query,
}
Block = Mapping[str, Picker]


def evaluate(case: Case, recordings: Recordings) -> list[Finding]:
    """One finding for each expectation of the case, in its order. `ScenarioError` for a test that makes no sense."""
    return _findings(case, case.expect, recordings)


def evaluate_require(case: Case, recordings: Recordings) -> list[Finding]:
    """One finding for each precondition; any that is not MET makes the attempt invalid."""
    return _findings(case, case.require, recordings)


def _findings(case: Case, expectations: Sequence[Expectation], recordings: Recordings) -> list[Finding]:
    blocks, problem = _blocks(case, recordings)
    return [_finding(expectation, blocks, problem) for expectation in expectations]


def _blocks(case: Case, recordings: Recordings) -> tuple[list[Block], str]:
    """The arms of each block, able to see each other; and why they are no evidence, if so."""
    sizes = {arm: len(of_arm) for arm, of_arm in recordings.items()}
    if len(set(sizes.values())) != 1 or not min(sizes.values()):
        counted = ", ".join(f"{arm} {size}" for arm, size in sizes.items()) or "none"
        return [], f"every arm needs a recording in each block; there are: {counted}"
    blocks: list[Block] = []
    for number in range(min(sizes.values())):
        siblings: dict[str, Picker] = {}
        for arm, of_arm in recordings.items():
            siblings[arm] = Picker(arm, of_arm[number], case.select, siblings)
        blocks.append(siblings)
    return blocks, ""


@dataclass(frozen=True, slots=True)
class _Answer:
    outcome: Outcome
    result: Result
    arm: str = ""
    block: int = 0


def _finding(expectation: Expectation, blocks: Sequence[Block], problem: str) -> Finding:
    answer = _Answer(Outcome.INVALID, Result(False, problem)) if problem else _answer(expectation, blocks)
    result = answer.result
    return Finding(
        index=expectation.index,
        claims=list(expectation.claims),
        form=expectation.form_name,
        text=expectation.text,
        outcome=answer.outcome,
        summary=result.summary,
        details=result.details,
        population=result.population,
        matched=result.matched,
        misses=result.misses,
        place=str(expectation.at),
        arm=answer.arm,
        block=answer.block,
    )


def _answer(expectation: Expectation, blocks: Sequence[Block]) -> _Answer:
    """The worst answer of all arms and blocks, with its evidence."""
    controlled = bool(expectation.control)
    for control in expectation.control:
        for answer in _each_place(control, expectation, blocks, controlled=False):
            if answer.outcome is not Outcome.MET:
                summary = f"the control failed, so this shows nothing: {answer.result.summary}"
                return replace(answer, outcome=Outcome.INVALID, result=replace(answer.result, summary=summary))
    answers = _each_place(expectation.form, expectation, blocks, controlled)
    for outcome in (Outcome.INVALID, Outcome.UNMET):
        for answer in answers:
            if answer.outcome is outcome:
                return replace(answer, result=_among(answer, answers))
    first = answers[0]
    population = sum(answer.result.population for answer in answers)
    arms = ", ".join(dict.fromkeys(answer.arm for answer in answers))
    return _Answer(Outcome.MET, replace(_among(first, answers), population=population), arms, first.block)


def _each_place(form: Form, expectation: Expectation, blocks: Sequence[Block], controlled: bool) -> list[_Answer]:
    """The form's answer in each arm, and there in each block or over all of them."""
    answers = []
    for arm in expectation.arms:
        if isinstance(form, Compare):
            answers.append(_judge(partial(_compare, form, arm, expectation, blocks), controlled, arm, 0))
            continue
        for number, block in enumerate(blocks):
            answers.append(_judge(partial(_in_block, form, arm, expectation, block), controlled, arm, number))
    return answers


def _compare(form: Compare, arm: str, expectation: Expectation, blocks: Sequence[Block]) -> Result:
    return decide(form, [measure(form, _scope(arm, expectation, block)) for block in blocks])


def _in_block(form: Form, arm: str, expectation: Expectation, block: Block) -> Result:
    return _FORMS[type(form)](form, _scope(arm, expectation, block))


def _scope(arm: str, expectation: Expectation, block: Block) -> Scope:
    if arm not in block:
        raise Unanswerable(f"there is no recording of the arm {arm}")
    return Scope(block[arm], expectation.at)


def _judge(answer: Callable[[], Result], controlled: bool, arm: str, block: int) -> _Answer:
    try:
        result = answer()
    except Unanswerable as reason:
        return _Answer(Outcome.INVALID, Result(False, str(reason)), arm, block)
    except NotShown as reason:
        return _Answer(Outcome.UNMET, Result(False, str(reason)), arm, block)
    if result.met and result.absences and not controlled:
        nothing = ", ".join(f"`{label}`" for label in result.absences)
        summary = f"{result.summary}; met only because there is no {nothing}, which takes a control to mean anything"
        return _Answer(Outcome.INVALID, replace(result, met=False, summary=summary), arm, block)
    return _Answer(Outcome.MET if result.met else Outcome.UNMET, result, arm, block)


def _among(answer: _Answer, answers: Sequence[_Answer]) -> Result:
    """The result with a line for each arm and block where there are several."""
    if len(answers) == 1:
        return answer.result
    places = [f"arm {a.arm}, block {a.block}: {a.outcome}: {a.result.summary}" for a in answers]
    return replace(answer.result, details=[*answer.result.details, *places])
