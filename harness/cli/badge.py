"""`traceproof badge`"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import MODES, echo_json, example, json_option
from harness.errors import Problem, UsageError
from harness.wording import did_you_mean

if TYPE_CHECKING:
    from harness.events import ClaimVerdict


@click.command(
    epilog=example(
        "traceproof badge parse-html.endline-needs-blink --ledger out/2026-01-31T12-00-00 -o claim.svg",
        "traceproof badge 'parse-html.*' --ledger merged -o badges/",
        "traceproof badge parse-html.endline-needs-blink --browser 153 --mode shell",
    )
)
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM...")
@click.option(
    "--ledger",
    "ledgers",
    multiple=True,
    type=click.Path(path_type=Path),
    default=(Path("out"),),
    show_default="out",
    help="A ledger, the folder of a run, or a folder of runs; may be given again.",
)
@click.option("--browser", metavar="VERSION", help="A version or a major. Default: the newest that has a verdict.")
@click.option("--mode", type=click.Choice(MODES), help="Of this mode only.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file, or a folder of them. Default: CLAIM.svg."
)
@json_option
def badge(
    claims: tuple[str, ...],
    ledgers: tuple[Path, ...],
    browser: str | None,
    mode: str | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Draw the verdict of a claim as a small SVG for a manual: the claim, the verdict, the version of Chrome.

    CLAIM may be a glob. Of several runs on one version the latest counts. Where modes differ, each is named.
    """
    from harness.report import to_badge
    from harness.store import write_atomic

    found = _latest(ledgers, claims, browser, mode)
    single = output is not None and output.suffix == ".svg" and not output.is_dir()
    if single and len(found) > 1:
        raise UsageError(
            Problem(f"{len(found)} claims do not fit into {output}", remedy="name a folder after -o, or one claim")
        )
    written = {}
    for claim, verdicts in sorted(found.items()):
        path = output if single and output else (output or Path()) / f"{claim}.svg"
        write_atomic(path, to_badge(verdicts).encode())
        written[claim] = str(path)
    if as_json:
        told = [
            {"claim": claim, "file": file, "verdicts": [str(one.verdict) for one in found[claim]]}
            for claim, file in written.items()
        ]
        echo_json({"badges": told})
    else:
        for claim, file in written.items():
            one = found[claim][0].build
            words = ", ".join(dict.fromkeys(str(each.verdict) for each in found[claim]))
            click.echo(f"{file}  {words} on {one.product} {one.version}")
    return 0


def _latest(
    paths: Iterable[Path], claims: Iterable[str], browser: str | None, mode: str | None
) -> dict[str, list[ClaimVerdict]]:
    """The verdicts of each claim on its newest version, those of the latest run in each mode and raster path."""
    from harness.run.catalog import load_catalog
    from harness.run.history import version_order
    from harness.run.ledgers import ledgers_in, read_result

    catalog = load_catalog()
    ledgers = dict.fromkeys(ledger for path in paths for ledger in ledgers_in(path))
    results = [read_result(ledger, catalog) for ledger in ledgers]
    seen = [
        (verdict, result.header.started)
        for result in results
        for verdict in result.verdicts
        if (not mode or verdict.mode == mode) and (not browser or browser in _names(verdict))
    ]
    known = list(dict.fromkeys(one.claim for one, _ in seen))
    found: dict[str, list[ClaimVerdict]] = {}
    for wanted in claims:
        names = [claim for claim in known if fnmatchcase(claim, wanted)]
        if not names:
            where = "".join((f" on {browser}" if browser else "", f" in {mode} mode" if mode else ""))
            remedy = did_you_mean(wanted, known, otherwise=f"`traceproof run {wanted}` gives it one")
            raise UsageError(Problem(f"{wanted} has no verdict{where} in these ledgers", remedy=remedy))
        for claim in names:
            mine = [(one, started) for one, started in seen if one.claim == claim]
            newest = max((one.build.version for one, _ in mine), key=version_order)
            runs: dict[tuple[str, str], dict[str, list[ClaimVerdict]]] = {}
            for one, started in mine:
                if one.build.version == newest:
                    runs.setdefault((one.mode, one.raster), {}).setdefault(started, []).append(one)
            found[claim] = [one for _, by_run in sorted(runs.items()) for one in by_run[max(by_run)]]
    return found


def _names(verdict: ClaimVerdict) -> tuple[str, str]:
    return verdict.build.version, str(verdict.build.major)
