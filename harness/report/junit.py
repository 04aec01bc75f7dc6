"""JUnit XML as GitHub's, GitLab's and Jenkins' readers take it: a suite for each build, mode and raster path, a test
case for each claim.

There is no one schema of it. What is written here keeps to what Jenkins' xUnit plugin, Ant and Surefire agree on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree as ET

from harness.events import CaseResult, ClaimVerdict, Lab, RunResult
from harness.report.failure import explain
from harness.report.words import build_label, tally
from harness.verdict import Outcome, Verdict

# XML 1.0 has no way to write these, and a page's strings may hold them.
_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLACE = re.compile(r"(.+?):(\d+)(?::\d+)?")
_SKIPPED = (Verdict.NOT_APPLICABLE, Verdict.UNSUPPORTED)
_BROKEN = (Verdict.INCONCLUSIVE, Verdict.ERROR)
_COUNTED = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))


def to_junit(result: RunResult) -> bytes:
    """A verdict equal to its baseline passes; INCONCLUSIVE and ERROR are errors, other drifts failures.

    NOT_APPLICABLE and UNSUPPORTED are skipped with their reason. SOMETIMES is a failure of that type, and where it is
    expected a pass with a `flakyFailure`. `file` and `line` are those of the expectation that was not met, else of
    the scenario. The time of a case is shared among its claims.
    """
    cases: dict[tuple[str, Lab], list[CaseResult]] = defaultdict(list)
    for case in result.cases:
        for claim in case.verdicts:
            cases[claim, case.lab].append(case)
    suites: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in result.verdicts:
        suites[build_label(*verdict.lab)].append(verdict)
    root = ET.Element("testsuites", name="traceproof")
    for label, verdicts in suites.items():
        suite = ET.SubElement(root, "testsuite", name=label, timestamp=result.header.started[:19])
        for verdict in verdicts:
            suite.append(_testcase(verdict, cases[verdict.claim, verdict.lab], result.folder))
        _count(suite, suite.findall("testcase"))
    _count(root, root.findall("testsuite/testcase"))
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _count(element: ET.Element, cases: list[ET.Element]) -> None:
    element.set("tests", str(len(cases)))
    for attribute, tag in _COUNTED:
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")


def _testcase(verdict: ClaimVerdict, cases: list[CaseResult], folder: str) -> ET.Element:
    seconds = sum(sum(attempt.seconds for attempt in case.attempts) / len(case.verdicts) for case in cases)
    element = ET.Element("testcase", classname=verdict.event or "traceproof", name=verdict.claim, time=f"{seconds:.3f}")
    if place := _PLACE.fullmatch(_place(verdict.claim, cases)):
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
        told = "\n\n".join("\n".join(explain(case, verdict.claim, folder=folder)) for case in cases)
        if outcome == "flakyFailure":
            ET.SubElement(child, "stackTrace").text = _clean(told)
        elif outcome != "skipped":
            child.text = _clean(told)
    return element


def _place(claim: str, cases: list[CaseResult]) -> str:
    """`file:line:column` of the first expectation of the claim that was not met, else of its first scenario."""
    findings = [one for case in cases for attempt in case.attempts for one in attempt.findings if claim in one.claims]
    unmet = [one.place for one in findings if one.outcome is not Outcome.MET and one.place]
    return next(iter([*unmet, *(case.place for case in cases)]), "")


def _outcome(verdict: ClaimVerdict) -> str:
    if verdict.verdict in _SKIPPED:
        return "skipped"
    if not verdict.drift:
        return "flakyFailure" if verdict.verdict is Verdict.SOMETIMES else ""
    return "error" if verdict.verdict in _BROKEN else "failure"


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
