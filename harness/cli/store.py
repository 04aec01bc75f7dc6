"""`traceproof store`: the recordings by the sha256 of their traces."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.shared import MODES, console, echo_json, example, json_option

if TYPE_CHECKING:
    from harness.store import Entry, Store, Use
    from harness.trace.context import RecordingContext

_SHOWN = 12  # digits of a hash
store_option = click.option(
    "--store",
    "root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="TRACEPROOF_STORE",
    help="The store, or a folder that has one. Default: that of out/.",
)


@click.group(epilog=example("traceproof store list", "traceproof store verify"))
def store() -> None:
    """List, check, keep, prune and export the recordings that runs have made."""


@store.command(
    "list", epilog=example("traceproof store list", "traceproof store list --claim 'parse-html.*' --build 156 --json")
)
@click.option("--scenario", default="*", help="A scenario, or a glob.")
@click.option("--claim", default="", help="Only recordings of scenarios that test this claim, or glob.")
@click.option("--build", default="", help="A major version, or the beginning of a version.")
@click.option("--mode", default="", type=click.Choice(["", *MODES]), help="Only of this mode.", show_choices=True)
@click.option("--kept", is_flag=True, help="Only those that have a name.")
@store_option
@json_option
def list_(scenario: str, claim: str, build: str, mode: str, kept: bool, root: Path | None, as_json: bool) -> int:
    """Show the recordings of a store, the newest first."""
    from harness.store import find_store

    place = find_store(root)
    names = _names(place)
    found = [
        entry
        for entry in place.entries()
        if fnmatchcase(entry.manifest.scenario, scenario)
        and (not claim or any(fnmatchcase(one, claim) for one in entry.manifest.claims))
        and f"{entry.manifest.build.version}.".startswith(f"{build}." if build else "")
        and mode in ("", entry.manifest.mode)
        and (not kept or entry.sha256 in names)
    ]
    if as_json:
        echo_json({"store": str(place.root), "recordings": [_json(entry, names) for entry in found]})
        return 0
    for entry in found:
        click.echo(_line(entry, names))
    size = sum(entry.manifest.bytes for entry in found)
    click.echo(f"{len(found)} recordings, {size / 1e6:.1f} MB, in {place.root}", err=True)
    return 0


@store.command(epilog=example("traceproof store show 3fa9c1", "traceproof store show spans-156 --json"))
@click.argument("word", metavar="HASH_OR_NAME")
@store_option
@json_option
def show(word: str, root: Path | None, as_json: bool) -> int:
    """Show where recordings come from, what is known beside the trace, and which verdicts stand on them."""
    from harness.store import find_store, uses

    place = find_store(root)
    names, used = _names(place), uses(place.ledgers(), lenient=True)
    found = [(entry, used.get(entry.sha256, [])) for entry in place.find(word)]
    if as_json:
        echo_json({"recordings": [_json(entry, names) | _more(place, entry, ones) for entry, ones in found]})
        return 0
    for entry, ones in found:
        for line in _told(place, entry, ones, names):
            click.echo(line)
    return 0


@store.command(epilog=example("traceproof store verify", "traceproof store verify --store /data/traces --json"))
@store_option
@json_option
def verify(root: Path | None, as_json: bool) -> int:
    """Hash every object again. Exit status 1 when one is damaged or missing."""
    from rich.progress import Progress

    from harness.store import find_store
    from harness.store import verify as check

    place = find_store(root)
    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("hashing", total=None)
        faults, objects = check(place, lambda done, total: progress.update(task, completed=done, total=total))
    if as_json:
        told = [{"sha256": fault.digest, "what": fault.what} for fault in faults]
        echo_json({"store": str(place.root), "objects": objects, "faults": told})
    else:
        for fault in faults:
            click.echo(str(fault))
        click.echo(f"{objects} objects, {f'{len(faults)} faults' if faults else 'all sound'}", err=bool(faults))
    return int(bool(faults))


@store.command(epilog=example("traceproof store keep spans-156 3fa9c1 88d0b2"))
@click.argument("name")
@click.argument("hashes", nargs=-1, required=True)
@store_option
def keep(name: str, hashes: tuple[str, ...], root: Path | None) -> int:
    """Keep recordings as reference traces under NAME, instead of those that had it: they are never pruned."""
    from harness.store import find_store

    place = find_store(root)
    entries = [entry for word in hashes for entry in place.find(word)]
    place.keep(name, [entry.sha256 for entry in entries])
    click.echo(f"kept as {name}: {', '.join(entry.sha256[:_SHOWN] for entry in entries)}")
    return 0


@store.command(epilog=example("traceproof store drop spans-156"))
@click.argument("name")
@store_option
def drop(name: str, root: Path | None) -> int:
    """Let go of NAME; its recordings stay until they are pruned."""
    from harness.store import find_store

    find_store(root).drop(name)
    return 0


@store.command(
    epilog=example("traceproof store prune", "traceproof store prune --yes", "traceproof store prune --older-than 90")
)
@click.option("--yes", is_flag=True, help="Do it; without this nothing is removed.")
@click.option(
    "--older-than",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Also recordings of runs that began earlier, and their files in the run folders; the ledgers stay.",
)
@store_option
@json_option
def prune(yes: bool, older_than: int | None, root: Path | None, as_json: bool) -> int:
    """Remove recordings that no kept name, no ledger and no run folder needs. Shows what would go, until --yes."""
    from harness.store import find_store, plan_pruning
    from harness.store import prune as remove

    place = find_store(root)
    before = "" if older_than is None else (datetime.now(UTC) - timedelta(days=older_than)).isoformat()
    with place.alone():
        plan = plan_pruning(place, before)
        if yes:
            remove(place, plan)
    if as_json:
        gone = [entry.sha256 for entry in plan.entries]
        told = {"removed": yes, "recordings": gone, "objects": len(plan.objects), "bytes": plan.bytes}
        echo_json({**told, "run_files": len(plan.shown), "kept": dict(plan.kept)})
        return 0
    for entry in plan.entries:
        click.echo(_line(entry, {}))
    for reason, count in plan.kept.most_common():
        click.echo(f"stay: {count} {reason}")
    files = f" and {len(plan.shown)} files of run folders" if plan.shown else ""
    what = f"{len(plan.entries)} recordings ({len(plan.objects)} objects{files}), {plan.bytes / 1e6:.1f} MB"
    click.echo(f"removed: {what}" if yes else f"would remove {what}; --yes does it")
    return 0


@store.command(
    epilog=example(
        "traceproof store export 3fa9c1 -o one.zip",
        "traceproof store export spans-156 -o shared --scrub",
    )
)
@click.argument("words", nargs=-1, required=True, metavar="HASH_OR_NAME…")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="A .zip, or a folder.")
@click.option("--scrub", is_flag=True, help="Without paths, names, credentials and other processes than the page's.")
@click.option("--every-process", is_flag=True, help="With --scrub: keep the events of all processes.")
@store_option
def export(words: tuple[str, ...], output: Path, scrub: bool, every_process: bool, root: Path | None) -> int:
    """Write recordings with their contexts and manifests to an archive or a folder.

    `traceproof check` tests what is unpacked. With --scrub the traces are other files, with hashes of their own; what
    expectations say of the page stays.
    """
    from harness.store import export as write
    from harness.store import find_store

    place = find_store(root)
    entries = list({entry.sha256: entry for word in words for entry in place.find(word)}.values())
    for name in write(place, entries, output, clean=scrub, every_process=every_process):
        click.echo(f"  {name}")
    click.echo(f"{len(entries)} recordings in {output}")
    return 0


def _names(place: Store) -> dict[str, list[str]]:
    """By hash, the names that it is kept under."""
    found: dict[str, list[str]] = {}
    for name, digests in place.names().items():
        for digest in digests:
            found.setdefault(digest, []).append(name)
    return found


def _case(entry: Entry) -> str:
    one = entry.manifest
    return f"{one.scenario}[{one.cell}]" if one.cell else one.scenario


def _line(entry: Entry, names: dict[str, list[str]]) -> str:
    one = entry.manifest
    what = f"{_case(entry)} {one.arm}" + (f"-{one.block}" if one.block else "")
    kept = f"  = {', '.join(names[entry.sha256])}" if entry.sha256 in names else ""
    where = f"{one.build.version} {one.mode}"
    return f"{entry.sha256[:_SHOWN]}  {one.recorded[:16]}  {where:<24} {one.bytes / 1e3:>9.1f} kB  {what}{kept}"


def _json(entry: Entry, names: dict[str, list[str]]) -> dict[str, Any]:
    import msgspec

    manifest = msgspec.to_builtins(entry.manifest)
    return {"sha256": entry.sha256, "names": names.get(entry.sha256, []), "manifest": manifest}


def _context(place: Store, entry: Entry) -> RecordingContext | None:
    import msgspec

    from harness.trace.context import RecordingContext

    path = place.object(entry.context)
    if not entry.context or not path.is_file():
        return None
    return msgspec.json.decode(path.read_bytes(), type=RecordingContext)


def _more(place: Store, entry: Entry, ones: list[Use]) -> dict[str, Any]:
    context = _context(place, entry)
    told: dict[str, Any] = {"object": str(place.object(entry.sha256)), "context": None}
    if context:
        told["context"] = {
            "marks": {mark.name: mark.ts_us for mark in context.marks},
            "values": sorted(context.values),
            "requests": len(context.log),
            "pids": sorted(context.page.frame_pids) if context.page else [],
        }
    told["uses"] = [
        {
            "ledger": str(use.ledger),
            "attempt": use.attempt.number,
            "valid": use.attempt.valid,
            "file": str(use.file),
            "findings": [{"claims": one.claims, "outcome": one.outcome} for one in use.attempt.findings],
        }
        for use in ones
    ]
    return told


def _told(place: Store, entry: Entry, ones: list[Use], names: dict[str, list[str]]) -> Iterator[str]:
    one, context = entry.manifest, _context(place, entry)
    yield entry.sha256 + (f"  = {', '.join(names[entry.sha256])}" if entry.sha256 in names else "")
    yield f"  scenario    {_case(entry)}, arm {one.arm}, attempt {one.attempt}"
    yield f"  build       {one.build.product} {one.build.version} {one.mode}, {one.raster} raster"
    yield f"  recorder    {one.recorder}: {', '.join(one.categories)}"
    yield f"  recorded    {one.recorded}, {one.machine.get('kernel', '')}, load {one.machine.get('load', '?')}"
    loss = "data was lost" if one.data_loss else "nothing was lost"
    yield f"  trace       {one.bytes:,} bytes, {loss}: {place.object(entry.sha256)}"
    if context:
        marks = ", ".join(mark.name for mark in context.marks)
        pids = ", ".join(map(str, sorted(context.page.frame_pids))) if context.page else "not known"
        yield f"  context     marks {marks}; {len(context.log)} requests; page in process {pids}"
        if context.values:
            yield f"              values {', '.join(sorted(context.values))}"
    if not ones:
        yield "  no ledger stands on it"
    for use in ones:
        state = "valid" if use.attempt.valid else use.attempt.error or "; ".join(use.attempt.reasons)
        yield f"  {use.ledger}: attempt {use.attempt.number}, {state.splitlines()[0]}"
        for finding in use.attempt.findings:
            yield f"    {finding.outcome:<8} {', '.join(finding.claims)}: {finding.summary}"
