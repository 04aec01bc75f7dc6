"""Paths to values of an event (`args.data.url`, `dur`, `args.data.stackTrace[].url`), and typed equality of values."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from harness.expect.items import Item, Pseudo
from harness.scenario.runtime import Steps, parse_steps, walk
from harness.trace import Event, Trace

LARGEST: Final = sys.float_info.max


@dataclass(frozen=True, slots=True)
class ValuePath:
    """`root` is a field of the event; `steps` go down from it: a key, an index, or each element of a list."""

    text: str
    root: str
    steps: Steps


@lru_cache(maxsize=4096)
def parse_path(text: str) -> ValuePath:
    """Read a path to a value of an event. `ValueError` when there is no such field or the text is no path."""
    root, *steps = parse_steps(text) or ("",)
    if not isinstance(root, str) or root not in FIELDS:
        raise ValueError(f"{text!r} does not begin with a field of an event; there are {', '.join(sorted(FIELDS))}")
    if steps and root != "args":
        raise ValueError(f"{text!r} goes below {root!r}, which is a single value; only args has parts")
    return ValuePath(text, root, tuple(steps))


def _given(value: Any) -> list[Any]:
    return [] if value is None or value == "" else [value]


def _self_time(item: Item, trace: Trace) -> list[Any]:
    return [] if item.dur is None or isinstance(item, Pseudo) else [trace.self_time(item)]


FIELDS: Final[dict[str, Callable[[Item, Trace], list[Any]]]] = {
    "args": lambda item, _: [item.args],
    "name": lambda item, _: [item.name],
    "cat": lambda item, _: [item.cat],
    "ph": lambda item, _: _given(item.ph),
    "ts": lambda item, _: [item.ts],
    "dur": lambda item, _: _given(item.dur),
    # Where an open slice would have ended nobody knows; the trace's own end is not it.
    "end": lambda item, _: [] if item.open else [item.end],
    "tts": lambda item, _: _given(item.tts),
    "tdur": lambda item, _: _given(item.tdur),
    "self": _self_time,
    "written": lambda item, _: _given(item.written),
    "pid": lambda item, _: [item.pid] if item.pid >= 0 else [],
    "tid": lambda item, _: [item.tid] if item.pid >= 0 else [],
    "id": lambda item, _: _given(item.id),
    "scope": lambda item, _: _given(item.scope),
    "thread": lambda item, trace: _given(thread_name(item, trace)),
    "process": lambda item, trace: _given(process_name(item, trace)),
    "depth": lambda item, _: [item.depth],
    "parent": lambda item, _: [item.parent.name] if item.parent else [],
}


def thread_name(item: Item, trace: Trace) -> str:
    thread = trace.threads.get((item.pid, item.tid))
    return thread.name if thread else ""


def process_name(item: Item, trace: Trace) -> str:
    process = trace.processes.get(item.pid)
    return process.name if process else ""


def stripped(item: Item) -> bool:
    """Whether Chrome kept the arguments back (`"args": "__stripped__"`): nobody knows which there were."""
    return isinstance(item, Event) and item.stripped


def values_at(item: Item, path: ValuePath, trace: Trace) -> list[Any]:
    """All values of one event at a path: none when it is missing, several only with `[]`."""
    if path.root == "args" and stripped(item):
        return []
    found = FIELDS[path.root](item, trace)
    return walk(found[0], path.steps) if path.steps and found else found


def is_number(value: Any) -> bool:
    """A number as large as arithmetic can bear; `True` is none, nor is NaN, which would pass every `!=`."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return -LARGEST <= value <= LARGEST  # `math.isfinite` cannot look at an integer that no float can hold


def canonical(value: Any) -> Hashable:
    """Equal for equal JSON values of one type only: 1 and 1.0, but not 1 and true or "1". NaN equals nothing."""
    match value:
        case None:
            return ("null",)
        case bool():
            return ("boolean", value)
        case int() | float():
            return ("number", value if value == value else object())
        case str():
            return ("string", value)
        case list() | tuple():
            return ("list", tuple(canonical(element) for element in value))
        case dict():
            return ("object", frozenset((key, canonical(element)) for key, element in value.items()))
    return (type(value).__name__, str(value))  # a step can return what JSON has no word for; it equals no argument


def show(value: Any, limit: int = 80) -> str:
    """A value as a person reads it, cut to about `limit` characters."""
    match value:
        case None | bool():
            text = {None: "null", True: "true", False: "false"}[value]
        case int() if not is_number(value):
            text = "a number beyond all arithmetic"
        case float():
            text = f"{value:.15g}"
        case str():
            text = f'"{value}"'
        case list() | tuple():
            text = f"[{', '.join(show(element, limit) for element in value[:10])}{', …' if len(value) > 10 else ''}]"
        case dict():
            text = "{" + ", ".join(f"{key}: {show(element, limit)}" for key, element in list(value.items())[:10]) + "}"
        case _:
            text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
