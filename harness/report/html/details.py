"""What opens with a verdict: attempts, findings, the scenario's text and drawings, packed in blocks of one scenario.

A block is JSON, gzipped and in base64; the browser unpacks it when somebody looks. The builds of one scenario share a
block, because they say nearly the same and so pack well.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any

import msgspec

from harness.events import Attempt, CaseResult, EventView, Finding, RecordingRef
from harness.evidence.sources import CaseEvidence, Reported


def pack_details(cases: Sequence[tuple[Reported, CaseResult]]) -> tuple[list[int], list[str]]:
    """The number of each case's block, and the blocks. A block is `{cases: {number: details}, files: {path: text}}`."""
    groups: dict[str, list[int]] = {}
    for number, (_, case) in enumerate(cases):
        groups.setdefault(case.scenario, []).append(number)
    chunks = [0] * len(cases)
    blocks = []
    for place, numbers in enumerate(groups.values()):
        files: dict[str, str] = {}
        details: dict[str, Any] = {}
        for number in numbers:
            chunks[number] = place
            reported, case = cases[number]
            evidence = reported.of(case)
            file = case.place.rsplit(":", 2)[0]
            if evidence.yaml:
                files[file] = evidence.yaml
            details[str(number)] = _case(case, evidence, file, reported.result.folder)
        blocks.append(pack({"cases": details, "files": files}))
    return chunks, blocks


def pack(value: Any) -> str:
    """JSON, gzipped (the same bytes each time), in base64, which needs no escaping anywhere in HTML."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), 9, mtime=0)).decode()


def _case(case: CaseResult, evidence: CaseEvidence, file: str, folder: str) -> dict[str, Any]:
    shown: set[tuple[int, str]] = set()
    return {
        "scenario": case.name,
        "title": case.title,
        "place": case.place,
        "file": file,
        "folder": folder,
        "repeat": case.repeat,
        "reason": case.reason,
        "reasons": case.reasons,
        "verdicts": {claim: str(word) for claim, word in case.verdicts.items()},
        "tallies": case.tallies,
        "attempts": [_attempt(one, shown) for one in case.attempts],
        "drawings": evidence.drawings,
        "notes": evidence.notes,
    }


def _attempt(attempt: Attempt, shown: set[tuple[int, str]]) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "valid": attempt.valid,
        "reasons": attempt.reasons,
        "error": attempt.error,
        "seconds": round(attempt.seconds, 1),
        "load": attempt.load,
        "findings": [_finding(one, shown) for one in attempt.findings],
        "recordings": [_recording(one) for one in attempt.recordings],
    }


def _finding(finding: Finding, shown: set[tuple[int, str]]) -> dict[str, Any]:
    """All its words and numbers; its events only the first time that the expectation comes out like this."""
    key = finding.index, str(finding.outcome)
    fresh = key not in shown
    shown.add(key)
    told: dict[str, Any] = {
        "index": finding.index,
        "claims": finding.claims,
        "form": finding.form,
        "text": finding.text,
        "outcome": str(finding.outcome),
        "summary": finding.summary,
        "details": finding.details,
        "population": finding.population,
        "place": finding.place,
        "arm": finding.arm,
        "block": finding.block,
    }
    for name, events in (("matched", finding.matched), ("misses", finding.misses)):
        if events:
            told[name] = [_event(event) for event in events] if fresh else len(events)
    if finding.measures:
        told["measures"] = finding.measures
    return told


def _event(event: EventView) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "name": event.name,
        "ph": event.ph,
        "ts": event.ts_us,
        "dur": event.dur_us,
        "thread": event.thread,
        "args": msgspec.json.encode(event.args).decode() if event.args else "",  # as text: numbers beyond 2^53 stay
        "parents": event.parents,
        "note": event.note,
    }


def _recording(one: RecordingRef) -> dict[str, Any]:
    return {
        "arm": one.arm,
        "block": one.block,
        "trace": one.trace,
        "sha256": one.sha256,
        "events": one.events,
        "bytes": one.bytes,
        "recorder": one.recorder,
        "categories": one.categories,
        "invalid": one.invalid,
        "anomalies": one.anomalies,
    }
