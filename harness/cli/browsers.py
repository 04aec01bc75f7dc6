"""`traceproof browsers`: which builds there are, what each is, and how to get more or fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import echo_json, example, json_option

if TYPE_CHECKING:
    from harness.browser import Build
    from harness.browser.catalogue import Package

_INSTALL = ("traceproof browsers install 110", "traceproof browsers install 83..153", "traceproof browsers install all")


@click.group(epilog=example("traceproof browsers list", "traceproof browsers install 153"))
def browsers() -> None:
    """Find, install and remove browser builds."""


def _say(line: str) -> None:
    click.echo(line, err=True)


def _told(build: Build) -> dict[str, Any]:
    from harness.browser import modes_of
    from harness.browser.catalogue import caveats

    return {
        "product": build.product,
        "version": build.version,
        "major": build.major,
        "modes": list(modes_of(build)),
        "path": str(build.path),
        "source": build.source,
        "caveats": caveats(build.version),
    }


def _package_told(package: Package) -> dict[str, Any]:
    from harness.browser.catalogue import remarks

    return {
        "version": package.says,
        "major": package.major,
        "modes": ["shell"],
        "package": package.package,
        "caveats": remarks(package),
    }


def _line(build: Build) -> str:
    return "\n".join(_lines(_told(build)))


def _lines(told: dict[str, Any]) -> list[str]:
    """One for the build, and one below it for each thing that a reader must know of it."""
    where = told.get("package") or f"{told['source']:<32} {told['path']}"
    return [
        f"{told['version']:<16} {'/'.join(told['modes']):<22} {where}",
        *(f"{'':<16} ! {caveat}" for caveat in told["caveats"]),
    ]


@browsers.command("list", epilog=example("traceproof browsers list --json"))
@json_option
def list_builds(as_json: bool) -> None:
    """List the builds of this machine, and those that can be installed, by what each binary says that it is."""
    from harness.browser import find_builds
    from harness.browser.catalogue import catalogue

    builds = find_builds()
    have = {build.version for build in builds}
    more = [package for package in catalogue() if package.says not in have]
    installed, installable = [_told(build) for build in builds], [_package_told(package) for package in more]
    if as_json:
        echo_json({"builds": installed, "installable": installable})
        return
    click.echo("on this machine:" if builds else "on this machine: none; `traceproof browsers ensure` installs one")
    for told in installed:
        click.echo("\n".join(_lines(told)))
    if more:
        click.echo("\nfrom npm (traceproof browsers install MAJOR):")
    for told in installable:
        click.echo("\n".join(_lines(told)))
    click.echo("\nChrome for Testing: traceproof browsers install chrome@stable, chrome-headless-shell@157, ...")


@browsers.command(epilog=example("traceproof browsers ensure"))
def ensure() -> None:
    """Find a browser that works here, and install one where there is none; says what it does and why."""
    from harness.browser import ensure as ensure_build

    click.echo(_line(ensure_build(_say)))


@browsers.command(epilog=example("traceproof browsers where", "traceproof browsers where 153"))
@click.argument("which", default="")
def where(which: str) -> None:
    """Print the path of the binary that WHICH means: a path, a major, a version, a channel; the default without it."""
    from harness.run.builds import find_builds

    for build in find_builds([which] if which else [], _say):
        click.echo(build.path)


@browsers.command(
    epilog=example(*_INSTALL, "traceproof browsers install chrome@stable chrome-headless-shell@157"),
    short_help="Install builds into the cache, each with its checksum tested.",
)
@click.argument("which", nargs=-1, required=True)
def install(which: tuple[str, ...]) -> None:
    """Install builds into the cache, each with its checksum tested and its binary asked what it is.

    WHICH is a major, a version, a range such as 83..153 or `all` of those that npm has (`browsers list`), or a product
    of Chrome for Testing with a major, a version or a channel; several at once, also with commas.
    """
    from harness.browser import install as install_builds

    for build in install_builds(which, _say):
        click.echo(_line(build))


@browsers.command(epilog=example("traceproof browsers remove 110", "traceproof browsers remove all"))
@click.argument("which", nargs=-1, required=True)
def remove(which: tuple[str, ...]) -> None:
    """Remove builds from the cache: a major, a version, a range or `all`. Installed browsers are not touched."""
    from harness.browser import uninstall

    click.echo(f"{uninstall(which, _say) / 1e6:.0f} MB freed")


@browsers.command(epilog=example("traceproof browsers identify @sparticuz/chromium@149.0.0"))
@click.argument("package", metavar="NAME@VERSION")
def identify(package: str) -> None:
    """Fetch an npm package, ask the binary in it what it is, and print the entry for configs/builds.yaml."""
    from harness.browser.catalogue import remarks
    from harness.browser.npm import identify as identify_package

    found = identify_package(package, _say)
    click.echo(f'  - package: "{found.package}"\n    says: {found.says}\n    integrity: {found.integrity}')
    for remark in remarks(found):
        click.echo(f"# {remark}")
