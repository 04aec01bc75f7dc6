"""Running a step script: one step after the other, each in bounded time, each failure with its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from playwright.async_api import Error as PlaywrightError

from harness.errors import BrowserError, CapabilityError, ServerError, StepError
from harness.scenario.model import Step
from harness.scenario.runtime import fill
from harness.steps import navigation, plain, pointer, script, suspend, window
from harness.steps.context import StepContext
from harness.steps.registry import STEPS
from harness.units import duration_us

__all__ = ["STEPS", "run_steps"]
_MODULES = (navigation, plain, pointer, script, suspend, window)  # importing them filled STEPS
_SERVER_GRACE_S = 1.0  # so that the server's own timeout, which lists the requests that came, is heard first


async def run_steps(steps: Iterable[Step], ctx: StepContext) -> None:
    """Carry out the steps in order.

    `StepError` for whatever goes wrong, at once when the browser or a renderer is gone; `CapabilityError` when the
    build or machine cannot do it; errors of the recorder come through as they are.
    """
    for step in steps:
        await _run_step(step, ctx)


async def _run_step(step: Step, ctx: StepContext) -> None:
    limit = ctx.timeout_s
    try:
        arg, options = fill(step.arg, ctx.lookup), fill(step.options, ctx.lookup)
        limit = _limit_s(step.verb, arg, options, ctx)
        async with asyncio.timeout(limit):
            await ctx.launched.watch(STEPS[step.verb](ctx, arg, options))
    except TimeoutError:
        raise StepError(f"{_name(step)} did not finish within {limit:g} s") from None
    except CapabilityError as error:
        raise CapabilityError(f"{_name(step)}: {error}") from None
    except (StepError, ServerError, BrowserError, ValueError) as error:
        raise StepError(f"{_name(step)}: {error}") from None
    except PlaywrightError as error:
        reason = ctx.launched.crash_reason or error.message.splitlines()[0]
        raise StepError(f"{_name(step)}: {reason}") from None


def _limit_s(verb: str, arg: Any, options: Mapping[str, Any], ctx: StepContext) -> float:
    limit = duration_us(options["timeout"]) / 1e6 if "timeout" in options else ctx.timeout_s
    if verb == "settle":
        return limit + duration_us(arg) / 1e6
    return limit + _SERVER_GRACE_S if verb == "wait_request" else limit


def _name(step: Step) -> str:
    return f"{step.at}: step {step.index + 1}, {step.verb}"
