"""`traceproof mutate`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import (
    browser_option,
    console,
    example,
    find_cases,
    find_lab,
    json_option,
    mode_option,
    out_option,
)
from harness.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from harness.cli.stored import StoredAttempt
    from harness.expect import Recording
    from harness.mutate import CaseMutations, Mutations
    from harness.run.catalog import Catalog
    from harness.scenario.model import Case


@click.command(
    epilog=example(
        "traceproof mutate parse-html",
        "traceproof mutate parse-html.spans --from out/2026-01-31T12-00-00 --json",
        "traceproof mutate my.scenario.yaml --trace trace.json.gz",
    )
)
@click.argument("selectors", nargs=-1)
@click.option("-k", "expression", default="", metavar="EXPR", help="Only cases whose name, claims or tags match.")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The output folder of a run. Default: the newest under out/ that has the case.",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path, exists=True),
    help="A trace file, or the folder of a stored attempt, instead of what a run has stored.",
)
@browser_option
@mode_option
@out_option
@json_option
def mutate(
    selectors: tuple[str, ...],
    expression: str,
    source: Path | None,
    trace: Path | None,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> int:
    """Show that expectations can fail: change stored recordings and see which changes they notice.

    Each expectation that is met on a stored recording is put to mutants of it, with no browser. It must be killed by
    near misses that contradict it (one event more or fewer, a value just past the bound, a slice just outside its
    parent) and survive what does not concern it. Cases that no run has stored are recorded once.

    Status 1 when no mutant kills an expectation, when a contradiction does not, or when one that must not does.
    """
    from harness.mutate import examine

    cases, catalog = find_cases(selectors, expression)
    shown = console(stderr=as_json)
    found: list[CaseMutations] = []
    for case in cases:
        recordings, place = _recordings(case, cases, catalog, source, trace, out, browsers, modes)
        if not recordings:
            shown.print(f"[yellow]{case.name}: no valid attempt, so there is nothing to mutate[/]")
            continue
        result = examine(case, recordings)
        result.source = place
        _write_survivors(result, out)
        found.append(result)
        _print(shown, result)
    _print_totals(shown, found)
    if as_json:
        import orjson

        faults = sum(len(one.faulty) for one in found)
        totals = {
            "killed": sum(m.killed for one in found for m in one.expectations),
            "total": sum(m.total for one in found for m in one.expectations),
            "expectations": sum(len(one.expectations) for one in found),
            "faulty": faults,
        }
        told = {"totals": totals, "cases": [one.as_json() for one in found]}
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return 1 if any(one.faulty for one in found) else 0


def _recordings(
    case: Case,
    cases: Sequence[Case],
    catalog: Catalog,
    source: Path | None,
    trace: Path | None,
    out: Path | None,
    browsers: Sequence[str],
    modes: Sequence[str],
) -> tuple[dict[str, list[Recording]], str]:
    """The recordings of one attempt, and where they lie."""
    from harness.cli.stored import best_attempt, load_recordings, recordings_of, run_folders
    from harness.store import stored_traces

    if trace is not None:
        if len(cases) > 1:
            names = ", ".join(one.name for one in cases[:5])
            raise UsageError(Problem(f"--trace is of one case, and these match: {names}", remedy="choose with -k"))
        files = stored_traces(trace) if trace.is_dir() else [trace]
        return load_recordings(files, next(iter(case.arms))), str(trace)
    stored = best_attempt(case, run_folders(source))
    if stored is None and source is None:
        stored = _record(case, catalog, out, browsers, modes)
    return (recordings_of(stored), str(stored.place)) if stored else ({}, "")


def _record(
    case: Case, catalog: Catalog, out: Path | None, browsers: Sequence[str], modes: Sequence[str]
) -> StoredAttempt | None:
    """One attempt, made now."""
    from harness.cli.stored import best_attempt
    from harness.run import RunOptions, blocking, run_cases
    from harness.store import RunFolder

    click.echo(f"{case.name}: nothing is stored, so it is recorded once", err=True)
    builds, wanted = find_lab(browsers, modes)
    folder = RunFolder(out)
    options = RunOptions(
        folder=folder,
        claims=catalog.claims,
        baselines=catalog.baselines,
        attempts=1,
        command=("traceproof", *sys.argv[1:]),
    )
    blocking(run_cases([case], builds, wanted, options, lambda event: None))
    return best_attempt(case, [folder.path])


def _write_survivors(result: CaseMutations, out: Path | None) -> None:
    """What did not do what it must, as traces to look at; of the near misses that may survive, one per operator."""
    from harness.mutate import Must, files
    from harness.store import safe_name, write_atomic

    base = (out or Path("out")) / "mutants" / safe_name(result.name)
    for one in result.expectations:
        seen: set[str] = set()
        for number, odd in enumerate(one.odd):
            if not odd.edits or (odd.must is Must.EITHER and odd.operator in seen):
                continue
            seen.add(odd.operator)
            folder = base / f"{one.index}-{number}-{safe_name(odd.operator.replace(' ', '-'))}"
            for name, content in files({**one.tapes, **odd.edits}).items():
                folder.mkdir(parents=True, exist_ok=True)
                write_atomic(folder / name, content)
            odd.file = str(folder)


def _print(shown: Console, result: CaseMutations) -> None:
    from rich.table import Table

    shown.print(f"\n[bold]{result.name}[/]  {result.source}", soft_wrap=True)
    operators = sorted({name for one in result.expectations for name in one.operators})
    for one in result.expectations:
        head = f"  {one.place.rpartition('/')[2]}  {one.form}"
        if one.unusable:
            shown.print(f"{head}: [yellow]not mutated[/], {one.unusable}", soft_wrap=True, markup=True)
            continue
        style = "red" if one.faults else "green"
        neutral = f"{one.neutral.total - one.neutral.killed}/{one.neutral.total}"
        shown.print(
            f"{head}: [{style}]{one.killed}/{one.total} killed[/], {neutral} neutral ones survived", soft_wrap=True
        )
        _print_faults(shown, one)
    if not operators:
        return
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("operator", "killed", "of", "emptied", "invalid"):
        table.add_column(column, justify="left" if column == "operator" else "right")
    for operator in operators:
        tallies = [one.operators[operator] for one in result.expectations if operator in one.operators]
        counts = [sum(getattr(t, what) for t in tallies) for what in ("killed", "total", "emptied", "invalid")]
        table.add_row(operator, *map(str, counts))
    shown.print(table)


def _print_faults(shown: Console, one: Mutations) -> None:
    from rich.markup import escape

    from harness.mutate import Must

    for fault in one.faults:
        shown.print(f"      [red]✗[/] {escape(fault)}", soft_wrap=True)
    for odd in [odd for odd in one.odd if odd.must is not Must.EITHER][:6]:
        where = f"  {odd.file}" if odd.file else ""
        shown.print(f"        {odd.must}: {escape(odd.operator)}: {escape(odd.what)}{where}", soft_wrap=True)


def _print_totals(shown: Console, found: Sequence[CaseMutations]) -> None:
    expectations = [one for case in found for one in case.expectations]
    killed, total = sum(one.killed for one in expectations), sum(one.total for one in expectations)
    faulty = sum(bool(one.faults) for one in expectations)
    shown.print(
        f"\n{killed} of {total} mutants killed; {faulty} of {len(expectations)} expectations are not to be relied on"
    )


def mutation_problems(cases: Sequence[Case], folder: Path) -> list[Problem]:
    """For `traceproof lint --mutants FOLDER`: the faults of expectations on the recordings that a run has stored there.

    A case without a stored valid attempt is a problem too: nothing shows that it can fail.
    """
    from harness.cli.stored import best_attempt, recordings_of, run_folders
    from harness.mutate import examine

    problems = []
    folders = run_folders(folder)
    for case in cases:
        stored = best_attempt(case, folders)
        if stored is None:
            where = (case.at.file, case.at.line, case.at.column)
            problems.append(
                Problem(
                    f"{folder} holds no valid attempt of {case.name}, so it is not known whether it can fail", *where
                )
            )
            continue
        for one, expectation in zip(examine(case, recordings_of(stored)).expectations, case.expect, strict=True):
            at = expectation.at
            for fault in one.faults:
                remedy = f"traceproof mutate {case.name} --from {folder}"
                problems.append(
                    Problem(fault, at.file, at.line, at.column, at.path, remedy=f"see the survivors: {remedy}")
                )
    return problems
