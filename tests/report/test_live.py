"""What stands at the foot of a terminal while a run goes on, and that nothing of it stays behind."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from harness.events import Planned, Progressed, Sampling, Started
from harness.report import ConsoleReport
from harness.report.live import LiveView
from harness.verdict import Verdict
from tests.golden import same_as_golden
from tests.report.terminal import screen
from tests.samples import attempt, case, mixed

GOLDEN = Path(__file__).parent / "golden"
LONG = "document-update-style-and-layout.reads-counted[n=100,size=2] on 156 headless, attempt 2"
WIDTHS = (20, 40, 80, 120)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def terminal(width: int) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=True, width=width, height=30, color_system=None, legacy_windows=False), out


def shown(view: LiveView, width: int) -> str:
    console, out = terminal(width)
    console.print(view)
    return out.getvalue()


def stages(width: int) -> str:
    clock = Clock()
    view = LiveView(terminal(width)[0], clock=clock)
    told = ["planning", shown(view, width)]
    view.plan(96)
    view.begin(0, LONG)
    clock.now += 4
    told += ["the first attempt", shown(view, width)]
    for _ in range(12):
        view.end(0)
    view.count([Verdict.HOLDS] * 20 + [Verdict.NOT_APPLICABLE] * 2, 0)
    view.begin(0, LONG)
    view.begin(1, "parse-html.once on 156 headless, attempt 1")
    clock.now += 131
    told += ["two workers", shown(view, width)]
    view.count([Verdict.REFUTED, Verdict.SOMETIMES, Verdict.INCONCLUSIVE, Verdict.ERROR], 3)
    view.end(1)
    clock.now += 4_000
    told += ["some differ, hours left", shown(view, width)]
    view.fewer(83)
    told += ["the rest is not needed", shown(view, width)]
    return "\n".join(told)


def test_each_stage_at_each_width() -> None:
    told = "\n".join(f"== {width} columns\n{stages(width)}" for width in WIDTHS)
    same_as_golden(GOLDEN / "live.txt", told)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_reaches_the_edge(width: int) -> None:
    """Where it did, what the terminal adds to it (`^C`) would begin a line that nobody removes."""
    assert all(len(line.rstrip()) <= width - 3 for line in stages(width).splitlines() if line not in TITLES)


TITLES = ("planning", "the first attempt", "two workers", "some differ, hours left", "the rest is not needed")


def go_on(report: ConsoleReport) -> None:
    report(Planned(2, 4))
    report(Started(LONG, 1, 0))
    report(Started(LONG, 1, 1))
    report(Progressed(LONG, attempt(1), 0))
    report(case({"a.b": Verdict.HOLDS}, [attempt(1)]))
    report(mixed().cases[0])
    report(Started(LONG, 2, 0))


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_it_stays_on_the_screen(width: int) -> None:
    console, out = terminal(width)
    with ConsoleReport(console, folder="out/now") as report:
        go_on(report)
        out.write("^C")  # by the terminal, while a person stops the run
    plain = Console(file=io.StringIO(), width=width, color_system=None)
    with ConsoleReport(plain, folder="out/now") as report:
        go_on(report)
    assert isinstance(plain.file, io.StringIO)
    lines = [line for line in plain.file.getvalue().splitlines() if not line.startswith("[")]
    assert screen(out.getvalue(), width) == screen("\n".join(lines), width)


def test_a_failure_is_on_the_screen_while_the_run_goes_on() -> None:
    console, out = terminal(80)
    with ConsoleReport(console, folder="out/now") as report:
        go_on(report)
        report._live._live.refresh()
        now = screen(out.getvalue(), 80)
    failure = next(place for place, line in enumerate(now) if line.startswith("REFUTED  parse-html.refuted"))
    foot = next(place for place, line in enumerate(now) if "1 of 4 attempts" in line)
    assert failure < foot
    assert "HOLDS 2, SOMETIMES 1, REFUTED 1, INCONCLUSIVE 1" in now[-2] and now[-1].endswith("5 not as expected")


def test_a_verdict_that_is_decided_early_shortens_what_is_left() -> None:
    clock = Clock()
    view = LiveView(terminal(80)[0], clock=clock)
    view.plan(80)
    clock.now += 10
    view.end(0)
    view.end(0)
    assert "2 of 80 attempts  10 s, 6:30 left" in shown(view, 80)
    view.fewer(78)
    assert "2 of 2 attempts  10 s\n" in shown(view, 80).replace(" \n", "\n")


def test_the_console_hears_of_it() -> None:
    console, _ = terminal(80)
    report = ConsoleReport(console)
    report(Planned(1, 80))
    rule = Sampling(rule="x", at_most=80, rate=0.9, confidence=0.95)
    for number in (1, 2):
        report(Progressed("x", attempt(number)))
    report(msgspec.structs.replace(case({"a.b": Verdict.HOLDS}, [attempt(1), attempt(2)]), sampling=rule))
    assert "2 of 2 attempts" in shown(report._live, 80)


@pytest.mark.parametrize("how", ["quiet", "pipe", "dumb"])
def test_where_it_is_not_shown(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    out = io.StringIO()
    console = Console(file=out, force_terminal=how != "pipe", width=80, color_system=None)
    with ConsoleReport(console, quiet=how == "quiet") as report:
        report(Planned(1, 2))
        report(Started("x", 1))
        report(case({"a.b": Verdict.HOLDS}, [attempt(1)]))
    assert "━" not in out.getvalue() and "\x1b[1A" not in out.getvalue()
    assert ("[1/1] parse-html.one on" in out.getvalue()) is (how != "quiet")
