"""Cost against the number of expectations, of claims, and of claims times builds: `python -m bench.many WHAT NUMBER`.

Each measurement is a process of its own, as in `probe`; what it works on is made first and not measured.

evaluate: NUMBER expectations on one recording, which has been read. load: the scenarios of NUMBER claims are read;
lint: with every rule. read, report, verify, merge: the ledger of 2,500 claims on 8 builds is `2500:8`. None of its
recordings is there, so no evidence is drawn and none is copied.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from harness.events import CaseResult, RunHeader, RunPlan, RunResult, Shard

Job = Callable[[], object]

_EXPECTATIONS = (
    "count: {{of: {0}, where: {{dur: {{compare: '>= {1}'}}}}, is: '>= 0'}}",
    "each: {{of: {0}, has: {{ts: {{compare: '> {1}'}}}}}}",
    "compare: {{left: {{max: dur, of: {0}}}, is: '>= {1}'}}",
    "each: {{of: {0}, inside: tasks}}",
    "none: {{of: {0}, where: {{ts: {{compare: '< {1}'}}}}}}\n    control: {{count: {{of: {0}, is: '>= 1'}}}}",
)
_NAMES = ("Layout", "FunctionCall", "FireAnimationFrame", "UpdateLayoutTree", "Paint", "TimerFire", "RunMicrotasks")


def evaluated(number: int, folder: Path, recording: str) -> Job:
    """Selections by name, and expectations on them in turn, none like another."""
    from harness.expect import Recording
    from harness.run.catalog import load_catalog
    from harness.run.judging import judge
    from harness.trace import load, resolve_page
    from harness.trace.context import RecordingContext

    selections = [f"  s{at}: {{name: {name}}}" for at, name in enumerate(_NAMES)]
    tests = [
        f"  - claim: many.claim\n    {_EXPECTATIONS[at % len(_EXPECTATIONS)].format(f's{at % len(_NAMES)}', at)}"
        for at in range(number)
    ]
    (folder / "page.html").write_text("<!doctype html>")
    (folder / "claims.yaml").write_text(_claims("many", ["many.claim"]))
    (folder / "many.scenario.yaml").write_text(
        "scenario: many.one\ntitle: Many expectations\nclaims: [many.claim]\nrecord: {categories: [timeline]}\n"
        "fixture: page.html\nsteps:\n  - goto: '${fixture.url}'\nselect:\n  tasks: {name: RunTask}\n"
        + "\n".join([*selections, "expect:", *tests])
        + "\n"
    )
    (case,) = load_catalog([folder]).cases
    trace = load(Path(recording))
    context = RecordingContext(page=resolve_page(trace))

    def judged() -> object:
        findings, reasons = judge(case, {"main": [Recording(trace, context)]})
        assert len(findings) == number and not reasons
        return findings

    return judged


def linted(number: int, folder: Path) -> Job:
    from harness.run.lint import lint

    _catalog(number, folder)

    def look() -> object:
        found = lint([folder])
        assert found.counts["claims"] == number and not found.problems, found.problems[:1]
        return found

    return look


def loaded(number: int, folder: Path) -> Job:
    from harness.run.catalog import load_catalog

    _catalog(number, folder)
    return lambda: load_catalog([folder])


def _catalog(claims: int, folder: Path) -> None:
    """Events of ten claims each, two claims to a scenario."""
    for event in range(claims // 10):
        slug = f"event-{event}"
        place = folder / slug
        place.mkdir()
        names = [f"{slug}.claim-{at}" for at in range(10)]
        (place / "page.html").write_text("<!doctype html>")
        (place / "claims.yaml").write_text(_claims(slug, names))
        for at in range(0, 10, 2):
            (place / f"s{at}.scenario.yaml").write_text(
                f"scenario: {slug}.s{at}\ntitle: Scenario {at} of {slug}\nclaims: [{names[at]}, {names[at + 1]}]\n"
                "record: {categories: [timeline]}\nfixture: page.html\nsteps:\n  - goto: '${fixture.url}'\n"
                "  - settle: 100ms\nselect:\n  layouts: {name: Layout, on: page.main, during: start..end}\n"
                "  scripts: {name: FunctionCall, on: page.main, where: {args.data.url: {matches: page}}}\nexpect:\n"
                f"  - claim: {names[at]}\n    count: {{of: layouts, is: {at + 1}}}\n"
                f"  - claim: {names[at + 1]}\n    each: {{of: layouts, inside: scripts}}\n"
            )


def _claims(slug: str, names: list[str]) -> str:
    told = [f"  - id: {name}\n    says: What {name} says.\n    refuted_by: Anything else.\n" for name in names]
    return f"event: Layout\nslug: {slug}\nclaims:\n" + "".join(told)


def _ledger(words: str) -> RunResult:
    from tests.report.large import large

    claims, builds = map(int, words.split(":"))
    return large(claims, builds)


def _written(result: RunResult, folder: Path) -> Path:
    import msgspec

    from tests.report.large import lines

    ledger = folder / "ledger.jsonl"
    ledger.write_bytes(b"\n".join(map(msgspec.json.encode, lines(result))) + b"\n")
    return ledger


def read(words: str, folder: Path) -> Job:
    from harness.run.baselines import Baselines
    from harness.run.catalog import Catalog
    from harness.run.ledgers import read_result

    ledger = _written(_ledger(words), folder)
    catalog = Catalog((), {}, {}, Baselines())
    return lambda: read_result(ledger, catalog)


def reported(words: str, folder: Path) -> Job:
    from harness.cli.report import write_report

    result = _ledger(words)
    return lambda: write_report([result], folder / "report.html", quiet=True)


def verified(words: str, folder: Path) -> Job:
    from harness.report import changes, verify_lines

    result = _ledger(words)
    return lambda: (changes(result), verify_lines(result, everything=True))


def merged(words: str, folder: Path) -> Job:
    """Two shards, every second case in each."""
    from harness.run.merge import merge
    from harness.run.mixture import Part

    whole = _ledger(words)
    plan = RunPlan(
        cases={case.name: "" for case in whole.cases},
        builds=list({case.build.version: case.build for case in whole.cases}.values()),
        modes=["shell"],
    )
    parts = [_part(whole, plan, number, folder, Part) for number in (1, 2)]
    return lambda: merge(parts, folder / "merged", ["traceproof", "merge"], partial=True)


def _part(whole: RunResult, plan: RunPlan, number: int, folder: Path, part: Callable[..., object]) -> object:
    import msgspec

    names = set(list(plan.cases)[number - 1 :: 2])
    cases: list[CaseResult] = [case for case in whole.cases if case.name in names]
    claims = {claim for case in cases for claim in case.claims}
    verdicts = [one for one in whole.verdicts if one.claim in claims]
    shard = Shard(number=number, of=2, jobs=list(range(number - 1, 2 * len(cases), 2)), planned=len(whole.cases))
    own = msgspec.structs.replace(plan, shard=shard)
    header: RunHeader = msgspec.structs.replace(whole.header, plan=own)
    result = msgspec.structs.replace(whole, header=header, cases=cases, verdicts=verdicts)
    return part(folder / str(number) / "ledger.jsonl", header, own, shard, result, {}, True)


LEDGERS = {"read": read, "report": reported, "verify": verified, "merge": merged}


def main(what: str, number: str, recording: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="traceproof-bench-") as name:
        folder = Path(name)
        if what == "evaluate":
            job = evaluated(int(number), folder, recording)
        elif what in LEDGERS:
            job = LEDGERS[what](number, folder)
        else:
            job = {"lint": linted, "load": loaded}[what](int(number), folder)
        wall, cpu = time.perf_counter(), time.process_time()
        kept = job()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps({"wall_s": wall, "cpu_s": cpu}), flush=True)
        del kept


if __name__ == "__main__":
    main(*sys.argv[1:])
