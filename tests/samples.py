"""Results as a run leaves them, for tests of what reads them."""

from __future__ import annotations

from harness.events import (
    Attempt,
    BuildView,
    CaseResult,
    ClaimVerdict,
    EventView,
    Finding,
    RecordingRef,
    RunFooter,
    RunHeader,
    RunResult,
)
from harness.verdict import Outcome, Verdict

BUILD = BuildView(product="Chromium", version="156.0.8078.108", major=156, path="/usr/bin/chromium", source="installed")


def event(name: str = "ParseHTML", seq: int = 7, note: str = "") -> EventView:
    return EventView(
        seq=seq,
        name=name,
        ph="X",
        ts_us=1000.0,
        dur_us=12.5,
        pid=1,
        tid=2,
        thread="page.main",
        args={"beginData": {"url": "http://127.0.0.1/<a>&b"}},
        parents=["RunTask", "EvaluateScript"],
        note=note,
    )


def finding(claim: str, outcome: Outcome = Outcome.MET) -> Finding:
    return Finding(
        index=0,
        claims=[claim],
        form="count",
        text="count: {of: parsed, is: 3}",
        outcome=outcome,
        summary="count of parsed is 2, not 3",
        population=2,
        misses=[event(note="dur 12.5 us is not >= 100 us")],
        place="scenarios/parse-html/one.scenario.yaml:14:5",
        arm="main",
    )


def attempt(number: int, *findings: Finding, reasons: tuple[str, ...] = (), error: str = "") -> Attempt:
    reference = RecordingRef(
        arm="main",
        block=0,
        trace=f"recordings/parse-html.one/156.0.8078.108-headless/{number}/main.json.gz",
        context="main.context.json",
        sha256="0" * 64,
        events=100,
        bytes=1000,
        recorder="cdp-browser",
        categories=["blink"],
    )
    return Attempt(
        number=number,
        valid=not reasons and not error,
        reasons=list(reasons),
        error=error,
        findings=list(findings),
        recordings=[reference],
        seconds=1.5,
        load=0.2,
    )


def case(
    verdicts: dict[str, Verdict],
    attempts: list[Attempt],
    *,
    expected: dict[str, Verdict] | None = None,
    tallies: dict[str, tuple[int, int]] | None = None,
    reason: str = "",
) -> CaseResult:
    return CaseResult(
        scenario="parse-html.one",
        place="scenarios/parse-html/one.scenario.yaml:1:1",
        title="One",
        build=BUILD,
        mode="headless",
        claims=list(verdicts),
        verdicts=verdicts,
        expected=expected or {},
        tallies=tallies or {},
        reason=reason,
        attempts=attempts,
        repeat="traceproof run parse-html.one --browser /usr/bin/chromium --mode headless --attempts 2",
    )


def verdict(claim: str, word: Verdict, met: int = 2, valid: int = 2, **more: object) -> ClaimVerdict:
    return ClaimVerdict(
        claim=claim,
        says="It writes three events.",
        event=claim.partition(".")[0],
        build=BUILD,
        mode="headless",
        verdict=word,
        met=met,
        valid=valid,
        attempts=2,
        scenarios=["parse-html.one"],
        **more,  # type: ignore[arg-type]
    )


def result(cases: list[CaseResult], verdicts: list[ClaimVerdict]) -> RunResult:
    header = RunHeader(traceproof="0.1.0", started="2026-01-31T12:00:00.000+00:00", command=["traceproof", "run"])
    footer = RunFooter(seconds=3.0, verdicts={}, drifts=sum(one.drift for one in verdicts))
    return RunResult(header=header, cases=cases, verdicts=verdicts, footer=footer, folder="out/now")


def mixed() -> RunResult:
    """One of each verdict: `parse-html.holds`, `.refuted`, ..."""
    names = {word: f"parse-html.{word.lower()}" for word in Verdict}
    attempts = [
        attempt(1, finding(names[Verdict.HOLDS]), finding(names[Verdict.REFUTED], Outcome.UNMET)),
        attempt(2, finding(names[Verdict.HOLDS]), finding(names[Verdict.REFUTED], Outcome.UNMET)),
    ]
    one = case(
        {names[word]: word for word in Verdict}, attempts, tallies={names[Verdict.REFUTED]: (0, 2)}, reason="because"
    )
    verdicts = [verdict(name, word, reason="" if word is Verdict.HOLDS else "because") for word, name in names.items()]
    return result([one], verdicts)
