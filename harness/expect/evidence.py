"""What a finding shows: events cut to what a person reads, and references put in words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from harness.events import EventView
from harness.expect.criteria import Category, parents
from harness.expect.items import SERVER_TID, Item, threadless
from harness.expect.select import Picker, Population
from harness.expect.values import is_number, thread_name
from harness.scenario.model import Selection
from harness.wording import nearest

MOST = 5  # events of a kind in one finding
_TEXT, _ELEMENTS, _DEPTH = 200, 5, 4


def view(item: Item, picker: Picker, note: str) -> EventView:
    thread = thread_name(item, picker.trace)
    if threadless(item):
        thread = "server log" if item.tid == SERVER_TID else "marks"
    return EventView(
        seq=item.seq,
        name=item.name,
        ph=item.ph,
        ts_us=item.ts,
        dur_us=item.dur,
        pid=item.pid,
        tid=item.tid,
        thread=thread,
        args=cut_value(item.args),
        parents=parents(item),
        note=note,
    )


def cut_value(value: Any, depth: int = 0) -> Any:
    """A copy that is small enough to print: long texts, long lists and deep objects are cut and say so."""
    match value:
        case str() if len(value) > _TEXT:
            return f"{value[:_TEXT]}… ({len(value)} characters)"
        case int() if not -(2**63) <= value < 2**64:
            return f"{float(value):.15g}" if is_number(value) else "a number beyond all arithmetic"  # no JSON of ours
        case list() | dict() if depth == _DEPTH and value:
            return "…"
        case list():
            more = [f"… {len(value) - _ELEMENTS} more"] if len(value) > _ELEMENTS else []
            return [cut_value(element, depth + 1) for element in value[:_ELEMENTS]] + more
        case dict():
            return {key: cut_value(element, depth + 1) for key, element in value.items()}
    return value


def matched(population: Population, items: Iterable[Item] | None = None, note: str = "matched") -> list[EventView]:
    """Views of the first events of a selection, or of `items` of it."""
    chosen = population.items if items is None else items
    return [view(item, population.picker, note) for item in islice(chosen, MOST)]


def near_misses(population: Population) -> tuple[list[EventView], list[str]]:
    """The events that came nearest to being selected, and what to look at when there was none at all."""
    missed = population.picker.near_misses(population, MOST)
    if missed:
        return [view(item, population.picker, f"missed: {reason}") for item, reason in missed], []
    selection, picker = _where_named(population)
    wanted = [name for name in selection.names if isinstance(name, str)]
    trace = picker.trace
    if not wanted or selection.source != "trace" or any(trace.by_name(name) for name in wanted):
        return [], []
    close = [near for name in wanted for near in nearest(name, trace.names, 3)]
    listed = ", ".join(f"{name} ({trace.count(name)})" for name in close)
    told = f"no event named {' or '.join(wanted)} is in the recording" + (f"; similar: {listed}" if close else "")
    whole = len(trace.events) == trace.size  # of a large trace only the named events are held: no telling
    if selection.cat and whole and not any(map(Category(selection.cat).accepts, trace.events)):
        told += f"; nor is any event of the category {selection.cat}: is it among the categories of `record`?"
    return [], [told]


def _where_named(population: Population) -> tuple[Selection, Picker]:
    """The selection that says the name: this one, or the nearest that it narrows; with the arm that is read for it."""
    selection, picker = population.selection, population.picker
    while not selection.names and (base := picker.select.get(selection.base or "")):
        selection, picker = base, picker.sibling(selection.arm)
    return selection, picker


def phrase(population: Population) -> str:
    """`forced` (Document::UpdateStyleAndLayout on page.main during reads..done)."""
    said = _selection(population.selection)
    return f"`{population.label}`" + (f" ({said})" if said else "")


def _selection(selection: Selection) -> str:
    nesting = (
        (words, name)
        for words, name in (
            ("inside", selection.inside),
            ("not inside", selection.not_inside),
            ("containing", selection.containing),
            ("not containing", selection.not_containing),
        )
        if name
    )
    parts = [
        " or ".join(getattr(name, "text", str(name)) for name in selection.names),
        f"name /{selection.name_matches}/" if selection.name_matches else "",
        f"gaps of `{selection.gaps_of}`" if selection.gaps_of else "",
        {"trace": "", "marks": "marks", "server": "requests"}[selection.source],
        f"on {selection.on}" if selection.on else "",
        f"during {selection.during.begin}..{selection.during.end}" if selection.during else "",
        *(f"{words} `{name}`" for words, name in nesting),
        f"where {', '.join(condition.path for condition in selection.where)}" if selection.where else "",
        f"take {selection.take}" if selection.take is not None else "",
    ]
    return " ".join(part for part in parts if part)
