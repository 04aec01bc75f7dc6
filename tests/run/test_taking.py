"""For how long a browser that nobody can stop is told to record."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from harness.run.taking import unattended_s
from harness.scenario.model import RecordSpec, Step
from tests.run.cases import AT, arm

ALONE = replace(
    arm(),
    record=RecordSpec(("cc",), recorder="startup"),
    steps=(
        Step(0, "goto", "u", {}, AT),
        Step(1, "wait_request", "x", {}, AT),
        Step(2, "settle", "500ms", {}, AT),
    ),
)


@pytest.mark.parametrize(
    ("load", "mode", "seconds"),
    [(0, "shell", 7.5), (0, "headless", 11.5), (4, "shell", 14.5), (100, "shell", 28.5), (100, "headed", 44.5)],
)
def test_it_grows_with_the_load_but_for_what_is_settled(
    load: float, mode: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0, 0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert unattended_s(ALONE, mode) == seconds


def test_a_client_stops_the_others() -> None:
    assert unattended_s(arm(), "shell") == 0
