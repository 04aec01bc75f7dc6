"""Browsers: what there is on this machine, how to get more, and how to run one without leaving anything behind."""

from harness.browser.build import Build, probe
from harness.browser.launch import Launched, launch

__all__ = ["Build", "Launched", "launch", "probe"]
