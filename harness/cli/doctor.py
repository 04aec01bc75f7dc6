"""`traceproof doctor`: what this machine can do, and the remedy for what it cannot."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared import example, json_option
from harness.errors import TraceproofError

if TYPE_CHECKING:
    from harness.browser import Build

_ROOM_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `needed`: without it nothing can be recorded here."""

    what: str
    fine: bool
    found: str
    remedy: str = ""
    needed: bool = True


@click.command(epilog=example("traceproof doctor", "traceproof doctor --launch"))
@click.option("--launch", is_flag=True, help="Also start each build in each of its modes.")
@json_option
def doctor(launch: bool, as_json: bool) -> int:
    """Say what this machine can do, and what is missing with the remedy. Status 3 when nothing can be recorded."""
    checks = list(_checks(launch))
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            state = "ok" if check.fine else "missing" if check.needed else "limited"
            click.echo(f"{state:<8} {check.what:<22} {check.found}")
            if check.remedy and not check.fine:
                click.echo(f"{'':<8} {'':<22} remedy: {check.remedy}")
    return 3 if any(check.needed and not check.fine for check in checks) else 0


def _checks(start: bool) -> Iterator[Check]:
    from harness.paths import cache_root
    from harness.run.capabilities import CAPABILITIES
    from harness.store import machine_facts

    facts = machine_facts()
    yield Check("machine", True, f"{facts['kernel']}, {facts['cores']} cores, load {facts['load']}")
    yield Check("python", True, facts["python"])
    yield from _browsers(start)
    for need, (says, check) in CAPABILITIES.items():
        lacking = check()
        yield Check(need, not lacking, lacking or says, "scenarios that need it are UNSUPPORTED here", needed=False)
    yield _room("temporary folder", Path(tempfile.gettempdir()))
    yield _room("output folder", Path.cwd())
    npm = shutil.which("npm")
    yield Check("npm", bool(npm), npm or "not there", "apt-get install npm, to install other builds", needed=False)
    yield Check("browser cache", True, str(cache_root()))


def _browsers(start: bool) -> Iterator[Check]:
    from harness.browser import find_builds

    try:
        builds, wrong = find_builds(), "none found"
    except TraceproofError as error:
        builds, wrong = [], str(error)
    if not builds:
        yield Check("browser", False, wrong, "traceproof browsers ensure")
    for build in builds:
        yield Check(f"browser {build.major}", True, f"{build.version} {'/'.join(build.modes)} {build.path}")
        for mode in build.modes if start else ():
            failed = _start(build, mode)
            yield Check(f"  starts {mode}", not failed, failed or "yes", "traceproof browsers list shows others", False)
    for mode, package in (("headless", "chromium"), ("shell", "chromium-headless-shell")):
        if not any(mode in build.modes for build in builds):
            yield Check(f"mode {mode}", False, "no build has it", f"apt-get install {package}", needed=False)


def _start(build: Build, mode: str) -> str:
    """What is wrong with it; empty when it starts and ends."""
    import asyncio

    from harness.browser import launch

    async def once() -> None:
        async with launch(build, mode):
            pass

    try:
        asyncio.run(once())
    except TraceproofError as error:
        return str(error)
    return ""


def _room(what: str, folder: Path) -> Check:
    if not os.access(folder, os.W_OK):
        return Check(what, False, f"{folder} cannot be written", "choose another with --out or TMPDIR")
    free = shutil.disk_usage(folder).free
    remedy = f"free some space: {_ROOM_BYTES / 1e9:.0f} GB are enough for most runs"
    return Check(what, free >= _ROOM_BYTES, f"{folder}, {free / 1e9:.1f} GB free", remedy, needed=False)
