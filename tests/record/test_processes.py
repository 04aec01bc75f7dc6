"""The browser's list of its processes, where it has none to give."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from harness.cdp import Refused
from harness.errors import RecorderError
from harness.record import process_types


class _Old:
    """A browser that answers every command with an error, as 64 does with this one."""

    gone = False
    crash_reason = ""

    def __init__(self, error: Exception) -> None:
        self.session, self._error = self, error

    async def send(self, method: str) -> dict[str, Any]:
        raise self._error

    async def watch(self, work: Awaitable[Any]) -> Any:
        return await work


@pytest.mark.asyncio
async def test_a_build_that_does_not_know_the_question_has_no_list() -> None:
    assert await process_types(_Old(Refused("SystemInfo.getProcessInfo: wasn't found"))) == {}  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_no_answer_at_all_is_a_failure() -> None:
    with pytest.raises(RecorderError, match="did not list its processes"):
        await process_types(_Old(TimeoutError()))  # type: ignore[arg-type]
