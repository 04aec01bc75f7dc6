"""Browsers: what there is on this machine, how to get more, and how to run one without leaving anything behind."""

from harness.browser.build import Build, probe
from harness.browser.find import find_builds, for_mode, modes_of, one_per_version, resolve
from harness.browser.install import ensure, install
from harness.browser.launch import Launched, launch

__all__ = [
    "Build",
    "Launched",
    "ensure",
    "find_builds",
    "for_mode",
    "install",
    "launch",
    "modes_of",
    "one_per_version",
    "probe",
    "resolve",
]
