"""Running scenarios: plan, attempts, validity gate, verdicts. What comes out is a ledger and a `RunResult`."""

from harness.run.attempt import run_attempt
from harness.run.engine import run_cases
from harness.run.options import RunOptions
from harness.run.plan import Job, plan
from harness.run.signals import Interrupted, blocking

__all__ = ["Interrupted", "Job", "RunOptions", "blocking", "plan", "run_attempt", "run_cases"]
