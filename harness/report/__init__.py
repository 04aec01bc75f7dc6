"""Reports of a run, made from its records alone: console, JUnit XML, Markdown, one JSON object, badges."""

from harness.report.badge import to_badge
from harness.report.console import ConsoleReport
from harness.report.failure import explain, explain_case
from harness.report.jsonout import to_json
from harness.report.junit import to_junit
from harness.report.markdown import to_markdown
from harness.report.verify import changes, verify_json, verify_lines

__all__ = [
    "ConsoleReport",
    "changes",
    "explain",
    "explain_case",
    "to_badge",
    "to_json",
    "to_junit",
    "to_markdown",
    "verify_json",
    "verify_lines",
]
