"""`traceproof mutate`"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import (
    arm_option,
    bar,
    console,
    echo_json,
    example,
    find_cases,
    find_lab,
    json_option,
    lab_options,
    out_option,
)
from harness.errors import Problem
from harness.wording import plural

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
        "traceproof mutate parse-html.gaps --from out/2026-01-31T12-00-00 --json",
        "traceproof mutate my.scenario.yaml --trace trace.json.gz",
    )
)
@click.argument("selectors", nargs=-1)
@lab_options
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
@arm_option
@out_option
@json_option
def mutate(
    selectors: tuple[str, ...],
    expression: str,
    source: Path | None,
    trace: Path | None,
    arm: str,
    browsers: tuple[str, ...],
    modes: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> int:
    """Show that expectations can fail: change stored recordings and see which changes they notice.

    Each expectation that is met on a stored recording is put to mutants of it, with no browser. It must be killed by
    near misses that contradict it (one event more or fewer, a value just past the bound, a slice just outside its
    parent) and survive what does not concern it. Cases that no run has stored are recorded once. A mutant
    that leaves an expectation nothing to look at (`emptied`) or without an answer (`invalid`) kills nothing. That some
    survive is no fault in itself.

    Status 1 when no mutant kills an expectation, when a contradiction does not, or when one that must not does; also
    when a case has no valid attempt, or an expectation is not met there and no baseline says that it is refuted.
    """
    from harness.cli.stored import load_recordings
    from harness.run.which import one_case, traces_in

    cases, catalog = find_cases(selectors, expression)
    files = traces_in(trace) if trace else []
    if files:
        cases = [one_case(cases, files[0])]
    shown = console(stderr=as_json)
    found: list[CaseMutations] = []
    missing: list[str] = []
    for case in cases:
        if files:
            recordings, place = load_recordings(files, case, arm), str(trace)
        else:
            recordings, place = _stored(case, catalog, source, out, browsers, modes)
        if not recordings:
            shown.print(f"[red]{case.name}: no valid attempt, so there is nothing to mutate[/]")
            missing.append(case.name)
            continue
        result = _examined(case, recordings, catalog)
        result.source = place
        _write_survivors(result, out)
        found.append(result)
        _print(shown, result)
    examined = sum(len(one.examined) for one in found)
    unexplained = sum(len(one.unexplained) for one in found)
    _print_totals(shown, found)
    if not examined:
        shown.print("[red]nothing was examined[/]: this shows of no expectation that it can fail")
    if as_json:
        faults = sum(len(one.faulty) for one in found)
        totals = {
            "killed": sum(m.killed for one in found for m in one.expectations),
            "total": sum(m.total for one in found for m in one.expectations),
            "expectations": sum(len(one.expectations) for one in found),
            "faulty": faults,
            "examined": examined,
            "unexplained": unexplained,
        }
        told = {"totals": totals, "missing": missing, "cases": [one.as_json() for one in found]}
        echo_json(told)
    return 1 if missing or unexplained or not examined or any(one.faulty for one in found) else 0


def _examined(case: Case, recordings: Mapping[str, list[Recording]], catalog: Catalog) -> CaseMutations:
    """The mutations of a case, with a bar that moves at each mutant."""
    with bar(quiet=False) as progress:
        task = progress.add_task(case.name, total=len(case.expect))

        def go_on(done: int, mutants: int) -> None:
            at = case.expect[done].at
            where = f"{case.name}:{at.line} {case.expect[done].form_name}: {plural(mutants, 'mutant')}"
            progress.update(task, completed=done, description=where)

        return _examine(case, recordings, catalog, go_on)


def _examine(
    case: Case,
    recordings: Mapping[str, list[Recording]],
    catalog: Catalog,
    go_on: Callable[[int, int], None] = lambda *_: None,
) -> CaseMutations:
    """The mutations of a case. What is not met is `refuted` where the baseline of that build and mode says so."""
    from harness.mutate import documented, examine
    from harness.run.catalog import every_case
    from harness.verdict import Outcome, Verdict
    from harness.versions import parse_version

    baselines = catalog.baselines
    doubtful = {entry.claim for entry in baselines.entries if entry.verdict is not Verdict.HOLDS}
    others = [one for one in every_case(catalog) if one.id != case.id]
    result = examine(case, recordings, documented(others, doubtful), go_on)
    context = next(iter(recordings.values()))[0].context
    major = parse_version(context.build)[0] if context.build else 0
    for one in result.expectations:
        expected = {baselines.expected(claim, major, context.mode, case.raster) for claim in one.claims}
        one.refuted = one.outcome is Outcome.UNMET and bool(expected & {Verdict.REFUTED, Verdict.SOMETIMES})
    return result


def _stored(
    case: Case,
    catalog: Catalog,
    source: Path | None,
    out: Path | None,
    browsers: Sequence[str],
    modes: Sequence[str],
) -> tuple[dict[str, list[Recording]], str]:
    """The recordings of one attempt, and where they lie."""
    from harness.cli.stored import best_attempt, recordings_of, run_folders

    stored = best_attempt(case, run_folders(source))
    if stored is None and source is None:
        stored = _record(case, catalog, out, browsers, modes)
    return (recordings_of(stored, case), str(stored.place)) if stored else ({}, "")


def _record(
    case: Case, catalog: Catalog, out: Path | None, browsers: Sequence[str], modes: Sequence[str]
) -> StoredAttempt | None:
    """One attempt, made now."""
    from harness.cli.stored import best_attempt
    from harness.run.engine import run_cases
    from harness.run.options import RunOptions
    from harness.run.signals import blocking
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
    from rich.markup import escape
    from rich.table import Table

    shown.print(f"\n[bold]{result.name}[/]  {result.source}", soft_wrap=True)
    operators = sorted({name for one in result.expectations for name in one.operators})
    for one in result.expectations:
        head = f"  {one.place.rpartition('/')[2]}  {one.form}"
        if one.unusable:
            why = "[yellow]not examined: refuted as expected[/]" if one.refuted else "[red]not examined[/]"
            shown.print(f"{head}: {why}, {escape(one.unusable)}", soft_wrap=True)
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
    examined = [one for case in found for one in case.examined]
    killed, total = sum(one.killed for one in examined), sum(one.total for one in examined)
    faulty = sum(bool(one.faults) for one in examined)
    fault = (
        f"{faulty} of {len(examined)} expectations are not to be relied on" if faulty else "no expectation has a fault"
    )
    shown.print(f"\n{killed} of {total} mutants killed; {fault}")
    refuted = sum(one.refuted for case in found for one in case.expectations)
    unexplained = sum(len(case.unexplained) for case in found)
    if refuted or unexplained:
        shown.print(f"not examined: {refuted} refuted as expected, {unexplained} that no baseline explains")


def mutation_problems(catalog: Catalog, folder: Path) -> tuple[list[Problem], list[str]]:
    """For `traceproof lint --mutants FOLDER`: the faults of expectations on the recordings that a run has stored there,
    and the places of those that could not be examined since they are refuted as expected.

    A case without a stored valid attempt is a problem, as is an expectation that is not met there and that no baseline
    explains: nothing shows that they can fail.
    """
    from harness.cli.stored import best_attempt, recordings_of, run_folders

    problems, refuted = list[Problem](), list[str]()
    folders = run_folders(folder)
    for case in catalog.cases:
        stored = best_attempt(case, folders)
        if stored is None:
            message = f"{folder} holds no valid attempt of {case.name}, so it is not known whether it can fail"
            problems.append(Problem(message, case.at.file, case.at.line, case.at.column))
            continue
        result = _examine(case, recordings_of(stored, case), catalog)
        for one, expectation in zip(result.expectations, case.expect, strict=True):
            at = expectation.at
            where = (at.file, at.line, at.column, at.path)
            remedy = f"traceproof mutate {case.name} --from {folder}"
            problems += [Problem(fault, *where, remedy=f"see the survivors: {remedy}") for fault in one.faults]
            if one.refuted:
                refuted.append(f"{at}: not examined: refuted as expected")
            elif one.unusable:
                message = f"not examined, so it is not known whether it can fail: {one.unusable}"
                problems.append(
                    Problem(message, *where, remedy="record it again, or say in a baseline that it is refuted")
                )
    return problems, refuted
