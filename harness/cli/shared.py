"""Options and steps that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.wording import plural

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from harness.browser import Build
    from harness.events import RunResult, Sampling, Shard
    from harness.run.catalog import Catalog
    from harness.run.durations import Durations
    from harness.scenario.model import Case
    from harness.store import RunFolder

# As in `scenario/model.py`, whose package takes a tenth of a second to import; a test holds them together.
MODES = ("headless", "shell", "headed")
RECORDERS = ("cdp-browser", "cdp-page", "cdp-quiet", "startup", "perfetto", "perfetto-config")
_PIPE_WIDTH = 140

browser_option = click.option(
    "--browser",
    "browsers",
    multiple=True,
    metavar="WHICH",
    help="A path, a major such as 153, a channel, or `all`; may be given again or with commas.",
)
mode_option = click.option(
    "--mode",
    "modes",
    multiple=True,
    type=click.Choice([*MODES, "all"]),
    help="May be given again. Default: the first mode of the build.",
)
recorder_option = click.option(
    "--recorder",
    type=click.Choice(RECORDERS),
    help="Record with this one instead of the scenario's own, where its steps allow.",
)
out_option = click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Output folder. Default: out/<date and time>."
)
ledgers_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out"),
    show_default=True,
    help="A ledger, the folder of a run, or a folder of runs.",
)
store_option = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="TRACEPROOF_STORE",
    help="Keep the recordings' bytes here. Default: .store beside the runs in out/, or in the folder of --out.",
)
expression_option = click.option(
    "-k", "expression", default="", metavar="EXPR", help="Only cases whose name, claims or tags match."
)
arm_option = click.option("--arm", default="", help="The arm that the trace is of, where the scenario has several.")
attempts_option = click.option(
    "--attempts", type=click.IntRange(1, 1000), help="How many attempts of each case. Default: its own, or 3."
)
until_decided_option = click.option(
    "--until-decided",
    is_flag=True,
    help="Instead of a fixed number: attempts until each verdict is decided, by a rule that is told first.",
)
# As in `run/sampling.py`, which is not imported for `--help`; a test holds them together.
LEAST_ATTEMPTS, MOST_ATTEMPTS = 39, 80
at_most_option = click.option(
    "--at-most",
    type=click.IntRange(LEAST_ATTEMPTS, 1000),
    help=f"How many attempts `--until-decided` makes of each case. Default: {MOST_ATTEMPTS}.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Cases that run side by side."
)
scenarios_option = click.option(
    "--scenarios",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Where your own scenario files are now. Default: where the ledger says that they were.",
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Only what differs from the baseline.")
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else there.")


class OutputFile(click.Path):
    """A file to write. What looks like an option is one: its value was left out, and the option would be lost."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).startswith("--"):
            self.fail(f"a file is needed, and {value} looks like an option (./{value} is a file)", param, ctx)
        return super().convert(value, param, ctx)


def lab_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What to run, and on what: chosen cases, builds and modes."""
    return expression_option(browser_option(mode_option(command)))


def trace_and_scenario(command: Callable[..., Any]) -> Callable[..., Any]:
    """A stored trace, or the folder of an attempt, and the one scenario that it is tested against."""
    scenario = click.argument("scenario")(expression_option(arm_option(command)))
    return click.argument("trace", type=click.Path(path_type=Path, exists=True))(scenario)


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the results of a run are written beside the console: for CI servers and for people."""
    file = OutputFile()
    for option in (
        click.option("--html", type=file, help="Write the report with evidence here."),
        click.option("--markdown", type=file, help="Write a Markdown summary here."),
        click.option("--junit", type=file, help="Write JUnit XML here."),
    ):
        command = option(command)
    return command


def write_reports(
    result: RunResult, junit: Path | None, markdown: Path | None, html: Path | None, *, quiet: bool
) -> None:
    """The files that `report_options` name."""
    from harness.report import to_junit, to_markdown
    from harness.store import write_atomic

    if junit:
        write_atomic(junit, to_junit(result))
    if markdown:
        from harness.cli.report import write_pictures

        write_atomic(markdown, to_markdown(result, write_pictures(result, markdown)).encode())
    if html:
        from harness.cli.report import write_report

        write_report([result], html, quiet=quiet)


