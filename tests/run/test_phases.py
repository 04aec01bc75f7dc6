"""The seconds of an attempt by phase: none is counted twice."""

from __future__ import annotations

import asyncio
import time

from harness.run.phases import phase, timed


async def test_a_phase_inside_another_is_not_counted_twice() -> None:
    began = time.monotonic()
    with timed() as spent:
        with phase("steps"):
            await asyncio.sleep(0.02)
            with phase("stop"):
                await asyncio.sleep(0.03)
        with phase("steps"):
            await asyncio.to_thread(time.sleep, 0.01)
    whole = time.monotonic() - began
    assert set(spent) == {"steps", "stop"}
    assert spent["stop"] >= 0.03 and spent["steps"] >= 0.03
    assert sum(spent.values()) <= whole


async def test_two_attempts_side_by_side_know_nothing_of_each_other() -> None:
    async def attempt(name: str) -> dict[str, float]:
        with timed() as spent, phase(name):
            await asyncio.sleep(0.01)
        return spent

    one, other = await asyncio.gather(attempt("read"), attempt("judge"))
    assert set(one) == {"read"} and set(other) == {"judge"}


def test_without_anyone_who_asks_it_measures_for_nobody() -> None:
    with phase("read"):
        pass
