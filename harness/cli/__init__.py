"""The command `traceproof`: one module for each family of commands, and one place where errors become exit statuses.

Command modules import what is heavy (Playwright, DuckDB, SciPy) inside their functions, so that `--help` is quick.
"""

from __future__ import annotations

import dataclasses
import errno
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from harness import __version__
from harness.cli import (
    ablate,
    badge,
    baseline,
    bisect,
    browsers,
    categories,
    census,
    check,
    claims,
    compare,
    doctor,
    draw,
    history,
    language,
    merge,
    mutate,
    new,
    record,
    rederive,
    report,
    run,
    shrink,
    store,
    stress,
    verify,
    written,
)
from harness.cli.shared import echo_json
from harness.errors import Problem, TraceproofError, UserError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class _Unread(Exception):
    """The reader of our output went away (`| head`)."""


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _Unread from error  # click would end with 1, which here says that verdicts differ


@click.group(cls=_Commands, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="traceproof", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove or refute, on a real Chromium, what is documented about Chrome's trace events.

    \b
    traceproof run parse-html                      every claim about ParseHTML, on the browser of this machine
    traceproof run ./my-scenarios --browser 153    your own folder, on another build
    traceproof check trace.json.gz my.scenario.yaml    a stored trace, no browser

    Exit status: 0 as expected, 1 verdicts differ from the baseline, 2 a mistake in the command line or a file, 3 the
    harness or the browser failed.
    """


for command in (
    run.run,
    merge.merge,
    verify.verify,
    record.record,
    check.check,
    mutate.mutate,
    shrink.shrink,
    stress.stress,
    compare.compare,
    census.census,
    ablate.ablate,
    rederive.rederive,
    report.report,
    draw.draw,
    draw.annotate,
    badge.badge,
    baseline.baseline,
    history.history,
    written.written,
    bisect.bisect,
    store.store,
    claims.claims,
    categories.categories,
    browsers.browsers,
    language.schema,
    language.lint,
    doctor.doctor,
    new.new,
):
    cli.add_command(command)


def main(args: list[str] | None = None) -> NoReturn:
    """Run a command line and exit with its status; only a fault of traceproof itself ever shows a traceback."""
    sys.exit(_status(args))


def _status(args: list[str] | None) -> int:
    try:
        result = cli.main(args, prog_name="traceproof", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        _tell_machines(args, [Problem(error.format_message())], error.exit_code)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except UserError as error:
        for problem in error.problems:
            click.echo(f"error: {problem}", err=True)
        _tell_machines(args, error.problems, error.exit_code)
        return error.exit_code
    except TraceproofError as error:
        click.echo(f"error: {error}", err=True)
        _tell_machines(args, [Problem(str(error))], error.exit_code)
        return error.exit_code
    except (BrokenPipeError, _Unread):
        _silence()
        return 141
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:  # files are written with a StoreError
            _silence()
            click.echo("error: no space left on the output; free some, or send it elsewhere", err=True)
            return 3
        if os.environ.get("TRACEPROOF_DEBUG") == "1":
            raise
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        click.echo(
            f"error: traceproof {__version__} failed in a way that it should not ({told}); "
            "run it again with TRACEPROOF_DEBUG=1 and report the traceback",
            err=True,
        )
        _tell_machines(args, [Problem(told)], 3)
        return 3
    return result if isinstance(result, int) else 0


def _silence() -> None:
    """Write no more to stdout: Python would complain again while it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_machines(args: list[str] | None, problems: Sequence[Problem], status: int) -> None:
    """With `--json` stdout holds one JSON object whatever happens; people have read stderr."""
    if "--json" in (sys.argv[1:] if args is None else args):
        told = [dataclasses.asdict(problem) for problem in problems]
        echo_json({"problems": told, "exit_status": status})
