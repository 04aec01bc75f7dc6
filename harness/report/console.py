"""What a person sees while a run goes on and at its end.

On a terminal its foot shows progress (`live.py`); elsewhere each case is one plain line. A verdict that differs from
its baseline is explained as soon as its case ends. Everything goes to the one console that is given: stderr when stdout
carries JSON.
"""

from __future__ import annotations

from collections import defaultdict
from types import TracebackType

from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.events import CaseResult, ClaimVerdict, Planned, Progressed, ProgressEvent, RunResult, Started
from harness.report.failure import explain_case
from harness.report.live import LiveView
from harness.report.words import STYLES, build_label, counted, note, raster_label, tally
from harness.verdict import Verdict
from harness.wording import plural

_SLOWEST = 3


class ConsoleReport:
    """A listener for a run's progress events, and the writer of its last table.

    `quiet` leaves out what is as expected. `says`: claims in words. `folder`: where the evidence lies.
    """

    def __init__(
        self, console: Console, *, quiet: bool = False, says: dict[str, str] | None = None, folder: str = ""
    ) -> None:
        self._console = console
        self._quiet = quiet
        self._says = says or {}
        self._cases = self._done = 0
        self._folder = folder
        self._live = LiveView(console, quiet=quiet)

    def __enter__(self) -> ConsoleReport:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()

    def __call__(self, event: ProgressEvent) -> None:
        match event:
            case Planned(cases=cases, attempts=attempts):
                self._cases = cases
                self._live.plan(attempts)
                if not self._quiet:
                    self._print(f"{plural(cases, 'case')}, {plural(attempts, 'attempt')}")
            case Started(case=case, attempt=attempt, worker=worker):
                self._live.begin(worker, f"{case}, attempt {attempt}")
            case Progressed(worker=worker):
                self._live.end(worker)
            case CaseResult():
                self._case(event)
            case ClaimVerdict():
                pass

    def _case(self, case: CaseResult) -> None:
        self._done += 1
        surprising = [claim for claim in case.verdicts if case.surprises(claim)]
        self._live.count(case.verdicts.values(), len(surprising))
        if case.sampling and case.attempts:
            self._live.fewer(case.sampling.at_most - len(case.attempts))
        if not self._quiet and not self._live.enabled:
            seconds = sum(attempt.seconds for attempt in case.attempts)
            where = f"[{self._done}/{self._cases or self._done}] {case.name} on {build_label(*case.lab)}"
            self._print(f"{where}: {counted(case.verdicts.values())} ({seconds:.1f} s)")
        for head, *rest in explain_case(case, surprising, says=self._says, folder=self._folder):
            explained = Text(head, style=STYLES[Verdict(head.split()[0])])
            self._print(Text("\n").join([explained, *map(Text, rest), Text("")]))

    def finish(self, result: RunResult, *, cut_short: str = "") -> None:
        """The verdict table by event, what the baseline explains, what differs from it, and where the evidence lies.

        `cut_short`: what ended the run before its last case; the table then says what had finished.
        """
        shown = result.drifts if self._quiet else result.verdicts
        if shown:
            self._console.print(_table(shown))
        if not self._quiet:
            noted = [one for one in result.verdicts if not one.drift and note(one)]
            holding = [one for one in noted if one.verdict is Verdict.HOLDS and not one.baseline_reason]
            self._notes("explained by the baseline:", [one for one in noted if one not in holding])
            self._notes("costs, and what to think of them:", holding)
            self._slowest(result)
        drifts = result.drifts
        self._notes(f"{len(drifts)} of {len(result.verdicts)} verdicts differ from the baseline:", drifts)
        total = counted(verdict.verdict for verdict in result.verdicts) or "no verdicts"
        state = f"{len(drifts)} differ" if drifts else "as expected"
        if cut_short:
            finished = f"{len(result.cases)} of {plural(self._cases, 'case')} had finished"
            told = f"CUT SHORT by {cut_short}: {finished}, the verdicts above are of these alone"
            self._print(Text(told, "bold red"))
            self._print(f"{total}: {state} so far")
        else:
            self._print(f"{total}: {state}. {result.footer.seconds:.1f} s")
        self._print(f"evidence   {result.folder}")

    def _notes(self, head: str, verdicts: list[ClaimVerdict]) -> None:
        if verdicts:
            self._print(Text(head, "bold"))
        alike: dict[str, list[str]] = {}
        for one in verdicts:
            alike.setdefault(note(one), []).append(f"{one.claim} on {build_label(*one.lab)}: {one.verdict}")
        for text, claims in alike.items():
            for claim in claims:
                self._print(f"  {claim}")
            self._print(f"    {text}")

    def _slowest(self, result: RunResult) -> None:
        timed = sorted(((sum(a.seconds for a in case.attempts), case.name) for case in result.cases), reverse=True)
        if len(timed) > _SLOWEST:
            self._print("slowest    " + ", ".join(f"{name} {seconds:.1f} s" for seconds, name in timed[:_SLOWEST]))

    def _print(self, line: str | Text) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _table(verdicts: list[ClaimVerdict]) -> Table:
    """One row for each claim below its event, one column for each build, mode and raster path."""
    columns = list(dict.fromkeys(_column(verdict) for verdict in verdicts))
    rows: dict[str, dict[str, dict[str, ClaimVerdict]]] = defaultdict(lambda: defaultdict(dict))
    for verdict in verdicts:
        rows[verdict.event][verdict.claim][_column(verdict)] = verdict
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("claim", overflow="fold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for event, claims in sorted(rows.items()):
        table.add_row(Text(event, "bold"))
        for claim, cells in claims.items():
            table.add_row(f"  {claim.removeprefix(event + '.')}", *(_cell(cells.get(column)) for column in columns))
    return table


def _column(verdict: ClaimVerdict) -> str:
    lines = (verdict.build.version, verdict.mode, raster_label(verdict.raster))
    return "\n".join(line for line in lines if line)


def _cell(verdict: ClaimVerdict | None) -> Text:
    if verdict is None:
        return Text("")
    text = Text(str(verdict.verdict), STYLES[verdict.verdict])
    if met := tally(verdict):
        text.append(f"  {met}", "dim")
    if verdict.left_out:
        text.append(
            f"  {len(verdict.scenarios)} of {len(verdict.scenarios) + len(verdict.left_out)} scenarios", "yellow"
        )
    if verdict.drift:
        text.append("  differs", "red")
    return text
