"""Whether what an expectation speaks of is ever there: a misspelt name or argument is absent wherever one looks.

An absence is told from a slip of the pen by a presence: in the recording of any arm, on whichever event, or in what
another scenario finds there (of another build, say), which would not be met if it were misspelt too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.errors import UserError
from harness.expect.items import Item, requests
from harness.expect.recording import NotShown, Unanswerable
from harness.expect.templates import resolve
from harness.expect.values import ValuePath, parse_path, values_at
from harness.mutate.looks import (
    CONTEXT_TABLES,
    WHOLE_TABLES,
    forms_of,
    paths_of,
    refs_of,
    selections_of,
    tables_of,
)
from harness.mutate.subject import Key, Member, Subject
from harness.mutate.values import fits
from harness.scenario.model import (
    Case,
    Compare,
    Condition,
    Count,
    Each,
    Form,
    NoneOf,
    Place,
    Query,
    Ref,
    Selection,
)
from harness.scenario.runtime import Steps
from harness.trace import Event, Trace
from harness.trace.context import RecordingContext

_OF_A_GAP = re.compile(r"args\.(?:previous|next)(?:\.(.+))?")
_NAMED = re.compile(r"(?<![\w.])(?:\w+\.)?name\s*(?:=|<>|!=|in|not\s+in)\s*\(?\s*((?:'[^']+'\s*,?\s*)+)", re.IGNORECASE)
_LIKE = re.compile(r"(?<![\w.])(?:\w+\.)?name\s+(?:not\s+)?(i?)like\s*'((?:[^']|'')+)'", re.IGNORECASE)
_MADE_HERE = ("args.overlap",)  # on gaps by the lab itself


@dataclass(slots=True)
class Known:
    """Names of events, paths of arguments and texts there that expectations of some scenarios cannot be met without."""

    names: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    values: set[tuple[str, str]] = field(default_factory=set)


def documented(cases: Iterable[Case], doubtful: Collection[str] = ()) -> Known:
    """What the scenarios find somewhere. `doubtful`: claims that are not met, so that they show of nothing."""
    known = Known()
    for case in cases:
        for expectation in (*case.require, *case.expect):
            if set(doubtful).intersection(expectation.claims):
                continue
            for form in forms_of(expectation):
                for selection in _needed(form, case.select):
                    known.names.update(name for name in selection.names if isinstance(name, str))
                    known.paths.update(_found(selection.where))
                    known.values.update((path, value) for path, value, _ in _texts(selection.where))
                if isinstance(form, Each):
                    known.paths.update(_found(form.has))
                    known.values.update((path, value) for path, value, _ in _texts(form.has))
    return known


def _needed(form: Form, select: Mapping[str, Selection]) -> Iterator[Selection]:
    """The selections without whose events a form is not met, with those that these are made from."""
    waiting = [ref.narrowed or select[ref.name] for ref in _needed_refs(form)]
    while waiting:
        selection = waiting.pop()
        yield selection
        names = (selection.base, selection.gaps_of, selection.inside, selection.containing)
        waiting += [select[name] for name in names if name is not None]


def _needed_refs(form: Form) -> list[Ref]:
    match form:
        case Count():
            return [] if fits(form.test, 0) else [form.of]
        case NoneOf() | Compare():  # a sum of nothing is a number too
            return []
        case Each():
            inner = [one.of for one in form.contains if one.equals_path is None and not fits(one.test, 0)]
            around = (form.inside, form.parent, form.after, form.before)
            return [form.of, *(ref for ref in around if ref), *inner]
        case _:
            return refs_of(form)


def _found(conditions: Iterable[Condition]) -> Iterator[str]:
    for condition in conditions:
        if _asks_for_none(condition):
            continue
        yield condition.path
        for test in condition.tests:
            if test.op == "keys":
                yield from (f"{condition.path}.{key}" for key in test.operand)


def _texts(conditions: Iterable[Condition]) -> Iterator[tuple[str, str, Place]]:
    """The texts that values of arguments are asked to be, each with its path and place."""
    for condition in conditions:
        if not condition.path.startswith("args"):
            continue
        for test in condition.tests:
            asked = test.operand if test.op == "one_of" else (test.operand,) if test.op == "is" else ()
            yield from (
                (condition.path, one, condition.at) for one in asked if isinstance(one, str) and "${" not in one
            )


def _asks_for_none(condition: Condition) -> bool:
    presence = [test for test in condition.tests if test.op in ("present", "absent")]
    return any(bool(test.operand) == (test.op == "absent") for test in presence)


def unseen(subject: Subject, sight: Sight, known: Known) -> list[str]:
    """What a met expectation speaks of and no event of the attempt has ever had, each with its place."""
    found = dict[str, None]()
    for path, at in _paths(subject):
        if path not in known.paths and not sight.has(path):
            found.setdefault(f"path never seen: {path} ({at})")
    for form in forms_of(subject.expectation):
        for path in _of_no_table(subject, form) if isinstance(form, Query) else ():
            if path not in known.paths:
                found.setdefault(f"path never seen in a table of the query: {path} ({subject.expectation.at})")
    for path, value, at in _values(subject):
        if (path, value) not in known.values and not sight.holds(path, value):
            found.setdefault(f"value never seen: {path} is {json.dumps(value)} ({at})")
    for name, at in _names(subject):
        if name not in known.names and name not in sight.names:
            found.setdefault(f'name never seen: "{name}" ({at})')
    for pattern, at in _patterns(subject):
        if not any(re.search(pattern, name) for name in (*known.names, *sight.names)):
            found.setdefault(f"no name was ever seen that matches /{pattern}/ ({at})")
    return list(found)


def _paths(subject: Subject) -> Iterator[tuple[str, Place]]:
    """Every path to an argument, from the text of a query as far as it shows them."""
    forms, case = forms_of(subject.expectation), subject.case
    for form in forms:
        placed = {condition.path: condition.at for condition in form.has} if isinstance(form, Each) else {}
        for path in paths_of(form):
            if path.startswith("args."):
                yield path, placed.get(path, subject.expectation.at)
    for selection in selections_of(forms, case.select, case.arms):
        yield from ((c.path, c.at) for c in selection.where if c.path.startswith("args."))
        yield from ((path, selection.at) for path in selection.by if path.startswith("args."))


def _of_no_table(subject: Subject, form: Query) -> Iterator[str]:
    """Paths that a query reads and no event of any of its tables has: NULL in every row, which no test is met by."""
    tables = {table for _, table in tables_of(form, subject.case.select, subject.case.arms)}
    if tables.intersection(WHOLE_TABLES) or tables.intersection(CONTEXT_TABLES):
        return
    members = [
        (one, subject.trace(key)) for table in tables for key in subject.tapes for one in _taken(subject, table, key)
    ]
    for path in paths_of(form):
        if path.startswith("args.") and not any(values_at(one.item, parse_path(path), trace) for one, trace in members):
            yield path


def _names(subject: Subject) -> Iterator[tuple[str, Place]]:
    for selection in _empty(subject):
        for key in subject.tapes:
            yield from ((str(resolve(n, subject.tapes[key].context)), selection.at) for n in selection.names)
    for form in forms_of(subject.expectation):
        if isinstance(form, Query):
            for listed in _NAMED.findall(form.sql):
                yield from ((name, subject.expectation.at) for name in re.findall(r"'([^']+)'", listed))


def _values(subject: Subject) -> Iterator[tuple[str, str, Place]]:
    """What the selections that take nothing ask values to be: another one would be absent just so."""
    for selection in _empty(subject):
        yield from _texts(selection.where)


def _patterns(subject: Subject) -> Iterator[tuple[str, Place]]:
    for selection in _empty(subject):
        if selection.name_matches is not None:
            yield selection.name_matches, selection.at
    for form in forms_of(subject.expectation):
        if isinstance(form, Query):
            for blind, liked in _LIKE.findall(form.sql):
                yield _regex(liked.replace("''", "'"), bool(blind)), subject.expectation.at


def _regex(liked: str, blind: bool) -> str:
    """What SQL's `like` takes, as a regular expression; `blind` to case."""
    letters = {"%": ".*", "_": "."}
    return f"{'(?i)' if blind else ''}^{''.join(letters.get(one, re.escape(one)) for one in liked)}$"


