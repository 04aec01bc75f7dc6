"""Changes that no expectation may notice: the order of lines in the file, another process, events of no concern."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.mutate.edit import drop
from harness.mutate.looks import WHOLE_TABLES, chain, forms_of, refs_of, selections_of, tables_of
from harness.mutate.mutant import Must, Mutant
from harness.mutate.subject import Subject
from harness.mutate.tape import Line, Tape
from harness.roles import parse_role
from harness.scenario.model import Query, Selection

NOISE: Final = "TraceproofNoise"
_OTHER_PROCESS: Final = 4_190_000
# Roles that a further renderer does not play.
_BOUND: Final = ("page", "frames", "child-frames", "browser", "gpu", "utility")


def neutral(subject: Subject) -> Iterator[Mutant]:
    """Mutants that must survive. What an expectation does look at (all of the trace, any process) is left alone."""
    expectation = subject.expectation
    queries = [form for form in forms_of(expectation) if isinstance(form, Query)]
    tables = {table for form in queries for _, table in tables_of(form, subject.case.select, subject.case.arms)}
    selections = selections_of(forms_of(expectation), subject.case.select, subject.case.arms)
    roots = [chain(one, subject.case.select)[-1] for one in selections]
    traced = [one for one in roots if one.source == "trace" and one.gaps_of is None]
    for key, tape in subject.tapes.items():
        # Between a flow's two ends at one moment on two threads only the file tells which came first.
        if "flows" not in tables:
            yield Mutant(
                "reorder the file", Must.SURVIVE, "thread by thread, moments out of order", {key: _reordered(tape)}
            )
            yield Mutant(
                "reorder equal times", Must.SURVIVE, "equal times of two threads exchanged", {key: _ties(tape)}
            )
        if not tables.intersection(WHOLE_TABLES):
            if all(parse_role(one.on or "page").process in _BOUND for one in traced):
                yield Mutant(
                    "add a process",
                    Must.SURVIVE,
                    "a renderer with a copy of each event of the page",
                    {key: _another_process(tape)},
                )
            if not any(_takes_noise(one) for one in traced):
                yield Mutant(
                    "add unrelated events", Must.SURVIVE, f"instants {NOISE} on all threads", {key: _noise(tape)}
                )


def controls_broken(subject: Subject) -> Iterator[Mutant]:
    """Each control with nothing left to show: what rests on it may not be met any more."""
    for form in subject.expectation.control:
        for ref in refs_of(form):
            for key in subject.keys_of(ref)[:1]:
                members = subject.members(ref, key)
                if members:
                    at = members[0].key
                    yield Mutant(
                        "drop the control",
                        Must.REFUSE,
                        f"all {len(members)} of `{ref.name}`",
                        {at: drop(subject.tapes[at], members)},
                    )


def _reordered(tape: Tape) -> Tape:
    """Threads one after the other, and on each the moments shuffled; what shares a moment stays in its order."""
    rng = random.Random(4)
    threads: dict[tuple[int, int], list[int]] = {}
    for index, line in enumerate(tape.lines):
        if line.ph != "M":
            threads.setdefault((line.pid, line.tid), []).append(index)
    size = max((max(line.place, line.end_place) for line in tape.lines), default=0.0) + 2
    base, changes = size, dict[int, Line | None]()
    for mine in rng.sample(list(threads.values()), len(threads)):
        moments = list(dict.fromkeys(tape.lines[index].ts for index in mine))
        # Where begins and ends are records of their own, their order tells what an event at the same time is inside of.
        if not any(tape.lines[index].end_place >= 0 for index in mine):
            rng.shuffle(moments)
        else:
            moments = [0.0]
        rank = {ts: number * size for number, ts in enumerate(moments)}
        for index in mine:
            line = tape.lines[index]
            changes[index] = _at(line, base + rank.get(line.ts, 0.0))
        base += size * len(moments)
    return tape.change(changes)


def _at(line: Line, further: float) -> Line:
    end_place = line.end_place + further if line.end_place >= 0 else line.end_place
    return replace(line, place=line.place + further, end_place=end_place)


def _ties(tape: Tape) -> Tape:
    """Where events of several threads share a moment, the threads come in the other order."""
    moments: dict[float, list[int]] = {}
    for index, line in enumerate(tape.lines):
        if line.ph != "M" and line.end_place < 0:
            moments.setdefault(line.ts, []).append(index)
    changes: dict[int, Line | None] = {}
    for tied in moments.values():
        threads = list(dict.fromkeys((tape.lines[i].pid, tape.lines[i].tid) for i in tied))
        if len(threads) > 1:
            places = sorted(tape.lines[i].place for i in tied)
            inverted = sorted(
                tied, key=lambda i: (-threads.index((tape.lines[i].pid, tape.lines[i].tid)), tape.lines[i].place)
            )
            changes |= {i: replace(tape.lines[i], place=place) for i, place in zip(inverted, places, strict=True)}
    return tape.change(changes)


def _another_process(tape: Tape) -> Tape:
    """A renderer that wrote what the page's processes wrote, with flows and spans of its own."""
    pids = tape.context.page.frame_pids if tape.context.page else set()
    added = [
        replace(
            line,
            pid=_OTHER_PROCESS + line.pid % 1000,
            place=line.place + 0.5,
            end_place=line.end_place + 0.5 if line.end_place >= 0 else -1.0,
            id=f"{line.id}~other" if line.id else "",
            bind_id=f"{line.bind_id}~other" if line.bind_id else "",
        )
        for line in tape.lines
        if line.pid in pids
    ]
    return tape.change({}, added)


def _takes_noise(selection: Selection) -> bool:
    if selection.names:
        return False
    return selection.name_matches is None or re.search(selection.name_matches, NOISE) is not None


def _noise(tape: Tape) -> Tape:
    """An instant of another name right behind some events of each thread; a point holds nothing and covers nothing."""
    lines = [line for line in tape.lines if line.ph in ("X", "B", "I")]
    added = [
        Line(line.place + 0.4, NOISE, "traceproof", "I", line.ts, None, line.pid, line.tid, {}, scope="t")
        for line in lines[:: max(len(lines) // 50, 1)]
    ]
    return tape.change({}, added)
