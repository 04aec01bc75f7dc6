"""A study as lines of plain text: each claim with its rate, each number with its distribution, what failures have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.compare import Difference
from harness.compare.text import difference_line
from harness.stress.contrast import Contrast
from harness.stress.flips import Flips
from harness.stress.quantities import Bar, Quantity
from harness.stress.study import Cause, Study
from harness.verdict import Outcome

SHOWN = 12  # differences of one claim
INNER = 8
_BAR = 30
_SIGNS = {Outcome.MET: "✓", Outcome.UNMET: "✗", Outcome.INVALID: "?", Outcome.ERROR: "!"}
_TELLING = 0.05


def told(study: Study, *, everything: bool = False) -> list[str]:
    """`everything`: all differences, and the numbers that never varied with their bars too."""
    result = study.result
    build = f"{result.build.product} {result.build.version} {result.mode}"
    build += f" {result.raster} raster" if result.raster != "software" else ""
    valid = sum(attempt.valid for attempt in result.attempts)
    lines = [f"{result.name} on {build}: {len(result.attempts)} attempts, {valid} valid"]
    if result.reason:
        lines.append(f"  {result.reason}")
    for one in study.claims:
        lines += _claim(one)
    if study.quantities:
        lines.append("  numbers")
    place = ""
    for quantity in study.quantities:
        if quantity.place != place:
            place = quantity.place
            lines.append(f"    {place.rpartition('/')[2]}  {_asked(quantity)}")
        lines += _quantity(quantity, bars=everything)
    for cause in study.causes:
        lines += _cause(cause, everything)
    return lines


def _claim(one: Flips) -> Iterator[str]:
    rate = f"{one.met} of {one.valid} (95 %: {one.low:.0%} to {one.high:.0%})" if one.valid else "no valid attempt"
    yield f"  {one.verdict!s:<12} {one.claim}  {rate}"
    if len(set(one.outcomes)) > 1:
        yield f"    {''.join(_SIGNS[outcome] for outcome in one.outcomes)}"
    if not one.flaky:
        return
    failed = one.valid - one.met
    yield (
        f"    a flake: not met in {failed} of {one.valid} ({failed / one.valid:.1%}; 95 %: {1 - one.high:.1%} to "
        f"{1 - one.low:.1%}), {one.flips} flips, "
        f"{one.longest} {'failure' if one.longest == 1 else 'failures'} in a row at most"
    )
    if one.halves and one.halves.p < _TELLING:
        first, second = ("{} of {}".format(*half) for half in (one.halves.first, one.halves.second))
        yield f"    it changed on the way: met in {first}, then in {second} (p = {one.halves.p:.2g})"
    if one.loads:
        telling = "" if one.loads.p < _TELLING else ", which may be chance"
        met, unmet = f"{one.loads.met:.1f}", f"{one.loads.unmet:.1f}"
        yield f"    load average {met} where it was met, {unmet} where not (p = {one.loads.p:.2g}{telling})"


def _asked(one: Quantity) -> str:
    """The line of the expectation that has its form: claims and controls stand in others."""
    lines = [line.strip() for line in one.text.splitlines()]
    at = next((number for number, line in enumerate(lines) if line.startswith(one.form)), 0)
    block = lines[at + 1 : at + 2] if lines[at:] and lines[at].endswith("|") else []
    return " ".join([*(lines[at : at + 1] or [one.form]), *block])


def _quantity(one: Quantity, *, bars: bool) -> Iterator[str]:
    arm = f"{one.arm}: " if one.arm and one.arm != "main" else ""
    unit = f" {one.unit}" if one.unit else ""
    low, first, middle, third, high = (f"{value:.6g}" for value in one.five)
    if not one.varies:
        yield f"      {arm}{one.name}: {low}{unit} in all {len(one.values)}"
        if not bars:
            return
    else:
        yield f"      {arm}{one.name}: {low} | {first} {middle} {third} | {high}{unit}, {len(one.values)} values"
    most = max(bar.count for bar in one.bars)
    labels = [_label(bar) for bar in one.bars]
    width = max(map(len, labels))
    for bar, label in zip(one.bars, labels, strict=True):
        drawn = "█" * round(bar.count / most * _BAR) or ("▏" if bar.count else "")
        unmet = f" ({bar.unmet} ✗)" if bar.unmet else ""
        yield f"        {label:>{width}}  {drawn:<{_BAR}} {bar.count}{unmet}"


def _label(bar: Bar) -> str:
    return f"{bar.low:.6g}" if bar.low == bar.high else f"{bar.low:.4g} to {bar.high:.4g}"


def _cause(cause: Cause, everything: bool) -> Iterator[str]:
    yield f"  what differs where {cause.claim} is not met"
    if cause.lost:
        yield f"    not looked at, since they are not there any more: {len(cause.lost)} recordings"
    if not cause.contrasts and not cause.inner:
        yield "    nothing: no event is there more or less often, and none has other arguments"
        return
    shown = cause.contrasts if everything else cause.contrasts[:SHOWN]
    for one in shown:
        yield f"    {_contrast(one)}"
    yield from _more(len(cause.contrasts) - len(shown), "places with another number of events")
    yield from _inner(cause.inner, everything)


def _contrast(one: Contrast) -> str:
    where = f"{one.where.name} on {one.where.thread}" + (f" in {one.where.parent}" if one.where.parent else "")
    where += f" ({one.where.arm})" if one.where.arm not in ("", "main") else ""
    rates = f"in {one.met[0]} of {one.met[1]} ✓, {one.unmet[0]} of {one.unmet[1]} ✗"
    counts = f"median {one.median_met:g} ✓, {one.median_unmet:g} ✗"
    doubt = "may be chance" if one.may_be_chance else f"q = {one.q:.2g}"
    return f"{'*' if one.needed else ' '} {where}: {rates}; {counts}; {doubt}"


def _inner(differences: Sequence[Difference], everything: bool) -> Iterator[str]:
    shown = differences if everything else differences[:INNER]
    for one in shown:
        yield f"      {difference_line(one)}"
    yield from _more(len(differences) - len(shown), "arguments, types or categories")


def _more(number: int, what: str) -> Iterator[str]:
    if number > 0:
        yield f"      … and {number} more {what}: --all"