def _empty(subject: Subject) -> list[Selection]:
    """The selections that take nothing in any recording of the attempt: the others' names are there."""
    case, found = subject.case, dict[int, tuple[Selection, Ref | str]]()
    for form in forms_of(subject.expectation):
        refs: list[Ref | str] = [*refs_of(form)]
        if isinstance(form, Query):
            refs += [table for _, table in tables_of(form, case.select, case.arms) if table in case.select]
        for ref in refs:
            selection = subject.selection(ref)
            found[id(selection)] = selection, ref
            found |= {id(case.select[name]): (case.select[name], name) for name in subject.below(selection)}
    return [selection for selection, ref in found.values() if not _takes_any(subject, ref)]


def _takes_any(subject: Subject, ref: Ref | str) -> bool:
    return any(_taken(subject, ref, key) for key in subject.tapes)


def _taken(subject: Subject, ref: Ref | str, key: Key) -> list[Member]:
    try:
        return subject.members(ref, key)
    except (UserError, Unanswerable, NotShown):
        return []


class Sight:
    """All events, requests and marks of the recordings of an attempt."""

    def __init__(self, traces: Iterable[Trace], contexts: Iterable[RecordingContext]) -> None:
        self._traces, self._requests, self._told = list(traces), list[Item](), dict[str, bool]()
        self.names = {event.name for trace in self._traces for event in trace.events}
        for context in contexts:
            self._requests += requests(context)
            self.names.update(mark.name for mark in context.marks)
        self.names.update(one.name for one in self._requests)

    def holds(self, path: str, value: str) -> bool:
        """Whether anything has this value there."""
        parsed = parse_path(path)
        quoted = json.dumps(value, ensure_ascii=False).encode()[1:-1]
        if any(value in values_at(one, parsed, self._traces[0]) for one in self._requests):
            return True
        return any(
            value in values_at(event, parsed, trace)
            for trace in self._traces
            for event in trace.events
            if b"\\" in (raw := bytes(event.raw_args)) or quoted in raw
        )

    def has(self, path: str) -> bool:
        """Whether anything has a value there, or at least its parent there and elsewhere an argument of its name."""
        if path not in self._told:
            self._told[path] = self._has(path)
        return self._told[path]

    def _has(self, path: str) -> bool:
        if path in _MADE_HERE:
            return True
        if inner := _OF_A_GAP.fullmatch(path):
            return inner[1] is None or self.has(f"args.{inner[1]}")
        steps = parse_path(path).steps
        while steps and not isinstance(steps[-1], str):
            steps = steps[:-1]
        if not steps or self._holds(steps):
            return True
        above = steps[:-1]
        while above and not isinstance(above[-1], str):
            above = above[:-1]
        return any(self._mentioning(steps[-1])) and (not above or self._holds(above))

    def _holds(self, steps: Steps) -> bool:
        whole = ValuePath("", "args", steps)
        if any(values_at(one, whole, self._traces[0]) for one in self._requests):
            return True
        return any(values_at(event, whole, trace) for event, trace in self._mentioning(steps[-1]))

    def _mentioning(self, key: str | int | None) -> Iterator[tuple[Event, Trace]]:
        """The events among whose arguments, at any depth, a key of this name stands: few are decoded for the rest."""
        quoted = json.dumps(key).encode()
        keyed = re.compile(re.escape(quoted) + rb"\s*:")
        for trace in self._traces:
            for event in trace.events:
                raw = bytes(event.raw_args)
                if quoted in raw and keyed.search(raw):
                    yield event, trace
