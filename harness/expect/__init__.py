"""Expectations tested on recordings: `evaluate(case, recordings)` gives one finding for each."""

from harness.expect.engine import evaluate, evaluate_require
from harness.expect.recording import Recording, Recordings

__all__ = ["Recording", "Recordings", "evaluate", "evaluate_require"]
