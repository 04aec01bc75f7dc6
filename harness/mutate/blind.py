"""Contradictions of a query that looks for violations: what it reads is not there, so that it cannot find any.

What the SQL means nobody but the query knows, but this much follows from its form: with a table that is empty, or with
no value left at a path that it reads there, `rows: none` is met by any SQL that compares or joins, and says nothing. So
something has to notice: the query itself, its control, a precondition, or another expectation of the same claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from harness.errors import UserError
from harness.expect import Recording, evaluate, evaluate_require
from harness.expect.values import parse_path, values_at
from harness.mutate.edit import Impossible, drop, put
from harness.mutate.generic import looked_at
from harness.mutate.looks import paths_of
from harness.mutate.mutant import Must, Mutant
from harness.mutate.subject import Edits, Key, Subject
from harness.mutate.values import MISSING, fits
from harness.scenario.model import Case, Expectation, Query
from harness.verdict import Outcome

PATHS: Final = 8


def blinded(subject: Subject) -> Iterator[Mutant]:
    """Each table of the query without its events, then without each of the values that the query reads there."""
    form = subject.expectation.form
    if not isinstance(form, Query) or not _takes_none(form):
        return
    paths = [path for path in paths_of(form) if path.startswith("args.")][:PATHS]
    for table, key in dict.fromkeys((ref, key) for ref, key in looked_at(subject) if isinstance(ref, str)):
        members, tape = subject.members(table, key), subject.tapes[key]
        if not members or members[0].source == "gap":
            continue
        where = f"`{table}`" if len(subject.expectation.arms) < 2 else f"`{table}` of {key[0]}"
        yield Mutant("drop a table", Must.REFUSE, f"nothing in {where}", {key: drop(tape, members)})
        for path in paths:
            parsed = parse_path(path)
            holding = [m for m in members if values_at(m.item, parsed, subject.trace(m.key))]
            try:
                without = tape
                for member in holding:
                    without = put(without, member, path, MISSING, subject.trace(member.key))
            except Impossible:
                continue
            if holding:
                yield Mutant("delete an argument in all", Must.REFUSE, f"no {path} in {where}", {key: without})


def _takes_none(form: Query) -> bool:
    return form.rows == () or (form.count is not None and fits(form.count, 0))


class Claims:
    """All that decides the claims of one expectation: preconditions, and what else a scenario expects for them."""

    def __init__(self, case: Case, expectation: Expectation, recordings: Mapping[Key, Recording]) -> None:
        theirs = tuple(one for one in case.expect if set(one.claims) & set(expectation.claims))
        self._case = replace(case, expect=theirs)
        self._recordings = dict(recordings)

    def met(self, edits: Edits) -> bool:
        """Whether the attempt would still be valid and every expectation of these claims met."""
        changed = {**self._recordings, **{key: tape.recording() for key, tape in edits.items()}}
        arms: dict[str, list[Recording]] = {}
        for (arm, _), recording in sorted(changed.items(), key=lambda entry: entry[0][1]):
            arms.setdefault(arm, []).append(recording)
        try:
            findings = [*evaluate_require(self._case, arms), *evaluate(self._case, arms)]
        except UserError:  # the SQL itself fails on it: told
            return False
        return all(finding.outcome is Outcome.MET for finding in findings)
