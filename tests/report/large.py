"""Ledgers as large as the manual is, to measure the report: `python -m tests.report.large FOLDER [CLAIMS [BUILDS]]`."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from harness.events import (
    Attempt,
    BuildView,
    CaseResult,
    ClaimVerdict,
    Finding,
    LedgerLine,
    RecordingRef,
    RunFooter,
    RunHeader,
    RunResult,
)
from harness.evidence import Drawing, Highlight, Lane
from harness.verdict import Outcome, Verdict
from tests.samples import event

MAJORS = (83, 89, 103, 110, 126, 138, 153, 156)
WORDS = [Verdict.HOLDS] * 30 + [Verdict.REFUTED] * 4 + [Verdict.SOMETIMES, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE]


def large(claims: int = 2_500, builds: int = 8) -> RunResult:
    """A run of `claims` claims of 100 events, two to a scenario, three attempts each; the same each time."""
    chance = random.Random(7)
    cases: list[CaseResult] = []
    verdicts: list[ClaimVerdict] = []
    for number in range(0, claims, 2):
        names = [f"event-{one % 100:02}.claim-{one}" for one in (number, number + 1)]
        words = {name: chance.choice(WORDS) for name in names}
        for major in MAJORS[:builds]:
            if chance.random() < 0.03:  # this release changed it
                words = {name: chance.choice(WORDS) for name in names}
            build = BuildView(product="Chromium", version=f"{major}.0.1.2", major=major, path="/b", source="cache")
            cases.append(_case(number, names, words, build))
            verdicts += [_verdict(name, words[name], build) for name in names]
    header = RunHeader(traceproof="0.1.0", started="2026-01-31T12:00:00.000+00:00", command=["traceproof", "run"])
    footer = RunFooter(seconds=3_600, verdicts={}, drifts=0)
    return RunResult(header=header, cases=cases, verdicts=verdicts, footer=footer, folder="out/large")


def _case(number: int, names: list[str], words: dict[str, Verdict], build: BuildView) -> CaseResult:
    attempts = []
    for attempt in (1, 2, 3):
        findings = [
            Finding(
                index=index,
                claims=[name],
                form="count",
                text=f"claim: {name}\ncount: {{of: parsed, is: 3, where: {{args.url: {{matches: page-{number}}}}}}}",
                outcome=Outcome.MET if words[name] is Verdict.HOLDS else Outcome.UNMET,
                summary=f"asked for 3 `parsed` (ParseHTML on page.main), found {2 + attempt % 2}",
                population=3,
                matched=[event(seq=number + attempt + one) for one in range(3)],
                misses=[] if words[name] is Verdict.HOLDS else [event(seq=number, note="missed: dur 12 us")],
                place=f"scenarios/event-{number % 100:02}/s{number}.scenario.yaml:{12 + index}:5",
                arm="main",
            )
            for index, name in enumerate(names)
        ]
        reference = RecordingRef(
            arm="main",
            block=0,
            trace=f"recordings/event.s{number}/{build.version}-shell/{attempt}/main.json.gz",
            context=f"recordings/event.s{number}/{build.version}-shell/{attempt}/main.context.json",
            sha256=f"{number:064}",
            events=4_000,
            bytes=90_000,
            recorder="cdp-browser",
            categories=["blink", "devtools.timeline"],
        )
        attempts.append(Attempt(number=attempt, valid=True, findings=findings, recordings=[reference], seconds=2.5))
    return CaseResult(
        scenario=f"event-{number % 100:02}.s{number}",
        place=f"scenarios/event-{number % 100:02}/s{number}.scenario.yaml:1:1",
        title=f"A page with {number} elements is parsed in bursts",
        build=build,
        mode="shell",
        claims=names,
        verdicts=words,
        attempts=attempts,
        repeat=f"traceproof run event.s{number} --browser {build.major} --mode shell --attempts 3",
    )


def _verdict(name: str, word: Verdict, build: BuildView) -> ClaimVerdict:
    first = int(name.rpartition("-")[2]) // 2 * 2  # of the two claims of its scenario
    met = {Verdict.HOLDS: 3, Verdict.SOMETIMES: 2}.get(word, 0)
    return ClaimVerdict(
        claim=name,
        says=f"What {name} says of its event, in about as many words as a sentence of the manual has.",
        event=name.partition(".")[0],
        build=build,
        mode="shell",
        verdict=word,
        met=met,
        valid=0 if word in (Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE) else 3,
        attempts=3,
        expected=Verdict.REFUTED if word is Verdict.REFUTED and int(name[-1]) < 8 else Verdict.HOLDS,
        reason="" if word is Verdict.HOLDS else f"asked for 3 `parsed` (ParseHTML on page.main), found {met}",
        scenarios=[f"event-{first % 100:02}.s{first}"],
    )


def lines(result: RunResult) -> Iterator[LedgerLine]:
    yield result.header
    yield from result.cases
    yield from result.verdicts
    yield result.footer


def crowded(events: int = 50_000, threads: int = 12) -> Drawing:
    """A drawing with this many events on so many threads, nested four deep, some of them evidence."""
    chance = random.Random(7)
    lanes = [
        Lane(kind="thread", process="Renderer 1", name=f"Thread {one}", pid=1, tid=one, label="Main", rows=4)
        for one in range(threads)
    ]
    rows: list[tuple[int, int, float, float, str]] = []
    for number in range(events):
        lane, row = number % threads, number // threads % 4
        start = number // (threads * 4) * 1_000.0 + row * 20
        rows.append((lane, row, start, 900.0 - row * 100 * chance.random(), "s" if number % 7 else "i"))
    rows.sort()
    size = len(rows)
    return Drawing(
        arm="main",
        block=0,
        attempt=1,
        trace="main.json.gz",
        origin="start",
        begin=0,
        end=size // (threads * 4) * 1_000.0,
        lanes=lanes,
        lane=[one[0] for one in rows],
        row=[one[1] for one in rows],
        ts=[one[2] for one in rows],
        dur=[0 if one[4] == "i" else one[3] for one in rows],
        kind="".join(one[4] for one in rows),
        name=[number % 3 for number in range(size)],
        args=[0] * size,
        seq=list(range(size)),
        names=["ParseHTML", "UpdateLayoutTree", "Layout"],
        texts=[""],
        flows=[place for one in range(0, size - 5_000, 500) for place in (one, one + 4_500, 0)],
        marks=[("start", 0.0), ("done", size // (threads * 8) * 1_000.0)],
        highlights=[Highlight(finding=0, role="selected", label="parsed", at=list(range(0, size, 50)))],
        present=size,
        total=size,
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [int(word) for word in sys.argv[2:]]
    ledger = folder / "ledger.jsonl"
    ledger.write_bytes(b"\n".join(msgspec.json.encode(line) for line in lines(large(*sizes))) + b"\n")
    print(ledger)
