"""What changed between builds and against the baseline: one screen for the maintainer of a manual or a tool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from harness.events import CaseResult, ClaimVerdict, Lab, RunResult
from harness.report.near import nearest_miss, shortened, telling
from harness.report.words import build_label, counted, tally
from harness.wording import plural

Deciding = dict[tuple[str, Lab], list[CaseResult]]

SHOWN = 8  # claims on one screen


@dataclass(frozen=True, slots=True)
class Changed:
    """A claim with its verdicts, the oldest build first.

    `changed`: builds answer differently; what says nothing of Chrome is no answer. `drifted`: from the baseline.
    """

    claim: str
    verdicts: tuple[ClaimVerdict, ...]
    changed: bool
    drifted: bool


def changes(result: RunResult) -> list[Changed]:
    """Claims that differ: what the baseline does not expect first, then what only differs between builds."""
    claims: dict[str, list[ClaimVerdict]] = {}
    for verdict in result.verdicts:
        claims.setdefault(verdict.claim, []).append(verdict)
    found = []
    for claim, verdicts in claims.items():
        verdicts.sort(key=lambda one: (one.build.major, one.build.version, one.mode, one.raster))
        words = {one.verdict for one in verdicts if one.verdict.says_of_chrome}
        one = Changed(claim, tuple(verdicts), len(words) > 1, any(verdict.drift for verdict in verdicts))
        if one.changed or one.drifted:
            found.append(one)
    return sorted(found, key=lambda one: (not one.drifted, one.claim))


def verify_lines(result: RunResult, *, everything: bool = False) -> list[str]:
    """Totals, then each claim that differs with its verdicts, the reason, a trace and the command that repeats it."""
    found, deciding = changes(result), _deciding(result)
    labs = list(dict.fromkeys(build_label(*one.lab) for one in result.verdicts))
    claims = len({one.claim for one in result.verdicts})
    differ = f"changed between builds: {sum(one.changed for one in found)}, " if len(labs) > 1 else ""
    drift = f"not as the baseline expects: {sum(one.drifted for one in found)}"
    lines = [f"{plural(claims, 'claim')} on {', '.join(labs) or 'no build'}"]
    lines += [counted(one.verdict for one in result.verdicts), f"{differ}{drift}"]
    shown = found if everything else found[:SHOWN]
    for one in shown:
        lines += ["", *_claim(one, result, deciding)]
    if len(found) > len(shown):
        lines += ["", f"… and {len(found) - len(shown)} more: --all"]
    lines += ["", f"evidence   {result.folder}"]
    if any(one.drifted for one in found):
        lines.append(f"to accept  traceproof baseline update {result.folder}")
    return lines


def _claim(one: Changed, result: RunResult, deciding: Deciding) -> Iterator[str]:
    words = [word for word, true in (("changed", one.changed), ("not as expected", one.drifted)) if true]
    known = "" if one.drifted else ", as the baseline says"
    yield f"{one.claim}: {', '.join(words)}{known}"
    if says := one.verdicts[0].says:
        yield f"  {says}"
    width = max(len(build_label(*each.lab)) for each in one.verdicts)
    for verdict in one.verdicts:
        expected = f", expected {verdict.expected}" if verdict.drift else ""
        met = f"  {tally(verdict)}" if tally(verdict) else ""
        yield f"  {build_label(*verdict.lab):<{width}}  {verdict.verdict}{met}{expected}"
        if why := verdict.reason or (verdict.baseline_reason if not verdict.drift else ""):
            yield f"    {' '.join(why.split())}"
        if verdict.drift:
            trace, miss = _evidence(verdict, result, deciding)
            for label, text in (("near", miss), ("trace", trace), ("again", verdict.repeat)):
                if text:
                    yield f"    {label:<6} {text}"
    majors = [verdict.build.major for verdict in one.verdicts if verdict.verdict.says_of_chrome]
    if one.changed and min(majors) < max(majors):
        yield f"  since?   traceproof bisect {one.claim} --from {min(majors)} --to {max(majors)}"


def _deciding(result: RunResult) -> Deciding:
    """The cases of each claim on each build, in their order."""
    found: Deciding = {}
    for case in result.cases:
        for claim in case.claims:
            found.setdefault((claim, case.lab), []).append(case)
    return found


def _evidence(verdict: ClaimVerdict, result: RunResult, deciding: Deciding) -> tuple[str, str]:
    """The first recording of the first attempt that says what the verdict says, and the nearest miss in it."""
    cases = deciding.get((verdict.claim, verdict.lab), ())
    found = telling(verdict, (case for case in cases if case.name in verdict.scenarios))
    if found is None:
        return "", ""
    attempt, finding = found
    near = [one for one in attempt.recordings if (one.arm, one.block) == (finding.arm, finding.block)]
    trace = next((f"{result.folder}/{one.trace}" for one in near or attempt.recordings), "")
    miss = nearest_miss(finding)
    return trace, shortened(f"#{miss.seq} {miss.name}: {miss.note}") if miss else ""


def verify_json(result: RunResult) -> dict[str, Any]:
    """Keys: folder, ledger, builds, differences, totals."""
    found, deciding = changes(result), _deciding(result)
    labs = list(dict.fromkeys(one.lab for one in result.verdicts))
    return {
        "folder": result.folder,
        "ledger": result.ledger,
        "builds": [{**msgspec.to_builtins(build), "mode": mode, "raster": raster} for build, mode, raster in labs],
        "differences": [
            {
                "claim": one.claim,
                "changed": one.changed,
                "drifted": one.drifted,
                "verdicts": [
                    {
                        **msgspec.to_builtins(verdict),
                        "drift": verdict.drift,
                        "trace": _evidence(verdict, result, deciding)[0],
                    }
                    for verdict in one.verdicts
                ],
            }
            for one in found
        ],
        "totals": {
            "claims": len({one.claim for one in result.verdicts}),
            "changed": sum(one.changed for one in found),
            "drifted": sum(one.drifted for one in found),
        },
    }
