"""Carrying out a scenario's steps on a page, with quiet hands: what each verb does and costs is in `docs/steps.md`.

context = await StepContext.open(launched, page, server=server, variables=variables)
await run_steps(arm.steps, context)     # StepError names the step's file:line:column
context.marks, context.values
"""

from harness.steps.context import FIRST_PAGE, StepContext
from harness.steps.run import STEPS, run_steps

__all__ = ["FIRST_PAGE", "STEPS", "StepContext", "run_steps"]
