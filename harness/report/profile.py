"""Where the time of a run went: a row for each case, a column for each phase of its attempts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rich.table import Table

from harness.events import PHASES, CaseResult
from harness.report.words import build_label

REST = "rest"
Spent = defaultdict[str, float]


def profile(cases: Iterable[CaseResult]) -> tuple[list[str], list[tuple[str, Spent]]]:
    """The phases that took any time, in their order, and the seconds of each case in them; the last is the total."""
    rows = [(f"{case.name} on {build_label(*case.lab)}", _spent(case)) for case in cases if case.attempts]
    total: Spent = defaultdict(float)
    for _, spent in rows:
        for name, seconds in spent.items():
            total[name] += seconds
    phases = [name for name in (*PHASES, REST) if total.get(name, 0) >= 0.05]
    return phases, [*rows, ("total", total)]


def _spent(case: CaseResult) -> Spent:
    spent: Spent = defaultdict(float)
    for attempt in case.attempts:
        for name, seconds in attempt.phases.items():
            spent[name] += seconds
        spent[REST] += attempt.seconds - sum(attempt.phases.values())
    return spent


def profile_table(cases: Sequence[CaseResult]) -> Table:
    """Seconds over all attempts, the longest case first; shares of the whole in the last row."""
    phases, rows = profile(cases)
    *each, (name, total) = rows
    whole = sum(total.values()) or 1.0
    table = Table(box=None, pad_edge=False, header_style="bold", title="seconds by phase", title_justify="left")
    table.add_column("case", overflow="fold")
    for phase in (*phases, "all"):
        table.add_column(phase, justify="right", no_wrap=True)
    for label, spent in sorted(each, key=lambda row: -sum(row[1].values())):
        table.add_row(label, *(f"{spent[phase]:.1f}" for phase in phases), f"{sum(spent.values()):.1f}")
    table.add_row(name, *(f"{total[phase]:.1f}" for phase in phases), f"{whole:.1f}", style="bold")
    table.add_row("", *(f"{total[phase] / whole:.0%}" for phase in phases), "", style="dim")
    return table
