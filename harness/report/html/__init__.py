"""The HTML report: one file without network, with the ledgers' verdicts and the drawn evidence in it."""

from harness.report.html.page import to_html

__all__ = ["to_html"]