def example(*lines: str) -> str:
    """The epilog of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def echo_json(value: Any) -> None:
    """The answer to `--json`: one object, indented, in UTF-8 whatever the locale is."""
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def find_lab(browsers: Sequence[str], modes: Sequence[str]) -> tuple[list[Build], list[str]]:
    """The builds and modes that a command line means."""
    from harness.run.builds import find_builds, find_modes

    builds = find_builds(browsers, lambda line: click.echo(line, err=True))
    return builds, find_modes(modes, builds)


def find_cases(words: Sequence[str], expression: str = "") -> tuple[list[Case], Catalog]:
    """Cases by name, claim, event, file or folder. Names are looked up in the folders that are given, if any are."""
    from harness.run.catalog import load_catalog, split_paths
    from harness.run.selectors import select

    names, paths = split_paths(words)
    catalog = load_catalog(paths)
    return select(catalog.cases, names, expression), catalog


def recorded_with(recorder: str, cases: Sequence[Case]) -> list[Case]:
    """The cases with another recorder. Those whose steps it cannot carry out are UNSUPPORTED when they are run; where
    that is all of them, `ScenarioError` names every step."""
    from harness.errors import ScenarioError
    from harness.scenario.recorders import problems_of, with_recorder

    changed = [with_recorder(case, recorder) for case in cases]
    problems = [[problem for arm in case.arms.values() for problem in problems_of(arm)] for case in changed]
    if changed and all(problems):
        raise ScenarioError(list(dict.fromkeys(problem for found in problems for problem in found)))
    return changed


def what_finished(folder: RunFolder, catalog: Catalog) -> RunResult | None:
    """What a run that was cut short left in its ledger; None when no case had finished."""
    from harness.run.ledgers import read_result
    from harness.store import LEDGER

    ledger = folder.path / LEDGER
    result = read_result(ledger, catalog) if ledger.is_file() else None
    return result if result and result.cases else None


def sampled(until_decided: bool, at_most: int | None, attempts: int | None) -> Sampling | None:
    """The rule of `--until-decided`, told at once, or None; `UsageError` for options that exclude each other."""
    from harness.errors import Problem, UsageError

    if not until_decided:
        if at_most is not None:
            raise UsageError(Problem("--at-most is the end of --until-decided", remedy="give both, or --attempts"))
        return None
    if attempts is not None:
        raise UsageError(Problem("--attempts fixes the number that --until-decided leaves open", remedy="give one"))
    from harness.run.sampling import sequential

    made = sequential(at_most or MOST_ATTEMPTS)
    click.echo(f"until decided: {made.rule}", err=True)
    return made


def sharded(
    shard: str | None,
    durations: Durations | None,
    cases: Sequence[Case],
    builds: Sequence[Build],
    modes: Sequence[str],
    attempts: int | None,
    sampling: Sampling | None,
) -> Shard | None:
    """The part of the jobs that `--shard` means, told at once, or None for all of them."""
    if shard is None:
        return None
    from harness.run.plan import plan
    from harness.run.shards import make_shard, parse_shard

    number, of = parse_shard(shard)
    made = make_shard(plan(cases, builds, modes, attempts, sampling), number, of, durations)
    click.echo(f"shard {number} of {of}: {len(made.jobs)} of {plural(made.planned, 'job')}", err=True)
    return made


def warn_if_busy() -> None:
    """Where others use the processors too, steps take long and claims about time may waver."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > 2 * cores:
        click.echo(f"the machine is busy (load {load:.0f}, processors {cores}): claims about time may waver", err=True)


def console(*, stderr: bool) -> Console:
    """Where people read; a pipe or a file gets lines wide enough for a table."""
    from rich.console import Console as RichConsole

    class Console(RichConsole):
        def on_broken_pipe(self) -> None:
            """Rich would exit on the spot, in the middle of a run; `main` ends it in order."""
            raise

    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=_PIPE_WIDTH)


def bar(quiet: bool) -> Progress:
    """Progress on stderr where that is a terminal; each task has a total and says in its description where it is."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    shown = console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    return Progress(*columns, console=shown, transient=True, disable=quiet or not shown.is_terminal)
