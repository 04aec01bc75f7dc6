"""`traceproof census`"""

from __future__ import annotations

import fnmatch
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import bar, console, echo_json, example, json_option
from harness.errors import Problem, UsageError
from harness.wording import did_you_mean, plural

if TYPE_CHECKING:
    from harness.census import EventTotals, Totals

_HEAD = ("event", "records", "traces", "usage", "p50 us", "p95 us", "max us", "duration", "ph", "categories", "threads")
_NUMBERS = (1, 2, 4, 5, 6)  # which of these are right-aligned
_WIDEST, _LEAST, _CELL = 400, 24, 24  # characters: of a line in a pipe, of a name, of a category or thread


@click.command(
    epilog=example(
        "traceproof census traces/",
        "traceproof census 'crawl/**/*.json.gz' --parquet crawl-census --json > census.json",
        "traceproof census crawl-census --event ParseHTML --event 'Resource*'",
    )
)
@click.argument("traces", nargs=-1, required=True)
@click.option("--event", "patterns", multiple=True, metavar="NAME", help="Only these, in full; globs may be used.")
@click.option(
    "--parquet",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the parts that the census is added up from in this folder, for any engine that reads Parquet.",
)
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Traces that are counted side by side. Default: one a processor."
)
@json_option
def census(
    traces: tuple[str, ...], patterns: tuple[str, ...], parquet: Path | None, workers: int | None, as_json: bool
) -> int:
    """Count what a corpus of traces holds, by event name.

    For each name: records, traces that have it, categories, phases, processes and threads, quantiles of the duration,
    argument paths with their types and how often they are there, and how much the event is used and how long it takes
    beside all others.

    TRACES are trace files (JSON or protobuf, plain, gzip or zstd), folders with such files below them, quoted
    patterns, and folders that --parquet wrote, which are added without being counted again.

    Exit status 2 when a trace could not be read; the others are counted.
    """
    from harness.census import count_traces, is_layout, to_json, totals

    counted_before = [Path(text) for text in traces if is_layout(Path(text))]
    paths = _traces([text for text in traces if not is_layout(Path(text))])
    with tempfile.TemporaryDirectory(prefix="traceproof-census-") as scratch:
        folder = _room_for(parquet) if parquet else Path(scratch) / "parts"
        broken: Sequence[Problem] = ()
        if paths:
            with bar(as_json) as progress:
                task = progress.add_task("traces", total=len(paths))
                advance = lambda done: progress.advance(task, done)  # noqa: E731
                broken = count_traces(paths, folder, workers or os.cpu_count() or 1, advance).broken
        found = totals([*counted_before, folder] if paths else counted_before, Path(scratch))
    found.events = _chosen(found.events, patterns)
    for problem in broken:
        click.echo(f"left out: {problem}", err=True)
    if as_json:
        echo_json(to_json(found, broken))
    else:
        _show(found, in_full=bool(patterns))
    return 2 if broken else 0


def _traces(words: Sequence[str]) -> list[Path]:
    from harness.trace.files import find_traces

    return list(dict.fromkeys(path for word in words for path in find_traces(word)))


def _room_for(folder: Path) -> Path:
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            Problem(
                "--parquet would mix two censuses",
                file=str(folder),
                expected="a folder that is empty or not there",
                remedy="name another one, or give this one among the traces to add it",
            )
        )
    return folder


def _chosen(events: list[EventTotals], patterns: Sequence[str]) -> list[EventTotals]:
    chosen = [event for event in events if not patterns or any(fnmatch.fnmatchcase(event.name, p) for p in patterns)]
    if patterns and not chosen:
        near = did_you_mean(patterns[0], [event.name for event in events], otherwise="leave out --event to see all")
        raise UsageError(Problem(f"no event of these traces is called {' or '.join(patterns)}", remedy=near))
    return chosen


def _show(found: Totals, *, in_full: bool) -> None:
    out = console(stderr=False)
    size = f"{found.bytes / 1e6:,.1f} MB"
    click.echo(f"{plural(found.traces, 'trace')}, {size}, {plural(found.records, 'record')}")
    for line in _table(found.events, out.width if out.is_terminal else _WIDEST):
        click.echo(line)
    for event in found.events if in_full else ():
        for line in _details(event):
            click.echo(line)


def _table(events: Sequence[EventTotals], width: int) -> Iterator[str]:
    """One line for each event. Where there is little room, names are cut, and categories and threads left out."""
    rows = [_HEAD, *map(_row, events)]
    longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = sum(longest[1:-2]) + 2 * len(longest[1:-2])
    if width < numbers + 2 * _LEAST:
        rows, longest = [row[:-2] for row in rows], longest[:-2]
    room = width - numbers - sum(2 + each for each in longest[len(_HEAD) - 2 :])
    longest[0] = min(longest[0], max(room, _LEAST))
    for row in rows:
        cells = [
            text.rjust(wide) if place in _NUMBERS else _cut(text, wide).ljust(wide)
            for place, (text, wide) in enumerate(zip(row, longest, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _row(event: EventTotals) -> tuple[str, ...]:
    timed = event.durations
    times = (timed.quantiles_us["p50"], timed.quantiles_us["p95"], timed.most_us) if timed else ()
    return (
        " ".join(event.name.split()),
        f"{event.records:,}",
        f"{event.traces:,}",
        event.usage,
        *([f"{each:,.0f}" for each in times] or ["", "", ""]),
        timed.band if timed else "",
        "".join(event.phases),
        _most(event.categories),
        _most(event.threads),
    )


def _most(counts: dict[str, int]) -> str:
    """The most frequent name, cut, and how many others there are."""
    named = [name for name in counts if name]
    more = f" +{len(named) - 1}" if len(named) > 1 else ""
    return _cut(named[0], _CELL) + more if named else ""


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _details(event: EventTotals) -> Iterator[str]:
    yield ""
    yield event.name or "(records without a name)"
    for head, counts in (
        ("categories", event.categories),
        ("phases", event.phases),
        ("processes", event.processes),
        ("threads", event.threads),
    ):
        yield f"  {head + ':':<12}" + ", ".join(f"{name or '(none)'} {count:,}" for name, count in counts.items())
    if event.durations:
        at = [
            ("min", event.durations.least_us),
            *event.durations.quantiles_us.items(),
            ("max", event.durations.most_us),
        ]
        times = ", ".join(f"{name} {us:,.15g}" for name, us in at)
        yield f"  {'durations:':<12}{times} us, of {event.durations.count:,}"
    width = max((len(argument.path) for argument in event.arguments), default=0)
    for argument in event.arguments:
        yield f"  {argument.path:<{width}}  {_percent(argument.share):>6}  {', '.join(argument.types)}"


def _percent(share: float) -> str:
    """Never 0 % of some or 100 % of less than all."""
    if 0 < share < 0.001:
        return "<0.1 %"
    return ">99.9 %" if 0.999 < share < 1 else f"{share * 100:.3g} %"
