"""`traceproof browsers`: which builds there are, and how to get more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import example, json_option

if TYPE_CHECKING:
    from harness.browser import Build


@click.group(epilog=example("traceproof browsers list", "traceproof browsers install 153"))
def browsers() -> None:
    """Find and install browser builds."""


def _told(build: Build) -> dict[str, Any]:
    from harness.browser import modes_of

    return {
        "product": build.product,
        "version": build.version,
        "major": build.major,
        "modes": list(modes_of(build)),
        "path": str(build.path),
        "source": build.source,
    }


def _line(build: Build) -> str:
    told = _told(build)
    return f"{build.version:<16} {'/'.join(told['modes']):<22} {build.source:<32} {build.path}"


@browsers.command("list", epilog=example("traceproof browsers list --json"))
@json_option
def list_builds(as_json: bool) -> None:
    """List the builds of this machine, and those that can be installed."""
    from harness.browser import find_builds
    from harness.browser.package import catalogue

    builds = find_builds()
    have = {build.major for build in builds}
    more = [package for package in catalogue() if package.major not in have]
    if as_json:
        told = {"builds": [_told(build) for build in builds], "installable": [package.says for package in more]}
        click.echo(json.dumps(told, indent=2))
        return
    for build in builds:
        click.echo(_line(build))
    if not builds:
        click.echo("none; `traceproof browsers ensure` installs one")
    if more:
        click.echo(f"can be installed: {', '.join(f'{package.major} ({package.package})' for package in more)}")


@browsers.command(epilog=example("traceproof browsers ensure"))
def ensure() -> None:
    """Find a browser that works here, and install one where there is none; says what it does and why."""
    from harness.browser import ensure as ensure_build

    click.echo(_line(ensure_build(lambda line: click.echo(line, err=True))))


@browsers.command(epilog=example("traceproof browsers where", "traceproof browsers where 153"))
@click.argument("which", default="")
def where(which: str) -> None:
    """Print the path of the binary that WHICH means: a path, a major, a version, a channel; the default without it."""
    from harness.run.builds import find_builds

    for build in find_builds([which] if which else [], lambda line: click.echo(line, err=True)):
        click.echo(build.path)


@browsers.command(epilog=example("traceproof browsers install 153"))
@click.argument("major", type=click.IntRange(min=1))
def install(major: int) -> None:
    """Install the build of MAJOR from its package, with its checksum tested."""
    from harness.browser import install as install_build

    click.echo(_line(install_build(major, lambda line: click.echo(line, err=True))))
