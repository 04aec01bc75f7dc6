"""What contradicts an expectation, by its form: mutants that must kill it, built without asking how it is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from harness.mutate.forms.count import count, none_of
from harness.mutate.forms.each import each
from harness.mutate.forms.numbers import compare
from harness.mutate.forms.pairs import join, same
from harness.mutate.forms.sequence import alternate, order
from harness.mutate.mutant import Mutant
from harness.mutate.subject import Key, Subject
from harness.scenario import model

_FORMS: Final[dict[type, Callable[[Subject, Any, Key], Iterator[Mutant]]]] = {
    model.Count: count,
    model.NoneOf: none_of,
    model.Each: each,
    model.Order: order,
    model.Alternate: alternate,
    model.Join: join,
    model.Same: same,
    model.Compare: compare,
}


def contradictions(subject: Subject) -> Iterator[Mutant]:
    """Mutants of each arm that the form names. What a query means is in its SQL alone, so it has none here."""
    form = subject.expectation.form
    make = _FORMS.get(type(form))
    if make is None:
        return
    for number, arm in enumerate(subject.expectation.arms):
        # A form is asked of every block; one of them is enough to contradict it.
        key = (arm, number % subject.blocks)
        if key in subject.tapes:
            yield from make(subject, form, key)
