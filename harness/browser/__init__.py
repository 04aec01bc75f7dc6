"""Browsers: what there is on this machine, how to get more, and how to run one without leaving anything behind."""

from harness.browser.build import Build, probe
from harness.browser.checkup import Check, doctor, examine
from harness.browser.find import find_builds, for_mode, modes_of, one_per_version, resolve
from harness.browser.launch import Launched, launch
from harness.browser.obtain import ensure, install, uninstall

__all__ = [
    "Build",
    "Check",
    "Launched",
    "doctor",
    "ensure",
    "examine",
    "find_builds",
    "for_mode",
    "install",
    "launch",
    "modes_of",
    "one_per_version",
    "probe",
    "resolve",
    "uninstall",
]
