"""Browsers: what there is on this machine, how to get more, and how to run one without leaving anything behind."""

from harness.browser.alone import Alone, launch_alone
from harness.browser.build import Build, probe
from harness.browser.checkup import Check, doctor, examine
from harness.browser.driver import renew_driver, shared_driver
from harness.browser.find import find_builds, for_mode, modes_of, one_per_version, resolve
from harness.browser.launch import Launched, launch
from harness.browser.obtain import ensure, install, uninstall
from harness.browser.quiet import QuietBrowser, Target, launch_quiet
from harness.browser.raster import prove_gpu_raster, rasters_on_gpu
from harness.browser.running import Controlled, Running

__all__ = [
    "Alone",
    "Build",
    "Check",
    "Controlled",
    "Launched",
    "QuietBrowser",
    "Running",
    "Target",
    "doctor",
    "ensure",
    "examine",
    "find_builds",
    "for_mode",
    "install",
    "launch",
    "launch_alone",
    "launch_quiet",
    "modes_of",
    "one_per_version",
    "probe",
    "prove_gpu_raster",
    "rasters_on_gpu",
    "renew_driver",
    "resolve",
    "shared_driver",
    "uninstall",
]
