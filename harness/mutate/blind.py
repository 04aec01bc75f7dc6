"""Contradictions of a query that looks for violations: what it reads is not there, so that it cannot find any.

What the SQL means nobody but the query knows, but this much follows from its form: with a table that is empty, or with
no value left at a path that it reads there, `rows: none` is met by any SQL that compares or joins, and says nothing. So
something has to notice: the query itself, its control, a precondition, or another expectation of the same claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from harness.errors import UserError
from harness.expect import Recording, evaluate, evaluate_require
from harness.expect.values import parse_path, values_at
from harness.mutate.edit import Impossible, drop, put_in_each
from harness.mutate.generic import looked_at
from harness.mutate.looks import allows_only, read_of
from harness.mutate.mutant import Must, Mutant
from harness.mutate.subject import Edits, Played, Subject
from harness.mutate.values import MISSING, fits
from harness.scenario.model import Case, Expectation, Form, Query
from harness.verdict import Outcome

PATHS: Final = 8


def blinded(subject: Subject) -> Iterator[Mutant]:
    """Each table of the query without its events, then without each of the values that the query reads there."""
    form = subject.expectation.form
    if not isinstance(form, Query) or not takes_none(form):
        return
    tables = dict.fromkeys((ref, key) for ref, key in looked_at(subject) if isinstance(ref, str))
    for table, key in tables:
        paths = [path for path in read_of(form, table, [one for one, _ in tables]) if path.startswith("args.")][:PATHS]
        members, tape = subject.members(table, key), subject.tapes[key]
        if not members or members[0].source == "gap" or allows_only(form, table):
            continue
        where = f"`{table}`" if len(subject.expectation.arms) < 2 else f"`{table}` of {key[0]}"
        yield Mutant("drop a table", Must.REFUSE, f"nothing in {where}", {key: drop(tape, members)})
        for path in paths:
            parsed = parse_path(path)
            holding = [m for m in members if values_at(m.item, parsed, subject.trace(m.key))]
            try:
                without = put_in_each(tape, holding, path, [MISSING] * len(holding), subject.trace(key))
            except Impossible:
                continue
            if holding:
                yield Mutant("delete an argument in all", Must.REFUSE, f"no {path} in {where}", {key: without})


def takes_none(form: Form) -> bool:
    """Whether it is a query that is met by no rows."""
    return isinstance(form, Query) and (form.rows == () or (form.count is not None and fits(form.count, 0)))


class Claims:
    """All that decides the claims of one expectation: preconditions, and what else a scenario expects for them."""

    def __init__(self, case: Case, expectation: Expectation) -> None:
        theirs = [one for one in case.expect if set(one.claims) & set(expectation.claims)]
        theirs.sort(key=lambda one: one is not expectation)  # itself first: it most likely refuses
        self.asked = (*theirs, *case.require)
        self._required = [replace(case, expect=(), require=(one,)) for one in case.require]
        self._expected = [replace(case, expect=(one,), require=()) for one in theirs]

    def met(self, played: Played, edits: Edits) -> bool:
        """Whether the attempt would still be valid and every expectation of these claims met."""
        changed = {**played.recordings, **{key: tape.recording() for key, tape in edits.items()}}
        arms: dict[str, list[Recording]] = {}
        for (arm, _), recording in sorted(changed.items(), key=lambda entry: entry[0][1]):
            arms.setdefault(arm, []).append(recording)
        try:
            expected = (finding for case in self._expected for finding in evaluate(case, arms))
            required = (finding for case in self._required for finding in evaluate_require(case, arms))
            return all(finding.outcome is Outcome.MET for finding in chain(expected, required))
        except UserError:  # the SQL itself fails on it: told
            return False
