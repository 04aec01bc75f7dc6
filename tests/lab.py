"""A real browser for tests of recorders and steps: builds, a step from words, a recording of some work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.browser import Build, Launched, probe
from harness.errors import BrowserError
from harness.record import Collected, make_recorder
from harness.scenario.model import Place, RecordSpec, Step
from harness.trace import Trace, load

SHELL, FULL = "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"


def build_at(path: str) -> Build:
    try:
        return probe(Path(path), "installed")
    except BrowserError:
        pytest.skip(f"{path} is not installed here")


def step(verb: str, arg: Any = None, *, line: int = 7, **options: Any) -> Step:
    """`as_` and `await_` stand for the options that are words of Python."""
    named = {name.rstrip("_"): value for name, value in options.items()}
    return Step(0, verb, arg, named, Place("some.scenario.yaml", line, 5, "$.steps[0]"))


async def record(
    launched: Launched,
    page: Any,
    folder: Path,
    categories: list[str],
    work: Callable[[], Awaitable[None]],
    **spec: Any,
) -> tuple[Trace, Collected]:
    """The trace of `work`, on disk in `folder` and loaded."""
    recorder = make_recorder(RecordSpec(tuple(categories), **spec), categories)
    await recorder.start(launched, page)
    await work()
    await recorder.stop()
    collected = await recorder.collect(folder / f"recording{recorder.suffix}")
    return load(collected.path), collected
