"""`run --profile`"""

from __future__ import annotations

from harness.events import Attempt, BuildView, CaseResult
from harness.report.profile import REST, profile, profile_table

BUILD = BuildView(product="Chromium", version="1.2.3.4", major=1, path="/x", source="path")


def case(name: str, *attempts: Attempt) -> CaseResult:
    return CaseResult(scenario=name, build=BUILD, mode="shell", claims=[], verdicts={}, attempts=list(attempts))


def attempt(seconds: float, **phases: float) -> Attempt:
    return Attempt(number=1, valid=True, seconds=seconds, phases=phases)


def test_seconds_are_added_by_phase_and_what_no_phase_tells_is_the_rest() -> None:
    short, long = case("a.b", attempt(3, launch=1, steps=1.5)), case("c.d", attempt(4, launch=3), attempt(4, launch=4))
    phases, rows = profile([short, long, case("e.f")])
    assert phases == ["launch", "steps", REST]
    assert [dict(spent) for _, spent in rows] == [
        {"launch": 1, "steps": 1.5, REST: 0.5},
        {"launch": 7, REST: 1},
        {"launch": 8, "steps": 1.5, REST: 1.5},
    ]
    table = profile_table([short, long])
    assert [str(cell).partition(" ")[0] for cell in table.columns[0].cells] == ["c.d", "a.b", "total", ""]
    assert list(table.columns[1].cells) == ["7.0", "1.0", "8.0", "73%"]
