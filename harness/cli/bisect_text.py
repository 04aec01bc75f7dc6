"""What a bisection found, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.run.answers import Answer
    from harness.run.bisect import Edge, Line, Point


def line_lines(line: Line) -> Iterator[str]:
    """Each build with its answer, the stretches, the changes, and what is left open."""
    from harness.report.words import mode_label

    bound = f"  ({line.bound}; asked beyond it)" if line.bound else ""
    yield ""
    yield f"{line.case}  {mode_label(line.mode, line.raster)}{bound}"
    for point in line.points:
        if answer := line.answers.get(point.version):
            yield f"  {point.version:<18} {_said(answer)}"
    yield f"  {_history(line)}"
    for edge in line.edges:
        yield from _edge(edge)
    if unasked := [point for point in line.points if point.version not in line.answers]:
        yield f"  not asked  {_labels(unasked)}"
    for note in line.notes:
        yield f"  note       {note}"
    if line.folder:
        yield f"  recorded   {line.folder}"


def summary_lines(lines: Sequence[Line]) -> Iterator[str]:
    """Each place where something changes, with the scenarios that say so."""
    places: dict[tuple[Point, Point], list[str]] = {}
    for line in lines:
        for edge in line.edges:
            sure = "" if edge.sure or not edge.of_chrome else " (too close to tell)"
            places.setdefault((edge.before, edge.after), []).append(
                f"{line.case} {edge.was.verdict} → {edge.now.verdict}{sure}"
            )
    yield ""
    for (before, after), told in places.items():
        yield f"CHANGES between {before.label} and {after.label}: {'; '.join(told)}"
    if not places:
        yield "NO CHANGE among the builds that answer"


def _said(answer: Answer) -> str:
    told = f"{answer.verdict:<12} {answer.met} of {answer.valid}"
    if answer.attempts > answer.valid:
        told += f" ({answer.attempts} attempts)"
    where = ", ".join(answer.sources)
    if answer.places:
        where += f"  {answer.places[-1]}" + (f" and {len(answer.places) - 1} more" if len(answer.places) > 1 else "")
    return f"{told:<24} {where}" + (f"\n  {'':<18} {answer.why}" if answer.why else "")


def _history(line: Line) -> str:
    parts = [f"{word} {_span(points)}" for word, points in line.stretches]
    if not parts:
        return "no build answers"
    if len(parts) == 1:
        return f"{parts[0]}: no change among the builds that answer"
    turns = len(parts) - 1
    back = f"  (not monotonic: {turns} changes)" if turns > 1 else ""
    return " → ".join(parts) + back


def _span(points: Sequence[Point]) -> str:
    first, last = points[0].major, points[-1].major
    return str(first) if first == last else f"{first}..{last}"


def _labels(points: Sequence[Point]) -> str:
    return ", ".join(point.label for point in points)


def _edge(edge: Edge) -> Iterator[str]:
    was, now = edge.was, edge.now
    yield f"  change     between {edge.before.label} and {edge.after.label}: {was.verdict} → {now.verdict}"
    if not edge.of_chrome:
        yield f"             the scenario cannot tell on one side: {now.why or was.why}"
    else:
        odds = f"{was.met} of {was.valid} against {now.met} of {now.valid}, chance {edge.chance:.2g}"
        yield f"             {odds}" + ("" if edge.sure else ": TOO CLOSE TO TELL, more attempts would")
    yield f"             first in {_releases(edge)}"
    if edge.missing:
        yield f"             no build of {_numbers(edge.missing)} to ask"
    if edge.unasked:
        yield f"             no answer from {_labels(edge.unasked)}, which lie between"


def _releases(edge: Edge) -> str:
    if len(edge.releases) == 1:
        return f"release {edge.releases[0]}"
    first = edge.releases[0]
    early = f"; {edge.before.label} was cut before its release branch and does not speak for it"
    return f"one of the releases {_numbers(edge.releases)}" + (early if first == edge.before.major else "")


def _numbers(majors: Sequence[int]) -> str:
    """`93..101`, `103, 105`"""
    if len(majors) > 2 and majors[-1] - majors[0] == len(majors) - 1:
        return f"{majors[0]}..{majors[-1]}"
    return ", ".join(map(str, majors))


def line_json(line: Line) -> dict[str, Any]:
    """One scenario: `answers` by version, `changes` where neighbours differ, what was not asked."""
    return {
        "scenario": line.case,
        "mode": line.mode,
        "raster": line.raster,
        "bound": line.bound,
        "answers": [_answer(point, line) for point in line.points if point.version in line.answers],
        "stretches": [
            {"verdict": str(word), "versions": [point.version for point in points]} for word, points in line.stretches
        ],
        "monotonic": len(line.stretches) <= 2,
        "changes": [_change(edge) for edge in line.edges],
        "not_asked": [point.version for point in line.points if point.version not in line.answers],
        "settled": line.settled,
        "notes": list(line.notes),
        "recorded": str(line.folder or ""),
    }


def _answer(point: Point, line: Line) -> dict[str, Any]:
    one = line.answers[point.version]
    return {
        "version": point.version,
        "major": point.major,
        "verdict": str(one.verdict),
        "met": one.met,
        "valid": one.valid,
        "attempts": one.attempts,
        "why": one.why,
        "sources": list(one.sources),
        "ledgers": [str(place) for place in one.places],
    }


def _change(edge: Edge) -> dict[str, Any]:
    return {
        "before": edge.before.version,
        "after": edge.after.version,
        "from": str(edge.was.verdict),
        "to": str(edge.now.verdict),
        "chance": edge.chance,
        "sure": edge.sure,
        "releases": list(edge.releases),
        "no_build_of": list(edge.missing),
        "no_answer_from": [point.version for point in edge.unasked],
    }
