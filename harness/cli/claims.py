"""`traceproof claims`: what is claimed, and how much of it the lab decides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.history import seen_json
from harness.cli.shared import echo_json, example, json_option, ledgers_option
from harness.errors import Problem, UsageError, UserError
from harness.verdict import Verdict
from harness.wording import did_you_mean, plural

if TYPE_CHECKING:
    from harness.events import Lab
    from harness.run.catalog import Catalog
    from harness.run.history import Seen
    from harness.scenario import Coverage, Tally
    from harness.scenario.model import Case, Claim


@click.group(epilog=example("traceproof claims list parse-html", "traceproof claims coverage --json"))
def claims() -> None:
    """Show the claims, the scenarios that decide them, and what is still open."""


def _read(words: tuple[str, ...]) -> tuple[Catalog, Coverage, list[str]]:
    """The catalog, its coverage, and the words that are no paths. Our own claims are measured against the checklist."""
    from harness.run.catalog import load_catalog, split_paths
    from harness.scenario import claims_coverage, own_checklist

    names, paths = split_paths(words)
    catalog = load_catalog(paths)
    coverage = claims_coverage(catalog.own_claims.values(), catalog.cases, None if paths else own_checklist())
    return catalog, coverage, names


def _states(coverage: Coverage) -> dict[str, tuple[str, str]]:
    """Claim: its state and the reason for it."""
    found: dict[str, tuple[str, str]] = {}
    for tally in coverage.by_event.values():
        found |= dict.fromkeys(tally.decided, ("decided", ""))
        found |= {claim: ("undecidable", why) for claim, why in tally.undecidable.items()}
        found |= {claim: ("open", why) for claim, why in tally.open.items()}
    return found


def _unknown(word: str, known: list[str]) -> UsageError:
    remedy = did_you_mean(word, known, 3, "`traceproof claims list` shows all")
    return UsageError(Problem(f"{word!r} is no claim and no event", remedy=remedy))


@claims.command("list", epilog=example("traceproof claims list", "traceproof claims list parse-html --json"))
@click.argument("words", nargs=-1, metavar="[EVENTS|CLAIMS|FOLDERS]...")
@json_option
def list_claims(words: tuple[str, ...], as_json: bool) -> None:
    """List claims with the state of each: all, or those of the events, claims or folders that are named."""
    catalog, coverage, names = _read(words)
    states = _states(coverage)
    for name in names:
        if name not in states and name not in coverage.by_event:
            raise _unknown(name, [*states, *coverage.by_event])
    rows = []
    for claim, (state, _) in states.items():
        event = claim.partition(".")[0]
        if not names or claim in names or event in names:
            known = catalog.claims.get(claim)
            rows.append({"claim": claim, "event": event, "state": state, "says": known.says if known else ""})
    if as_json:
        echo_json(rows)
        return
    width = max((len(row["claim"]) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row['claim']:<{width}}  {row['state']:<11}  {row['says']}".rstrip())


@claims.command(epilog=example("traceproof claims show parse-html.parses-in-bursts"))
@click.argument("claim_id", metavar="CLAIM")
@ledgers_option
@json_option
def show(claim_id: str, out: Path, as_json: bool) -> None:
    """Show one claim: what it says, what would refute it, the scenarios that decide it, the verdicts that are expected
    and those that the lab last gave, the newest run first.
    """
    catalog, coverage, _ = _read(())
    states = _states(coverage)
    if claim_id not in states:
        raise _unknown(claim_id, list(states))
    claim = catalog.claims.get(claim_id)
    told = _told(catalog, claim_id, claim, *states[claim_id])
    seen, unread = _last_seen(claim_id, out, catalog)
    if as_json:
        echo_json({**told, "seen": [seen_json(one) for one in seen], "unread_ledgers": unread})
        return
    click.echo(claim_id)
    for name, value in told.items():
        for line in value if isinstance(value, list) else [value]:
            if name != "claim" and line:
                shown = line if isinstance(line, str) else _expectation(line)
                click.echo(f"  {name.replace('_', ' '):<11} {shown}")
    if not told["expected"]:
        click.echo(f"  {'expected':<11} HOLDS: no baseline says otherwise")
    for line in _seen_lines(claim_id, seen, unread, out, catalog):
        click.echo(f"  {'last seen':<11} {line}")


def _last_seen(claim: str, out: Path, catalog: Catalog) -> tuple[list[Seen], list[str]]:
    """What stored ledgers say of a claim, the newest first, and those that cannot be read."""
    from harness.run.history import verdicts_of
    from harness.run.ledgers import any_ledgers

    seen: list[Seen] = []
    unread: list[str] = []
    for ledger in any_ledgers(out):
        try:
            seen += verdicts_of(claim, [ledger], catalog)
        except UserError as error:
            unread += [problem.place for problem in error.problems]
    return sorted(seen, key=lambda one: one.started, reverse=True), unread


def _seen_lines(claim: str, seen: list[Seen], unread: list[str], out: Path, catalog: Catalog) -> Iterator[str]:
    from harness.report.words import build_label, tally

    shown: set[Lab] = set()
    for one in seen:
        verdict = one.verdict
        if verdict.lab in shown:
            continue
        shown.add(verdict.lab)
        expected = catalog.baselines.expected(claim, verdict.build.major, verdict.mode, verdict.raster)
        differs = "" if verdict.verdict in (expected, Verdict.NOT_APPLICABLE) else f"  DIFFERS, expected {expected}"
        said = "  ".join(part for part in (str(verdict.verdict), tally(verdict)) if part)
        when = one.started[:16].replace("T", " ")
        yield f"{said} on {build_label(*verdict.lab)}  {when}  {one.ledger}{differs}"
    if not seen:
        yield f"nowhere: no ledger in {out} has a verdict of it; `traceproof run {claim}` gives it one"
    if len(seen) > len(shown):
        yield f"{plural(len(seen) - len(shown), 'older verdict')}: traceproof history {claim} --out {out}"
    for place in unread:
        yield f"not read: {place} is no ledger"


def _told(catalog: Catalog, name: str, claim: Claim | None, state: str, why: str) -> dict[str, Any]:
    deciders = [case for case in catalog.cases if name in case.claims]
    return {
        "claim": name,
        "state": state,
        "why": why,
        "says": claim.says if claim else "",
        "refuted_by": claim.refuted_by if claim else "",
        "kind": claim.kind if claim else "",
        "versions": str(claim.versions) if claim else "",
        "place": str(claim.at) if claim else "",
        "scenarios": [_decider(case) for case in deciders],
        "expected": [
            {
                "verdict": str(entry.verdict),
                "versions": str(entry.versions),
                "modes": list(entry.modes),
                "raster": entry.raster,
                "reason": entry.reason,
            }
            for entry in catalog.baselines.entries
            if entry.claim == name
        ],
    }


def _decider(case: Case) -> str:
    from harness.report.words import raster_label

    return "  ".join(part for part in (case.name, raster_label(case.raster), str(case.at)) if part)


def _expectation(entry: dict[str, Any]) -> str:
    from harness.report.words import bound_label

    bound = bound_label(entry["modes"], entry["raster"])
    return f"{entry['verdict']} on {entry['versions']}{f', {bound}' if bound else ''}: {entry['reason']}"


@claims.command(
    epilog=example(
        "traceproof claims coverage",
        "traceproof claims coverage layout",
        "traceproof claims coverage --json | jq .by_event",
    )
)
@click.argument("words", nargs=-1, metavar="[EVENTS|FOLDERS]...")
@json_option
def coverage(words: tuple[str, ...], as_json: bool) -> None:
    """Count claims that scenarios decide, that no lab here can decide (with the reason), and that are open.

    The open ones are named where EVENTS or FOLDERS are given.
    """
    _, found, names = _read(words)
    for name in names:
        if name not in found.by_event:
            raise _unknown(name, list(found.by_event))
    tallies = {slug: tally for slug, tally in found.by_event.items() if not names or slug in names}
    totals = {key: sum(_counts(tally)[key] for tally in tallies.values()) for key in _KEYS}
    if as_json:
        by_event = {
            slug: {"event": found.events.get(slug, ""), **_counts(tally), "claims": _ids(tally)}
            for slug, tally in tallies.items()
        }
        echo_json({**totals, "by_event": by_event})
        return
    width = max((len(slug) for slug in tallies), default=5)
    click.echo(f"{'event':<{width}}  total  decided  undecidable  open")
    for slug, count in [*((slug, _counts(tally)) for slug, tally in tallies.items()), ("all", totals)]:
        row = f"{count['total']:>5}  {count['decided']:>7}  {count['undecidable']:>11}  {count['open']:>4}"
        click.echo(f"{slug:<{width}}  {row}")
    for tally in tallies.values():
        for claim, why in tally.undecidable.items():
            click.echo(f"undecidable  {claim}  {why}")
    if words:
        for tally in tallies.values():
            for claim, why in tally.open.items():
                click.echo(f"open         {claim}  {why}".rstrip())
    elif totals["open"]:
        click.echo(f"open         {totals['open']:,} claims: name an event to list those of it")


_KEYS = ("total", "decided", "undecidable", "open")


def _counts(tally: Tally) -> dict[str, int]:
    numbers = (tally.total, len(tally.decided), len(tally.undecidable), len(tally.open))
    return dict(zip(_KEYS, numbers, strict=True))


def _ids(tally: Tally) -> dict[str, Any]:
    return {"decided": list(tally.decided), "undecidable": dict(tally.undecidable), "open": dict(tally.open)}
