"""One driver for many launches, and another one where it has died."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from harness.browser import renew_driver, shared_driver
from harness.browser.driver import driver


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What drivers did, in order: a driver is its number here."""
    told: list[str] = []

    @contextlib.asynccontextmanager
    async def start() -> AsyncIterator[int]:
        number = sum(one.startswith("start") for one in told) + 1
        told.append(f"start {number}")
        try:
            yield number
        finally:
            told.append(f"end {number}")
            if number == 2:
                raise RuntimeError("it is dead already")

    monkeypatch.setattr("harness.browser.driver._started", start)
    return told


async def used() -> object:
    async with driver() as playwright:
        return playwright


async def test_launches_inside_share_a_driver_however_deep_they_are(started: list[str]) -> None:
    async with shared_driver():
        assert started == []
        async with shared_driver():
            assert [await used(), await used()] == [1, 1]
        assert await used() == 1 and started == ["start 1"]
    assert started == ["start 1", "end 1"]


async def test_a_driver_that_died_is_replaced(started: list[str]) -> None:
    async with shared_driver():
        await used()
        await renew_driver()
        assert started == ["start 1", "end 1"] and await used() == 2
        await renew_driver()  # which complains on its way out
        assert await used() == 3
    assert started[-2:] == ["start 3", "end 3"]


async def test_without_a_shared_driver_there_is_nothing_to_renew(started: list[str]) -> None:
    await renew_driver()
    assert started == []
