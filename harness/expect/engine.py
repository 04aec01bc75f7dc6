"""From the expectations of a case and the recordings of one attempt to findings.

What cannot be told is INVALID before what is false is UNMET: an attempt with a broken control or without a value that
the test needs is no evidence, whatever the rest of it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from harness.events import Finding, Measure
from harness.expect.forms.compare import decide, measure
from harness.expect.forms.count import count, none_of
from harness.expect.forms.each import each
from harness.expect.forms.join import join
from harness.expect.forms.query import query
from harness.expect.forms.result import Result, Scope
from harness.expect.forms.same import same
from harness.expect.forms.sequence import alternate, order
from harness.expect.measures import joined
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


def evaluate(case: Case, recordings: Recordings) -> list[Finding]:
    """One finding for each expectation of the case, in its order. `ScenarioError` for a test that makes no sense."""
    return _findings(case, case.expect, recordings)


def evaluate_require(case: Case, recordings: Recordings) -> list[Finding]:
    """One finding for each precondition; any that is not MET makes the attempt invalid."""
    return _findings(case, case.require, recordings)


def _findings(case: Case, expectations: Sequence[Expectation], recordings: Recordings) -> list[Finding]:
    attempt = _Attempt(case, recordings)
    return [_finding(expectation, attempt.answer(expectation)) for expectation in expectations]


@dataclass(frozen=True, slots=True)
class _Answer:
    outcome: Outcome
    result: Result
    arm: str = ""
    block: int = 0


class _Attempt:
    """All recordings of one attempt, with their selections resolved as they are needed."""

    def __init__(self, case: Case, recordings: Recordings) -> None:
        self._arms = tuple(case.arms)
        sizes = {arm: len(of_arm) for arm, of_arm in recordings.items()}
        self._blocks: list[Mapping[str, Picker]] = []
        self._incomplete = ""
        if len(set(sizes.values())) != 1 or not min(sizes.values()):
            counted = ", ".join(f"{arm} {size}" for arm, size in sizes.items()) or "none"
            self._incomplete = f"every arm needs a recording in each block; there are: {counted}"
            return
        for number in range(min(sizes.values())):
            siblings: dict[str, Picker] = {}
            for arm, of_arm in recordings.items():
                siblings[arm] = Picker(arm, of_arm[number], case.select, siblings)
            self._blocks.append(siblings)

    def answer(self, expectation: Expectation) -> _Answer:
        """The worst answer of all arms and blocks, with its evidence."""
        if self._incomplete:
            return _Answer(Outcome.INVALID, Result(False, self._incomplete))
        for control in expectation.control:
            for answer in self._everywhere(control, expectation, controlled=False):
                if answer.outcome is not Outcome.MET:
                    summary = f"the control failed, so this shows nothing: {answer.result.summary}"
                    result = replace(answer.result, summary=summary, measures=())
                    return replace(answer, outcome=Outcome.INVALID, result=result)
        answers = self._everywhere(expectation.form, expectation, controlled=bool(expectation.control))
        for outcome in (Outcome.INVALID, Outcome.UNMET):
            for answer in answers:
                if answer.outcome is outcome:
                    return replace(answer, result=_with_the_others(answer, answers))
        result = _with_the_others(answers[0], answers)
        arms = ", ".join(_by_arm(answers))
        population = sum(answer.result.population for answer in answers)
        return _Answer(Outcome.MET, replace(result, population=population), arms)

    def _everywhere(self, form: Form, expectation: Expectation, controlled: bool) -> list[_Answer]:
        """The form's answer in each arm, and there in each block; of a comparison, over all blocks."""
        answers = []
        for arm in expectation.arms:
            if isinstance(form, Compare):
                answers.append(_judge(partial(self._compare, form, arm, expectation), controlled, arm, 0))
                continue
            for number in range(len(self._blocks)):
                test = partial(self._test, form, arm, expectation, number)
                answers.append(_judge(test, controlled, arm, number))
        return answers

    def _compare(self, form: Compare, arm: str, expectation: Expectation) -> Result:
        blocks = range(len(self._blocks))
        return decide(form, [measure(form, self._scope(arm, expectation, number)) for number in blocks])

    def _test(self, form: Form, arm: str, expectation: Expectation, block: int) -> Result:
        return _FORMS[type(form)](form, self._scope(arm, expectation, block))

    def _scope(self, arm: str, expectation: Expectation, block: int) -> Scope:
        pickers = self._blocks[block]
        if arm not in pickers:
            raise Unanswerable(f"there is no recording of the arm {arm}")
        return Scope(pickers[arm], expectation.at, self._arms)


def _judge(test: Callable[[], Result], controlled: bool, arm: str, block: int) -> _Answer:
    try:
        result = test()
    except Unanswerable as reason:
        return _Answer(Outcome.INVALID, Result(False, str(reason)), arm, block)
    except NotShown as reason:
        return _Answer(Outcome.UNMET, Result(False, str(reason)), arm, block)
    if result.too_close:
        return _Answer(Outcome.INVALID, result, arm, block)
    if result.met and result.absences and not controlled:
        nothing = ", ".join(f"`{label}`" for label in result.absences)
        summary = f"{result.summary}; met only because there is no {nothing}, which takes a control to mean anything"
        return _Answer(Outcome.INVALID, replace(result, met=False, summary=summary), arm, block)
    return _Answer(Outcome.MET if result.met else Outcome.UNMET, result, arm, block)


def _with_the_others(answer: _Answer, answers: Sequence[_Answer]) -> Result:
    """The result, with a line for each arm and block where there are several, and the numbers of all of them."""
    measures = tuple(one for arm, of_arm in _by_arm(answers).items() for one in joined(of_arm, arm))
    if len(answers) == 1:
        return replace(answer.result, measures=measures)
    places = [f"arm {other.arm}, block {other.block}: {other.outcome}: {other.result.summary}" for other in answers]
    return replace(answer.result, details=[*answer.result.details, *places], measures=measures)


def _by_arm(answers: Sequence[_Answer]) -> dict[str, list[Measure]]:
    measures: dict[str, list[Measure]] = {}
    for answer in answers:
        measures.setdefault(answer.arm, []).extend(answer.result.measures)
    return measures


def _finding(expectation: Expectation, answer: _Answer) -> Finding:
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
        measures=list(result.measures),
    )
