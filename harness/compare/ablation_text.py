"""An ablation as lines of plain text, and for a program."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.compare.ablation import Ablation, Cell, EventAnswer
from harness.compare.ablation_claims import CATEGORY, Carried, ClaimAnswer
from harness.trace.argpaths import parent_path

_ARGUMENTS = 12


def ablation_lines(ablation: Ablation, recorded: Sequence[str], *, everything: bool = False) -> list[str]:
    """Of one arm: a table for each event, then arguments and side effects. `recorded`: its categories."""
    lines = []
    if not ablation.categories:
        lines += [f"records {', '.join(recorded)} and nothing else, so nothing can be left out", ""]
    for event in ablation.events:
        lines += [*_event(event, everything), ""]
    if not ablation.events:
        lines += ["no selection picks an event, even with all categories", ""]
    lines.append("side effects" if ablation.effects else "side effects: none seen")
    lines += [f"  {effect}" for effect in ablation.effects]
    lines += [f"no answer: {variant}: {reason}" for variant, reason in ablation.unanswered]
    return lines


def _event(event: EventAnswer, everything: bool) -> Iterator[str]:
    counts = "/".join(map(str, event.counts))
    yield f"{event.name} on {event.role}, picked by {', '.join(event.selections)}: {counts} events with all categories"
    yield f"  written as   {'; '.join(event.written)}"
    if event.without:
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


def claim_lines(answers: Sequence[ClaimAnswer], recorded: Mapping[str, Sequence[str]]) -> list[str]:
    """What is shown of each claim, and for those about categories what carries the events. `recorded`: by arm."""
    lines = ["claims, by their expectations"] if answers else []
    for one in answers:
        lines.append(f"  {one.claim}{' (about categories)' if one.kind == CATEGORY else ''}: {one.shows}")
        for arm, category, answer in one.turns:
            lines.append(f"    {answer} without {category}{f' in arm {arm}' if len(recorded) > 1 else ''}")
        for event in one.carried:
            lines.append(f"    {'; '.join(_carrying(event, recorded))}")
            lines += [f"      {path} needs {category}" for path, category in event.arguments]
    return lines


def _carrying(event: Carried, recorded: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"{event.event} is written as {' or '.join(event.written)}"
    if event.needed:
        yield f"needs {', '.join(event.needed)}"
    if event.alone:
        yield f"there with {' and with '.join(event.alone)} alone"
    for arm in event.absent:
        yield f"absent from arm {arm} ({', '.join(recorded[arm])})"


def ablation_json(ablation: Ablation, recorded: Sequence[str]) -> dict[str, Any]:
    """One arm. Keys: recorded, categories (those that were left out in turn), events, effects, claims, unanswered."""
    return {
        "recorded": list(recorded),
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
