"""`read:` in an arm: which reader reads which arm's recording, and what is changed in it before."""

from __future__ import annotations

from typing import Any

from harness.scenario.mentions import ARM, READER, SelectionName
from harness.scenario.model import Edit, Reading
from harness.scenario.report import Report
from harness.scenario.schema import Fields, Forms, Key, Keys, ListOf, MapOf
from harness.scenario.words import ATOM, number, parse_path
from harness.wording import listed

WRITTEN = ("name", "cat", "ph", "ts", "dur", "tts", "tdur", "pid", "tid", "id")  # as the file has them


def _written_path(path: str) -> str:
    parse_path(path)
    if not path.startswith("args.") and path not in WRITTEN:
        raise ValueError(f"{path} stands in no file; expected args. and the rest, or one of {listed(WRITTEN)}")
    if "[]" in path:
        raise ValueError(f"{path} is no one place; expected an index in the brackets")
    return path


_CHANGES = {
    "set": Key(MapOf(ATOM, "a path", _written_path, 1), "what stands at paths of each event"),
    "add": Key(
        MapOf(number("a number"), "a path", _written_path, 1), "what is added to numbers at paths of each event"
    ),
}


def _build_edit(kind: str, fields: Fields, report: Report) -> Any:
    if kind == "change" and not {"set", "add"} & fields.keys():
        return report.add(fields.node.at, "nothing is changed", expected="set or add beside change")
    return Edit(kind, fields[kind], fields.get("set", {}), fields.get("add", {}), fields.node.at)  # type: ignore[arg-type]


EDIT = Forms(
    "edit",
    {
        "drop": {"drop": Key(SelectionName(), "a selection: its events are left out", required=True)},
        "change": {"change": Key(SelectionName(), "a selection: its events are changed", required=True), **_CHANGES},
        "copy": {
            "copy": Key(SelectionName(), "a selection: each event is there once more, changed", required=True),
            **_CHANGES,
        },
    },
    build=_build_edit,
)
READING = Keys(
    "read",
    {
        "by": Key(READER, "the reader", required=True),
        "of": Key(ARM, "the arm whose recording it reads", required=True),
        "edit": Key(ListOf(EDIT, at_least=1), "what is changed in that recording before, in order"),
    },
    lambda fields, report: Reading(fields["by"], fields["of"], fields.get("edit", ()), fields.node.at),
)
