"""Which builds and modes a command line means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.browser import Build, ensure, modes_of, resolve
from harness.errors import Problem, UsageError
from harness.scenario.model import MODES


def find_builds(wanted: Sequence[str], echo: Callable[[str], None]) -> list[Build]:
    """The builds that `--browser` names; without any, that of this machine, which is installed when there is none."""
    if not wanted:
        return [ensure(echo)]
    return resolve(",".join(wanted))


def find_modes(wanted: Sequence[str], builds: Sequence[Build]) -> list[str]:
    """`all` is every mode that some build has; none is the first mode of each build."""
    if bad := [mode for mode in wanted if mode not in (*MODES, "all")]:
        raise UsageError(Problem(f"{bad[0]!r} is no mode", expected=f"{', '.join(MODES)} or all"))
    if "all" not in wanted:
        return list(dict.fromkeys(wanted))
    have = {mode for build in builds for mode in modes_of(build)}
    return [mode for mode in MODES if mode in have]
