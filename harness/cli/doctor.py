"""`traceproof doctor`: what this machine can do, tried out, and the remedy for what it cannot."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from harness.cli.shared import echo_json, example, json_option

if TYPE_CHECKING:
    from harness.browser import Check


@click.command(epilog=example("traceproof doctor", "traceproof doctor --launch"))
@click.option("--launch", is_flag=True, help="Start each build in each of its modes, not only the newest build.")
@json_option
def doctor(launch: bool, as_json: bool) -> int:
    """Try what this machine can do, and say what is missing with the remedy. Status 3 when nothing can be recorded."""
    checks = asyncio.run(_examine(launch, as_json))
    if as_json:
        echo_json([asdict(check) for check in checks])
    return 3 if any(check.required and not check.ok for check in checks) else 0


async def _examine(launch: bool, quiet: bool) -> list[Check]:
    from harness.browser import examine

    checks = []
    async for check in examine(every=launch):
        checks.append(check)
        if not quiet:
            _show(check)
    for check in _needs():
        checks.append(check)
        if not quiet:
            _show(check)
    return checks


def _needs() -> list[Check]:
    """What a scenario may ask for under `needs:`."""
    from harness.browser import Check
    from harness.run.capabilities import CAPABILITIES

    remedy = "scenarios that need it are UNSUPPORTED here"
    found = []
    for need, (says, lacking) in CAPABILITIES.items():
        reason = lacking()
        found.append(Check(f"needs: {need}", not reason, reason or says, remedy if reason else ""))
    return found


def _show(check: Check) -> None:
    state = "ok" if check.ok else "missing" if check.required else "limited"
    click.echo(f"{state:<8} {check.name:<24} {check.says}")
    if check.remedy and not check.ok:
        click.echo(f"{'':<8} {'':<24} remedy: {check.remedy}")
