"""All mutants of all expectations of a case, on the recordings of one attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Final

import msgspec

from harness.errors import UserError
from harness.expect import Recordings
from harness.mutate.blind import Claims, blinded, takes_none
from harness.mutate.forms import contradictions
from harness.mutate.generic import looked_at, near_misses, thorough
from harness.mutate.mutant import Must, Mutant
from harness.mutate.near import sample
from harness.mutate.neutral import controls_broken, neutral
from harness.mutate.result import CaseMutations, Mutations, Odd, Tally
from harness.mutate.seen import Known, Sight, unseen
from harness.mutate.subject import Edits, Key, Played, Subject
from harness.mutate.tape import Tape, read
from harness.mutate.views import Views
from harness.scenario.model import Case, Expectation, Query
from harness.trace import Trace, resolve_page
from harness.verdict import Outcome

OF_EACH_OPERATOR: Final = 5  # near misses of a query, which costs tens of milliseconds
MOST_OF_EACH: Final = 40
_CONTROL: Final = "drop the control"


def examine(
    case: Case,
    recordings: Recordings,
    known: Known | None = None,
    go_on: Callable[[int, int], None] = lambda *_: None,
) -> CaseMutations:
    """Mutate what each expectation of a case looks at, in the recordings of one valid attempt.

    known: the names and paths that other scenarios find elsewhere, so that they are no slips of the pen here.
    go_on: told after each mutant how many expectations are behind it, and how many mutants of the present one.
    """
    tapes: dict[Key, Tape] = {}
    traces: dict[Key, Trace] = {}
    for arm, of_arm in recordings.items():
        for block, recording in enumerate(of_arm):
            page = resolve_page(recording.trace, recording.context)
            context = msgspec.structs.replace(recording.context, page=page)
            tapes[arm, block], traces[arm, block] = read(recording.trace, context), recording.trace
    sight = Sight(traces.values(), [tape.context for tape in tapes.values()])
    played = Played(case, tapes)
    views = Views(case, played, traces)
    not_seen = partial(unseen, sight=sight, known=known or Known())
    found = []
    for number, one in enumerate(case.expect):
        found.append(_expectation(case, one, views, not_seen, partial(go_on, number)))
    return CaseMutations(scenario=case.id, cell=case.cell, place=str(case.at), expectations=found)


def _expectation(
    case: Case,
    expectation: Expectation,
    views: Views,
    not_seen: Callable[[Subject], list[str]],
    go_on: Callable[[int], None],
) -> Mutations:
    report = Mutations(
        index=expectation.index,
        form=expectation.form_name,
        claims=list(expectation.claims),
        place=str(expectation.at),
        text=expectation.text,
    )
    subject = Subject(case, expectation, views.whole)
    base = subject.evaluate({})
    report.outcome = base.outcome
    if base.outcome is not Outcome.MET:
        report.unusable = f"{base.outcome} on this recording: {base.summary}"
        return report
    report.unseen = not_seen(subject)
    _try_blind(report, case, expectation, views, go_on)
    narrow = Subject(case, expectation, views.of(expectation))
    if narrow.evaluate({}).outcome is Outcome.MET:
        subject = narrow
    elif not views.sees_all(expectation):
        report.odd.append(Odd("drop unrelated events", Must.SURVIVE, "all that no selection looks at", {}))
    report.tapes = subject.tapes
    judge = _Judge(subject, report, go_on)
    for mutant in contradictions(subject):
        judge(mutant)
    tried, more = _few_of_each(near_misses(subject), isinstance(expectation.form, Query))
    for mutant in tried:
        judge(mutant)
    for mutant in chain(more, thorough(subject)):  # before it is said that nothing kills it, everything is tried
        if report.killed:
            break
        judge(mutant)
    for mutant in (*controls_broken(subject), *neutral(subject)):
        judge(mutant)
    judge.finish()
    return report


def _try_blind(
    report: Mutations, case: Case, expectation: Expectation, views: Views, go_on: Callable[[int], None]
) -> None:
    """On all that the expectations of its claims and the preconditions see."""
    if not takes_none(expectation.form):
        return
    claims = Claims(case, expectation)
    played = views.together(claims.asked, claims.met)
    for mutant in blinded(Subject(case, expectation, played)):
        refused = not claims.met(played, mutant.edits)
        report.blind.total += 1
        report.blind.killed += refused
        go_on(report.blind.total)
        if not refused:
            report.odd.append(Odd(mutant.operator, mutant.must, mutant.what, mutant.edits))


def _few_of_each(mutants: Iterable[Mutant], costly: bool) -> tuple[list[Mutant], list[Mutant]]:
    """Some of each operator, spread over all of them, and the others: a query costs tens of milliseconds."""
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    most = OF_EACH_OPERATOR if costly else MOST_OF_EACH
    few = [mutant for same in by_operator.values() for mutant in sample(same, most)]
    taken = set(map(id, few))
    return few, [mutant for same in by_operator.values() for mutant in same if id(mutant) not in taken]


@dataclass
class _Judge:
    """Puts mutants to the expectation and keeps the score."""

    subject: Subject
    report: Mutations
    go_on: Callable[[int], None] = lambda _: None
    kinds: dict[str, list[str]] = field(default_factory=dict)
    tried: int = 0

    def __call__(self, mutant: Mutant) -> None:
        answer = self._answer(mutant)
        self.tried += 1
        self.go_on(self.tried)
        if mutant.must in (Must.SURVIVE, Must.REFUSE):
            tally = self.report.neutral if mutant.must is Must.SURVIVE else self.report.controls
            good = answer == "survived" if mutant.must is Must.SURVIVE else answer != "survived"
            tally.total += 1
            tally.killed += answer != "survived"
            if not good:
                self._odd(mutant)
            return
        tally = self.report.operators.setdefault(mutant.operator, Tally())
        tally.total += 1
        match answer:
            case "killed":
                tally.killed += 1
            case "emptied":
                tally.emptied += 1
            case "invalid":
                tally.invalid += 1
        if mutant.must is Must.KILL:
            left = answer == "survived" and self._left(mutant.edits)
            self.kinds.setdefault(mutant.kind, []).append("left" if left else answer)
        if answer == "survived":
            self._odd(mutant)

    def _odd(self, mutant: Mutant) -> None:
        self.report.odd.append(Odd(mutant.operator, mutant.must, mutant.what, mutant.edits, mutant.kind))

    def _answer(self, mutant: Mutant) -> str:
        try:
            finding = self.subject.evaluate(mutant.edits)
        except UserError:
            # A query that fails on what an argument has become: told, but as a mistake rather than as a refutation.
            return "invalid"
        if finding.outcome is Outcome.MET:
            return "survived"
        if finding.outcome is not Outcome.UNMET:
            return "invalid"
        return "emptied" if not mutant.absent and self._emptied(mutant.edits) else "killed"

    def _emptied(self, edits: Edits) -> bool:
        """Whether a selection that the form rests on has nothing left: of a query its `over`, else all its tables."""
        form, looked = self.subject.expectation.form, looked_at(self.subject)
        if isinstance(form, Query) and form.over is not None:
            looked = [(ref, key) for ref, key in looked if ref == form.over]
        before = [(ref, key) for ref, key in looked if self.subject.members(ref, key)]
        lost = [self.subject.size(ref, key, edits) == 0 for ref, key in before]
        return all(lost) and bool(lost) if isinstance(form, Query) and form.over is None else any(lost)

    def _left(self, edits: Edits) -> bool:
        """Whether an event was not refused but is no longer selected: the selection asks for the same already."""
        looked = looked_at(self.subject)
        return any(self.subject.size(ref, key, edits) < len(self.subject.members(ref, key)) for ref, key in looked)

    def finish(self) -> None:
        self.report.kinds = {
            kind: Tally(
                total=len(answers),
                killed=answers.count("killed"),
                emptied=answers.count("emptied"),
                invalid=answers.count("invalid"),
                left=answers.count("left"),
            )
            for kind, answers in self.kinds.items()
        }
        for odd in self.report.odd:
            kind = self.report.kinds.get(odd.kind)
            if odd.must is Must.KILL and kind is not None and kind.killed and not kind.survived:
                odd.must = Must.EITHER  # it left the selection, and others of its kind killed
        self.report.faults = self._faults()

    def _faults(self) -> list[str]:
        report, found = self.report, []
        if not report.killed:
            found.append("no mutant kills it: no recording that differs in one of these ways would refute it")
        for kind, tally in report.kinds.items():
            if not tally.killed and not tally.left and not tally.survived:
                why = f"{tally.emptied} leave nothing to look at, {tally.invalid} give no answer"
                found.append(f"no contradiction of the kind `{kind}` ({tally.total}) is a real one: {why}")
            elif tally.left and not tally.killed:
                found.append(f"every contradiction of the kind `{kind}` ({tally.total}) leaves its selection instead")
            elif tally.survived and not tally.killed:
                found.append(f"it survives every contradiction of the kind `{kind}` ({tally.total})")
            elif tally.survived:
                found.append(f"it survives {tally.survived} of {tally.total} contradictions of the kind `{kind}`")
        noticed = dict.fromkeys(odd.operator for odd in report.odd if odd.must is Must.SURVIVE)
        found += [f"it notices what does not concern it: {operator}" for operator in noticed]
        blind = [odd.what for odd in report.odd if odd.must is Must.REFUSE and odd.operator != _CONTROL]
        found += [f"it finds nothing wrong, and nothing else of its claim does, with {what}" for what in blind]
        if any(odd.operator == _CONTROL for odd in report.odd):
            found.append("it is met although its control shows nothing")
        return [*found, *(f"blind: {what}" for what in report.unseen)]
