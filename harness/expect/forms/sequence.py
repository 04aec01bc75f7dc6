"""`order` and `alternate`: what comes before what."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from harness.events import Measure
from harness.expect.evidence import MOST, near_misses, phrase, view
from harness.expect.forms.result import Result, Scope
from harness.expect.grouping import Grouping
from harness.expect.items import Item
from harness.expect.measures import counted, sizes
from harness.expect.select import Population
from harness.expect.timing import ends_before, in_time_order, same_thread, starts_before
from harness.scenario.model import Alternate, Order, Ref
from harness.wording import plural

Problem = tuple[str, Sequence[Item]]  # what is out of order, and the events that show it
Group = tuple[str, list[list[Item]]]  # its label, and its events of each selection in order of time


def order(form: Order, scope: Scope) -> Result:
    populations = _populations(form.of, scope)
    asked = f"asked for {' before '.join(map(phrase, populations))}{_for_each(form.by)}"
    if empty := _nothing(populations, asked):
        return empty
    groups = _groups(populations, form.by, form.of)
    names = [population.label for population in populations]
    check = _all_before if form.match == "all" else _pairwise_before
    problems = [
        (f"{label}{text}", events)
        for label, members in groups
        for (a, b), (earlier, later) in zip(pairwise(names), pairwise(members), strict=True)
        for text, events in check(form.edge, a, b, earlier, later)
    ]
    return _answer(asked, problems, populations)


def alternate(form: Alternate, scope: Scope) -> Result:
    populations = _populations(form.of, scope)
    asked = f"asked for {' and '.join(map(phrase, populations))} in turn{_for_each(form.by)}"
    if empty := _nothing(populations, asked):
        return empty
    first, second = (population.label for population in populations)
    problems = [
        (f"{label}{text}", events)
        for label, (firsts, seconds) in _groups(populations, form.by, form.of)
        for text, events in _not_in_turn(first, second, firsts, seconds, form.tail == "open")
    ]
    return _answer(asked, problems, populations)


def _for_each(by: tuple[str, ...]) -> str:
    return f" for each {', '.join(by)}" if by else ""


def _populations(refs: Sequence[Ref], scope: Scope) -> list[Population]:
    first = scope.population(refs[0])
    return [first, *(scope.same_recording(ref, first) for ref in refs[1:])]


def _nothing(populations: list[Population], asked: str) -> Result | None:
    """Order over nothing shows nothing."""
    total = sum(population.size for population in populations)
    for population in populations:
        if not population.items:
            misses, hints = near_misses(population)
            summary = f"{asked}; there is no `{population.label}`"
            return Result(False, summary, hints, total, misses=misses, measures=sizes(populations))
    return None


def _groups(populations: list[Population], by: tuple[str, ...], refs: Sequence[Ref]) -> list[Group]:
    groups: dict[Hashable, Group] = {}
    for index, (population, ref) in enumerate(zip(populations, refs, strict=True)):
        grouping = Grouping(by, ref.at, population.picker.trace)
        for item in in_time_order(population.items):
            key = grouping.of(item)
            if key not in groups:
                label = grouping.label(item)
                groups[key] = f"{label}: " if label else "", [[] for _ in populations]
            groups[key][1][index].append(item)
    return list(groups.values())


def _all_before(edge: str, a: str, b: str, earlier: list[Item], later: list[Item]) -> Iterator[Problem]:
    if not earlier or not later:
        yield f"there is no `{b if earlier else a}`", (earlier or later)[:1]
        return
    # Only the last of one and the first of the other can break it; several are tied for that place at times.
    moment: Callable[[Item], float] = attrgetter("ts" if edge == "start" else "end")
    end, start = max(map(moment, earlier)), min(item.ts for item in later)
    last = [item for item in earlier if moment(item) == end]
    first = [item for item in later if item.ts == start]
    yield from (_out_of_order(edge, a, b, x, y) for x in last for y in first if not _precedes(edge, x, y))


def _pairwise_before(edge: str, a: str, b: str, earlier: list[Item], later: list[Item]) -> Iterator[Problem]:
    if len(earlier) != len(later):
        yield f"{len(earlier)} `{a}` and {len(later)} `{b}` make no pairs", (earlier + later)[-1:]
        return
    yield from (
        _out_of_order(edge, a, b, x, y) for x, y in zip(earlier, later, strict=True) if not _precedes(edge, x, y)
    )


def _precedes(edge: str, a: Item, b: Item) -> bool:
    return starts_before(a, b) if edge == "start" else ends_before(a, b)


def _out_of_order(edge: str, a: str, b: str, x: Item, y: Item) -> Problem:
    moment, verb = (x.ts, "starts") if edge == "start" else (x.end, "ends")
    if x is y:
        return f"one event is both `{a}` and `{b}`", [x]
    tie = " on another thread, which gives no order" if moment == y.ts and not same_thread(x, y) else ""
    return f"`{a}` {verb} at {moment:.15g}, not before `{b}` starts at {y.ts:.15g}{tie}", [x, y]


def _not_in_turn(a: str, b: str, firsts: list[Item], seconds: list[Item], open_tail: bool) -> Iterator[Problem]:
    """The first thing that is wrong in one group; what follows is wrong because of it."""
    is_first = {id(item) for item in firsts}
    if both := [item for item in seconds if id(item) in is_first]:
        yield f"one event is both `{a}` and `{b}`", both[:1]
        return
    turns = in_time_order([*firsts, *seconds])
    for index, item in enumerate(turns):
        if (id(item) in is_first) != (index % 2 == 0):
            wanted, found = (a, b) if index % 2 == 0 else (b, a)
            where = f"after {turns[index - 1].ts:.15g}" if index else "at the beginning"
            yield f"{where} comes `{found}` at {item.ts:.15g}, not `{wanted}`", turns[max(index - 1, 0) : index + 1]
            return
        if index and item.ts == turns[index - 1].ts and not same_thread(item, turns[index - 1]):
            tie = f"`{a}` and `{b}` tie at {item.ts:.15g} on different threads, which gives no order"
            yield tie, turns[index - 1 : index + 1]
            return
    if len(turns) % 2 and not open_tail:
        yield f"the last `{a}` at {turns[-1].ts:.15g} has no `{b}`", turns[-1:]


def _answer(asked: str, problems: list[Problem], populations: list[Population]) -> Result:
    picker = populations[0].picker
    total = sum(population.size for population in populations)
    if problems:
        shown = [view(item, picker, f"missed: {text}") for text, events in problems for item in events][:MOST]
        summary = f"{asked}; {plural(len(problems), 'place')} where not, the first: {problems[0][0]}"
        details = [text for text, _ in problems[:10]]
        return Result(False, summary, details, total, misses=shown, measures=_measures(problems, populations))
    said = " and ".join(f"{population.size:,} `{population.label}`" for population in populations)
    shown = [view(item, picker, "matched") for population in populations for item in population.items[:2]]
    measures = _measures(problems, populations)
    return Result(True, f"{asked}; so are all {said}", [], total, shown[:MOST], measures=measures)


def _measures(problems: Sequence[Problem], populations: list[Population]) -> tuple[Measure, ...]:
    return counted("places where not", len(problems), ""), *sizes(populations)
