"""What differs between attempts that met a claim and attempts that did not: which events, on which thread, in what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.compare import Difference, Side, compare_sides
from harness.compare.sides import Recorded
from harness.compare.vocabulary import Vocabulary, survey
from harness.stats import median
from harness.trace import Event, Trace, in_scope
from harness.trace.context import PageIdentity

CHANCE = 0.05  # a share of false alarms among what is told
_WHOLE = ("name", "count")  # kinds of differences that are told by thread and parent here


@dataclass(frozen=True, slots=True)
class Where:
    """Events of one name in one place. thread: a role such as `page.main`; parent: the name of the slice around it."""

    name: str
    thread: str
    parent: str
    arm: str


@dataclass(frozen=True, slots=True)
class Seen:
    """One attempt as it is compared: how many events there were in each place, the vocabulary of each arm's page."""

    counts: Counter[Where]
    vocabularies: tuple[tuple[str, Vocabulary], ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """met, unmet: attempts that have such events, of all; median_met, median_unmet: how many they have.

    q: the share of false alarms among differences as clear as this one (Benjamini and Hochberg, over Fisher's test of
    whether there are any and Mann and Whitney's of how many). needed: an expectation of the claim looks at the name.
    """

    where: Where
    met: tuple[int, int]
    unmet: tuple[int, int]
    median_met: float
    median_unmet: float
    q: float
    needed: bool

    @property
    def may_be_chance(self) -> bool:
        return self.q > CHANCE


def look(trace: Trace, page: PageIdentity, arm: str) -> Seen:
    """What a recording has, for `contrasts`."""
    named = _threads(trace, page)
    timed = [event for event in trace.events if event.kind != "metadata"]
    counts = Counter(Where(event.name, named(event), event.parent.name if event.parent else "", arm) for event in timed)
    vocabulary = survey(trace.events, in_scope("page", trace, page))
    return Seen(counts, ((arm, vocabulary),))


def joined(parts: Sequence[Seen]) -> Seen:
    """All recordings of one attempt."""
    counts: Counter[Where] = Counter()
    for part in parts:
        counts.update(part.counts)
    return Seen(counts, tuple(one for part in parts for one in part.vocabularies))


def contrasts(met: Sequence[Seen], unmet: Sequence[Seen], needed: Callable[[str], bool]) -> list[Contrast]:
    """Every place with a difference, the clearest first; among those as clear, what the claim looks at."""
    from scipy.stats import false_discovery_control

    places = dict.fromkeys(where for one in (*met, *unmet) for where in one.counts)
    found: list[tuple[float, Where, tuple[int, ...], tuple[int, ...]]] = []
    for where in places:
        there, here = (tuple(one.counts[where] for one in side) for side in (met, unmet))
        if {*there} != {*here} or len({*there}) > 1:
            found.append((_chance(tuple(sorted(there)), tuple(sorted(here))), where, there, here))
    if not found:
        return []
    shares = false_discovery_control([p for p, *_ in found])
    told = [
        Contrast(
            where=where,
            met=(sum(map(bool, there)), len(there)),
            unmet=(sum(map(bool, here)), len(here)),
            median_met=median(there),
            median_unmet=median(here),
            q=float(q),
            needed=needed(where.name),
        )
        for q, (_, where, there, here) in zip(shares, found, strict=True)
    ]
    return sorted((one for one in told if _differs(one)), key=_clearest)


def _differs(one: Contrast) -> bool:
    return one.median_met != one.median_unmet or one.met[0] * one.unmet[1] != one.unmet[0] * one.met[1]


def _clearest(one: Contrast) -> tuple[float, bool, float, str, str]:
    apart = abs(one.met[0] / one.met[1] - one.unmet[0] / one.unmet[1])
    return round(one.q, 6), not one.needed, -apart, one.where.name, one.where.thread


@cache
def _chance(there: tuple[int, ...], here: tuple[int, ...]) -> float:
    """How likely counts as far apart as these are, if both sides are the same."""
    from scipy.stats import fisher_exact, mannwhitneyu

    have = [[sum(map(bool, side)), sum(not one for one in side)] for side in (there, here)]
    number = mannwhitneyu(there, here, method="asymptotic").pvalue if len({*there, *here}) > 1 else 1.0
    return float(min(1.0, 2 * min(number, fisher_exact(have).pvalue)))


def inner_differences(met: Sequence[Seen], unmet: Sequence[Seen]) -> list[Difference]:
    """Arguments, types, phases and categories of the page's events that all of one side have and none of the other."""
    left, right = _side("met", met), _side("unmet", unmet)
    found = compare_sides(left, right, lambda name, path: ()).differences
    return [one for one in found if one.kind not in _WHOLE and not one.unstable]


def _side(label: str, seen: Sequence[Seen]) -> Side:
    arms = [part for one in seen for part in one.vocabularies]
    return Side(label, tuple(Recorded(Path(), arm, "", vocabulary) for arm, vocabulary in arms))


def _threads(trace: Trace, page: PageIdentity) -> Callable[[Event], str]:
    """The role of each thread, as scenarios write it; its name where it has no role."""
    known: dict[tuple[int, int], str] = {}

    def name(pid: int, tid: int) -> Iterator[str]:
        process, thread = trace.processes.get(pid), trace.threads.get((pid, tid))
        yield "page" if pid in page.pids else process.role if process else "?"
        if thread:
            yield thread.role if thread.role != "other" else thread.name or "?"

    def of(event: Event) -> str:
        if event.thread not in known:
            known[event.thread] = ".".join(name(*event.thread))
        return known[event.thread]

    return of
