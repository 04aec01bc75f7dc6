"""An ablation as lines of plain text, and for a program."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.compare.ablation import Ablation, Cell, EventAnswer
from harness.compare.vocabulary import parent_path

_ARGUMENTS = 12


def ablation_lines(ablation: Ablation, kinds: Mapping[str, str], *, everything: bool = False) -> list[str]:
    """A table for each event, then arguments, side effects and claims. `kinds`: claim: its kind."""
    lines = []
    for event in ablation.events:
        lines += [*_event(event, everything), ""]
    if not ablation.events:
        lines += ["no selection picks an event, even with all categories", ""]
    lines.append("side effects" if ablation.effects else "side effects: none seen")
    lines += [f"  {effect}" for effect in ablation.effects]
    lines += _claims(ablation, kinds)
    lines += [f"no answer: {variant}: {reason}" for variant, reason in ablation.unanswered]
    return lines


def _event(event: EventAnswer, everything: bool) -> Iterator[str]:
    counts = "/".join(map(str, event.counts))
    yield f"{event.name} on {event.role}, picked by {', '.join(event.selections)}: {counts} events with all categories"
    yield f"  written as   {'; '.join(event.written)}"
    yield f"  needs        {', '.join(event.needed) or 'none of them by itself'}"
    if event.alone:
        yield f"  enough alone {', '.join(event.sufficient) or 'none'}"
    width = max((len(category) for category in event.without), default=0)
    for category, cell in event.without.items():
        alone = event.alone.get(category)
        yield f"    {category:<{width}}  without: {_cell(cell, event)}{f'; alone: {_counts(alone)}' if alone else ''}"
    told = [path for path, (needed, _) in event.arguments.items() if needed and not _as_above(path, event)]
    for path in told if everything else told[:_ARGUMENTS]:
        needed, enough = event.arguments[path]
        yield f"    {path} needs {', '.join(needed)}{_enough(enough)}"
    if len(told) > _ARGUMENTS and not everything:
        yield f"    … and {len(told) - _ARGUMENTS} more arguments: --all"


def _enough(categories: Sequence[str]) -> str:
    return f"; enough alone {', '.join(categories)}" if categories else ""


def _as_above(path: str, event: EventAnswer) -> bool:
    above = event.arguments.get(parent_path(path))
    return above is not None and above[0] == event.arguments[path][0]


def _cell(cell: Cell, event: EventAnswer) -> str:
    if cell.gone:
        return "gone"
    marks = [f"loses {len(cell.lost)}" if cell.lost else "", f"gains {len(cell.gained)}" if cell.gained else ""]
    told = ", ".join(mark for mark in marks if mark)
    return _counts(cell) + (f", {told} of its arguments" if told else "")


def _counts(cell: Cell) -> str:
    if not cell.counts:
        return "no answer"
    counts = "/".join(map(str, cell.counts))
    return f"{counts} event{'' if counts == '1' else 's'}" if any(cell.counts) else "nothing"


def _claims(ablation: Ablation, kinds: Mapping[str, str]) -> Iterator[str]:
    """The claims about categories first: what each category does to the answer is what decides them."""
    order: Sequence[str] = sorted(ablation.claims, key=lambda claim: (kinds.get(claim) != "category", claim))
    if order:
        yield "claims, by their expectations"
    for claim in order:
        said = ablation.claims[claim]
        turns = [f"{said[name]} without {name}" for name in ablation.categories if said[name] != said["all"]]
        mark = " (about categories)" if kinds.get(claim) == "category" else ""
        yield f"  {claim}{mark}: {said['all']} with all; {', '.join(turns) or 'the same without any one of them'}"


def ablation_json(ablation: Ablation) -> dict[str, Any]:
    """Keys: categories, events, effects, claims, unanswered."""
    return {
        "categories": list(ablation.categories),
        "events": [_event_json(event) for event in ablation.events],
        "effects": list(ablation.effects),
        "claims": {claim: dict(said) for claim, said in ablation.claims.items()},
        "unanswered": [{"variant": variant, "reason": reason} for variant, reason in ablation.unanswered],
    }


def _event_json(event: EventAnswer) -> dict[str, Any]:
    return {
        "name": event.name,
        "role": event.role,
        "selections": list(event.selections),
        "counts": list(event.counts),
        "written": list(event.written),
        "needed": list(event.needed),
        "sufficient": list(event.sufficient),
        "without": {category: dataclasses.asdict(cell) for category, cell in event.without.items()},
        "alone": {category: dataclasses.asdict(cell) for category, cell in event.alone.items()},
        "arguments": {
            path: {"needed": list(needed), "sufficient": list(enough)}
            for path, (needed, enough) in event.arguments.items()
        },
    }
