"""The names that a recording may ask for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.browser import Launched
from harness.errors import CategoryError
from harness.run.vocabulary import categories_for
from harness.scenario.model import RecordSpec


def ask(categories: tuple[str, ...], answer: list[str]) -> list[str]:
    async def send(method: str) -> dict[str, Any]:
        assert method == "Tracing.getCategories"
        return {"categories": answer}

    async def watch(work: Awaitable[Any]) -> Any:
        return await work

    launched = SimpleNamespace(session=SimpleNamespace(send=send), watch=watch)
    return asyncio.run(categories_for(RecordSpec(categories), cast(Launched, launched)))


def test_a_category_that_only_the_renderers_know_may_be_recorded() -> None:
    assert ask(("v8.execute",), ["blink", "cc"]) == ["v8.execute"]


def test_a_category_that_nobody_knows_may_not() -> None:
    with pytest.raises(CategoryError, match="blinc"):
        ask(("blinc",), ["blink", "cc"])
