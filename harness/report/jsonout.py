"""The one JSON object that `--json` prints."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from harness.events import CaseResult, ClaimVerdict, RunResult
from harness.verdict import Verdict


def to_json(result: RunResult) -> dict[str, Any]:
    """Keys: header, folder, ledger, verdicts, cases (without events; those are in the ledger), drifts, totals."""
    return {
        "header": msgspec.to_builtins(result.header),
        "folder": result.folder,
        "ledger": result.ledger,
        "verdicts": [_verdict(verdict) for verdict in result.verdicts],
        "cases": [_case(case) for case in result.cases],
        "drifts": [_verdict(verdict) for verdict in result.drifts],
        "totals": totals(result),
    }


def totals(result: RunResult) -> dict[str, Any]:
    """How many claims, cases and attempts there were, and how many verdicts of each word (zeros too)."""
    counts = Counter(verdict.verdict for verdict in result.verdicts)
    return {
        "claims": len({verdict.claim for verdict in result.verdicts}),
        "cases": len(result.cases),
        "attempts": sum(len(case.attempts) for case in result.cases),
        "invalid_attempts": sum(not attempt.valid for case in result.cases for attempt in case.attempts),
        "verdicts": {str(word): counts[word] for word in Verdict},
        "drifts": len(result.drifts),
        "seconds": round(result.footer.seconds, 3),
        "exit_code": result.exit_code,
    }


def _verdict(verdict: ClaimVerdict) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(verdict)
    fields.pop("type", None)
    return {**fields, "drift": verdict.drift}


def _case(case: CaseResult) -> dict[str, Any]:
    return {
        "name": case.name,
        "place": case.place,
        "title": case.title,
        "build": case.build.version,
        "mode": case.mode,
        "raster": case.raster,
        "verdicts": {claim: str(verdict) for claim, verdict in case.verdicts.items()},
        "reason": case.reason,
        "repeat": case.repeat,
        "attempts": [
            {
                "number": attempt.number,
                "valid": attempt.valid,
                "reasons": attempt.reasons,
                "error": attempt.error,
                "seconds": round(attempt.seconds, 3),
                "load": attempt.load,
                "phases": attempt.phases,
                "processors": attempt.processors,
                "recordings": [recording.trace for recording in attempt.recordings],
                "findings": [
                    {
                        "claims": finding.claims,
                        "form": finding.form,
                        "text": finding.text,
                        "outcome": str(finding.outcome),
                        "summary": finding.summary,
                        "place": finding.place,
                        "measures": msgspec.to_builtins(finding.measures),
                    }
                    for finding in attempt.findings
                ],
            }
            for attempt in case.attempts
        ],
    }
