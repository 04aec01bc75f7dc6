"""A comparison as lines of plain text: one screen, or everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.compare.difference import KINDS, Comparison, Difference, Kind, Presence
from harness.compare.sides import Side
from harness.wording import plural

SHOWN_DEPENDENT = 10  # differences that claims depend on
SHOWN_OTHER = 8
_CLAIMS = 3
_WORDS: dict[Kind, str] = {
    "name": "event",
    "phase": "phase",
    "category": "category",
    "path": "argument",
    "type": "type",
    "share": "share of events with an argument",
    "count": "number of events",
}


def told(comparison: Comparison, *, everything: bool = False) -> list[str]:
    """What was compared, then the differences that claims depend on, then the others, each the most telling first."""
    lines = [*_side("left", comparison.left), *_side("right", comparison.right), *_compared(comparison)]
    needed = [one for one in comparison.differences if one.claims]
    others = [one for one in comparison.differences if not one.claims]
    if not comparison.differences:
        return [*lines, "", "no difference in names, categories, phases, arguments or types"]
    lines += ["", f"claims depend on these ({_counted(needed)})" if needed else "no claim depends on what differs"]
    lines += _rows(needed, len(needed) if everything else SHOWN_DEPENDENT)
    if others:
        lines += ["", f"no claim depends on these ({_counted(others)})"]
        lines += _rows(others, len(others) if everything else SHOWN_OTHER)
    return lines


def _side(name: str, side: Side) -> Iterator[str]:
    yield f"{name:<6} {side.label}: {plural(len(side.recordings), 'recording')}"
    for made, number in side.made.items():
        yield f"       {f'{number} by ' if len(side.made) > 1 else ''}{made}"
    for path in side.refused:
        yield f"       left out, since it lost data: {path}"


def _compared(comparison: Comparison) -> Iterator[str]:
    if comparison.groups:
        yield f"pairs  {plural(len(comparison.groups), 'arm')} of scenarios that both have"
    for name, groups in (("left", comparison.left_only), ("right", comparison.right_only)):
        if groups and comparison.groups:
            yield f"       only {name}, not compared: {_listed(groups)}"
    if not comparison.groups and (comparison.left_only or comparison.right_only):
        yield "pairs  none: the sides share no arm of a scenario, so all of one is compared with all of the other"
    if min(len(comparison.left.recordings), len(comparison.right.recordings)) == 1:
        yield "note   a side with one recording cannot tell chance from difference; compare sets of three or more"


def _rows(differences: Sequence[Difference], most: int) -> Iterator[str]:
    shown = differences[:most]
    head = [f"{one.sign} {one.name}{f'  {one.what}' if one.what else ''}{_below(one)}" for one in shown]
    width = min(max(map(len, head), default=0), 76)
    for text, one in zip(head, shown, strict=True):
        yield f"  {text:<{width}}  {_both(one)}{'  unstable' if one.unstable else ''}"
        if one.claims:
            yield f"      {_listed(one.claims)}"
    if len(differences) > most:
        yield f"  … and {len(differences) - most} more: --all"


def difference_line(one: Difference) -> str:
    """`- ParseHTML  args.endData.endLine  in 3 of 3 vs 0 of 3, 100% of 6 events`"""
    return f"{one.sign} {one.name}{f'  {one.what}' if one.what else ''}{_below(one)}  {_both(one)}"


def _below(one: Difference) -> str:
    return f" (+{one.below} below)" if one.below else ""


def _both(one: Difference) -> str:
    """`in 3 of 3 vs 0 of 3`, with the share or number of events where that is what tells."""
    if one.kind == "count":
        return f"{one.left.events} events vs {one.right.events}"
    if one.kind == "share":
        return f"{_percent(one.left)} of {one.left.among} events vs {_percent(one.right)} of {one.right.among}"
    sides = f"in {_of(one.left)} vs {_of(one.right)}"
    richer = max(one.left, one.right, key=lambda side: side.events)
    if one.kind == "name":
        return f"{sides}, {plural(richer.events, 'event')}"
    if one.kind == "type":
        return sides
    return f"{sides}, {_percent(richer)} of {plural(richer.among, 'event')}"


def _percent(side: Presence) -> str:
    """Never 0 % of some or 100 % of less than all."""
    if 0 < side.share < 0.01:
        return "<1%"
    return ">99%" if 0.99 < side.share < 1 else f"{side.share:.0%}"


def _of(side: Presence) -> str:
    return f"{side.recordings} of {side.of}"


def _counted(differences: Iterable[Difference]) -> str:
    kinds = [one.kind for one in differences]
    return ", ".join(f"{_WORDS[kind]} {kinds.count(kind)}" for kind in KINDS if kind in kinds)


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _CLAIMS} more" if len(words) > _CLAIMS else ""
    return ", ".join(words[:_CLAIMS]) + more
