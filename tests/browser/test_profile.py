"""Command lines: the profile's arguments with their reasons, what the build and mode add, the scenario's own last."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.browser import profile
from harness.browser.build import Build, shell_build
from harness.browser.profile import command_line, load_profile, profile_names
from harness.errors import ConfigError
from harness.scenario.model import BrowserSpec

FULL = Build("Chromium", "156.0.1.2", 156, Path("/b/chrome"), "cache", ("headless", "headed"))


def line(build: Build = FULL, mode: str = "headless", **spec: object) -> list[str]:
    return command_line(build, mode, BrowserSpec(**spec), Path("/p"))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def with_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "sandbox_works", lambda: (True, ""))


def test_every_profile_loads_and_every_argument_has_its_reason() -> None:
    assert {"default", "bare"} <= set(profile_names())
    for name in profile_names():
        assert all(one.why for one in load_profile(name).arguments)


def test_a_profile_may_extend_another() -> None:
    default, tls = (load_profile(name).arguments for name in ("default", "tls"))
    assert tls[: len(default)] == default
    own = [one.text.partition("=")[0] for one in tls[len(default) :]]
    assert own == ["--ignore-certificate-errors-spki-list", "--origin-to-force-quic-on"]


def test_nothing_that_changes_documented_behaviour_is_ever_given() -> None:
    harmful = (
        "--hide-scrollbars",
        "--disable-back-forward-cache",
        "--disable-site-isolation-trials",
        "--blink-settings",
    )
    for mode in ("headless", "headed"):
        assert not [one for one in line(mode=mode) for bad in harmful if one.startswith(bad)]


def test_modes_differ_by_the_headless_argument() -> None:
    assert "--headless" in line(mode="headless")
    assert "--headless" in line(shell_build("156.0.1.2", Path("/b/shell"), "cache"), "shell")
    assert not [one for one in line(mode="headed") if one.startswith("--headless")]


def test_old_shells_do_without_zygote_and_sandbox() -> None:
    old = line(shell_build("83.0.4103.0", Path("/b/shell"), "cache"), "shell")
    assert {"--no-zygote", "--no-sandbox"} <= set(old)
    assert "--no-sandbox" not in line()


def test_the_sandbox_warning_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "sandbox_works", lambda: (False, "root"))
    assert {"--no-sandbox", "--test-type"} <= set(line())


def test_a_scenarios_arguments_come_last_and_its_features_are_added() -> None:
    command = line(args=("--disable-features=Mine", "--window-size=1,1"))
    (features,) = [one for one in command if one.startswith("--disable-features=")]
    assert features.endswith(",Mine")
    assert features.startswith("--disable-features=Translate")
    assert command.index("--window-size=1,1") > command.index("--window-size=1280,800")


def test_raster_is_chosen_by_the_scenario() -> None:
    assert "--disable-gpu" in line()
    assert "--disable-gpu" not in line(raster="gpu")
    assert "--enable-gpu-rasterization" in line(raster="gpu")


def test_an_unknown_profile_gives_the_nearest() -> None:
    with pytest.raises(ConfigError, match='did you mean "default"'):
        load_profile("defualt")


def test_all_mistakes_of_a_profile_are_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "configs_root", lambda: tmp_path)
    (tmp_path / "browsers").mkdir()
    rows = ["{arg: --a}", "{arg: b, why: x}", "{arg: --c, why: x, modes: [loud]}", "{arg: --d, why: x, versions: many}"]
    text = "name: other\nextra: 1\nargs:\n" + "".join(f"  - {row}\n" for row in rows)
    (tmp_path / "browsers/wrong.yaml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_profile("wrong")
    assert [problem.path for problem in raised.value.problems] == [
        "$.extra",
        "$.name",
        "$.for",
        *(f"$.args[{index}]" for index in range(4)),
    ]
