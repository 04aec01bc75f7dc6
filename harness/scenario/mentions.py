"""Text that names something: a selection, an arm, a claim, two marks, a function of the page."""

from __future__ import annotations

import re
from typing import Any

from harness.scenario.model import Template, Window
from harness.scenario.report import Report
from harness.scenario.schema import TEMPLATE_JSON, Json, Schema
from harness.scenario.tree import Node
from harness.scenario.words import IDENTIFIER


class Pattern(Schema):
    """Text of one shape that may hold run-time names; `what` follows "is not"."""

    def __init__(self, expected: str, pattern: str, what: str) -> None:
        self.expected, self.what, self.pattern = expected, what, pattern

    def read(self, node: Node, report: Report) -> Any:
        if isinstance(node.value, Template):
            return node.value
        if not isinstance(node.value, str):
            return self.wrong(node, report)
        if not re.fullmatch(self.pattern, node.value):
            return self.wrong(node, report, f'"{node.value}" is not {self.what}')
        return node.value

    def json(self, defs: Json) -> Json:
        return {"anyOf": [{"type": "string", "pattern": f"^{self.pattern}$"}, TEMPLATE_JSON]}


class SelectionName(Schema):
    """The name of a selection; with `arm` it may carry one: `reads@plain`. Answers (name, arm or None)."""

    def __init__(self, arm: bool = False) -> None:
        self.arm = arm
        self.expected = "the name of a selection" + (", or name@arm" if arm else "")

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, str):
            return self.wrong(node, report)
        name, at_sign, arm = node.value.partition("@")
        if at_sign and not self.arm:
            remedy = "an arm is named where the expectation refers to the selection, not here"
            return self.wrong(node, report, "an arm cannot be named here", remedy)
        if not re.fullmatch(IDENTIFIER, name) or (at_sign and not re.fullmatch(IDENTIFIER, arm)):
            return self.wrong(node, report, f'"{node.value}" is not the name of a selection')
        report.use("selection", name, node.at)
        if arm:
            report.use("arm", arm, node.at)
        return (name, arm or None) if self.arm else name

    def json(self, defs: Json) -> Json:
        return {"type": "string", "pattern": rf"^{IDENTIFIER}(@{IDENTIFIER})?$" if self.arm else f"^{IDENTIFIER}$"}


class Mentioned(Schema):
    """A name that must be known elsewhere in the file: an arm, a claim, a value that a step returned."""

    def __init__(self, kind: str, expected: str, pattern: str = IDENTIFIER) -> None:
        self.kind, self.expected, self.pattern = kind, expected, pattern

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, str) or not re.fullmatch(self.pattern, node.value):
            return self.wrong(node, report)
        report.use(self.kind, node.value, node.at)
        return node.value

    def json(self, defs: Json) -> Json:
        return {"type": "string", "pattern": f"^{self.pattern}$"}


class Noted(Schema):
    """A value that must mean something outside the file: a category, a capability of the machine."""

    def __init__(self, kind: str, inner: Schema) -> None:
        self.kind, self.inner, self.expected = kind, inner, inner.expected

    def read(self, node: Node, report: Report) -> Any:
        value = self.inner.read(node, report)
        if isinstance(value, str):
            report.use(self.kind, value, node.at)
        return value

    def json(self, defs: Json) -> Json:
        return self.inner.json(defs)


class WindowText(Schema):
    """`a..b`: two marks."""

    expected = "two marks with two dots between them, such as start..done"

    def read(self, node: Node, report: Report) -> Any:
        if not isinstance(node.value, str):
            return self.wrong(node, report)
        begin, dots, end = node.value.partition("..")
        if not dots or not begin.strip() or not end.strip() or ".." in end:
            return self.wrong(node, report, f'"{node.value}" is not a window')
        window = Window(begin.strip(), end.strip())
        report.use("mark", window.begin, node.at)
        report.use("mark", window.end, node.at)
        report.use("window", f"{window.begin}..{window.end}", node.at)
        return window

    def json(self, defs: Json) -> Json:
        return {"type": "string", "pattern": r"^[^.]+\.\.[^.]+$"}


CLAIM = Mentioned("claim", "the id of a claim, such as parse-html.one-per-burst", r"[^\s]+")
ARM = Mentioned("arm", "the name of an arm")
READER = Mentioned("reader", "the name of a reader: a folder in configs/readers")
WINDOW = WindowText()
