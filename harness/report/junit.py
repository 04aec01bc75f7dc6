"""JUnit XML as CI servers read it: a suite for each build, mode and raster path, a test case for each claim."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree as ET

from harness.events import CaseResult, ClaimVerdict, RunResult
from harness.report.failure import explain
from harness.report.words import build_label, tally
from harness.verdict import Verdict

# XML 1.0 has no way to write these, and a page's strings may hold them.
_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SKIPPED = (Verdict.NOT_APPLICABLE, Verdict.UNSUPPORTED)
_BROKEN = (Verdict.INCONCLUSIVE, Verdict.ERROR)


def to_junit(result: RunResult) -> bytes:
    """A verdict equal to its baseline passes; INCONCLUSIVE and ERROR are errors, other drifts failures.

    NOT_APPLICABLE and UNSUPPORTED are skipped with their reason. Every property of the verdict is in `<properties>`.
    """
    suites: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in result.verdicts:
        suites[build_label(*verdict.lab)].append(verdict)
    root = ET.Element("testsuites", name="traceproof")
    for label, verdicts in suites.items():
        suite = ET.SubElement(root, "testsuite", name=label, timestamp=result.header.started)
        for verdict in verdicts:
            suite.append(_testcase(verdict, _cases(result, verdict), result.folder))
        for tag, count in (("tests", ""), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(tag, str(len(suite.findall(f"testcase/{count}") if count else suite.findall("testcase"))))
        suite.set("time", f"{sum(float(case.get('time', 0)) for case in suite):.3f}")
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _cases(result: RunResult, verdict: ClaimVerdict) -> list[CaseResult]:
    return [case for case in result.cases if verdict.claim in case.verdicts and case.lab == verdict.lab]


def _testcase(verdict: ClaimVerdict, cases: list[CaseResult], folder: str) -> ET.Element:
    seconds = sum(attempt.seconds for case in cases for attempt in case.attempts)
    element = ET.Element("testcase", classname=verdict.event or "traceproof", name=verdict.claim, time=f"{seconds:.3f}")
    if cases and (place := re.fullmatch(r"(.+?):(\d+)(?::\d+)?", cases[0].place)):
        element.set("file", place[1])
        element.set("line", place[2])
    properties = ET.SubElement(element, "properties")
    for name, value in (
        ("verdict", verdict.verdict),
        ("expected", verdict.expected),
        ("met", verdict.met),
        ("valid", verdict.valid),
        ("attempts", verdict.attempts),
        ("rate", tally(verdict)),
        ("build", verdict.build.version),
        ("mode", verdict.mode),
        ("raster", "" if verdict.raster == "software" else verdict.raster),
        ("scenarios", " ".join(verdict.scenarios)),
        ("reason", verdict.reason or verdict.baseline_reason),
        ("repeat", verdict.repeat),
    ):
        if value != "":
            ET.SubElement(properties, "property", name=name, value=_clean(str(value)))
    if outcome := _outcome(verdict):
        message = verdict.reason or f"{verdict.verdict}, expected {verdict.expected}; {tally(verdict)}".rstrip("; ")
        child = ET.SubElement(element, outcome, message=_clean(message), type=str(verdict.verdict))
        if outcome != "skipped":
            blocks = ("\n".join(explain(case, verdict.claim, folder=folder)) for case in cases)
            child.text = _clean("\n\n".join(blocks))
    return element


def _outcome(verdict: ClaimVerdict) -> str:
    if verdict.verdict in _SKIPPED:
        return "skipped"
    if not verdict.drift:
        return ""
    return "error" if verdict.verdict in _BROKEN else "failure"


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
