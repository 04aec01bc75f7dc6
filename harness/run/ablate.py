"""The recordings of an ablation: a scenario's arm with all its categories, then with each one dropped or alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from harness.errors import HarnessError, Problem, RecorderError, UsageError
from harness.expect import Recording
from harness.run.attempt import run_attempt
from harness.run.gate import invalid_reasons
from harness.run.plan import Job
from harness.scenario.model import Arm
from harness.store import RunFolder, context_beside
from harness.trace import load

T = TypeVar("T")
Kind = Literal["all", "without", "alone"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to record. `category`: the one that is dropped or kept alone; empty for all."""

    kind: Kind
    categories: tuple[str, ...]
    category: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.category}".strip()


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """What was seen in one recording of a variant; `seen` is None with the `reason`."""

    variant: Variant
    attempt: int
    seen: T | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    """An arm as the scenario records it. `sent`: the categories as the browser was told them, excluded with a dash."""

    recording: Recording
    sent: tuple[str, ...]

    @property
    def recorded(self) -> tuple[str, ...]:
        return tuple(name for name in self.sent if not name.startswith("-"))


async def record_whole(job: Job, folder: RunFolder) -> dict[str, Whole]:
    """Each arm of the case once, with all its categories.

    `HarnessError` when one fails: the browser is what says which categories there are, and expectations compare arms.
    """
    found = {}
    if read := [name for name, arm in job.case.arms.items() if arm.reading]:
        said = f"nothing is recorded for {', '.join(read)}, which a reader makes of another arm"
        raise UsageError(Problem(said, remedy="ablate a scenario without such arms"))
    for arm in job.case.arms.values():
        one, reason, sent = await _take(job, arm, folder, Variant("all", arm.record.categories), 1)
        if one is None:
            raise RecorderError(f"the recording of arm {arm.name} with all categories is no evidence: {reason}")
        found[arm.name] = Whole(one, tuple(sent))
    return found


async def record_ablation(
    job: Job,
    arm: Arm,
    whole: Whole,
    folder: RunFolder,
    look: Callable[[Recording], T],
    *,
    attempts: int = 1,
    alone: bool = False,
    on_variant: Callable[[str, int, int], None] = lambda label, done, total: None,
) -> list[Taken[T]]:
    """Make every recording of one arm and keep what `look` sees in each; `whole` is the first of them.

    All categories are recorded once more than `attempts`, first and last, so that what changes by itself is known.
    `on_variant` hears the label, the number of recordings made and of all. A failure is that variant's reason.
    """
    variants = [*_variants(whole.sent, alone), Variant("all", arm.record.categories)]
    plan = [(variant, number) for number in range(1, attempts + 1) for variant in variants]
    taken = [Taken(Variant("all", arm.record.categories), 1, look(whole.recording))]
    for variant, number in plan:
        on_variant(str(variant), len(taken), len(plan) + 1)
        attempt = number + 1 if variant.kind == "all" else number
        one, reason, _ = await _take(job, arm, folder, variant, attempt)
        taken.append(Taken(variant, attempt, None if one is None else look(one), reason))
    return taken


def _variants(sent: Sequence[str], alone: bool) -> Iterator[Variant]:
    """Excluded categories stay excluded. Without its only category a recording would get the browser's defaults."""
    kept = tuple(name for name in sent if name.startswith("-"))
    names = tuple(name for name in sent if not name.startswith("-"))
    if "*" in names:
        raise UsageError(
            Problem(
                "the scenario records `*`, which cannot be taken apart", remedy="name its categories or sets instead"
            )
        )
    for name in names:
        if len(names) > 1:
            yield Variant("without", tuple(other for other in names if other != name) + kept, name)
            if alone:
                yield Variant("alone", (name, *kept), name)


async def _take(
    job: Job, arm: Arm, folder: RunFolder, variant: Variant, number: int
) -> tuple[Recording | None, str, list[str]]:
    """One recording, or None with the reason why it is no evidence; and the categories that were sent for it."""
    record = replace(arm.record, categories=variant.categories)
    case = replace(
        job.case,
        id=f"{job.case.id}~{variant}".replace(" ", "-"),
        arms={arm.name: replace(arm, record=record)},
        paired=None,
    )
    try:
        attempt = await run_attempt(replace(job, case=case), number, folder, judged=False)
    except HarnessError as failure:
        return None, str(failure), []
    if attempt.error or not attempt.recordings:
        return None, attempt.error.partition("\n")[0] or "nothing was recorded", []
    (one,) = attempt.recordings
    path = folder.path / one.trace
    context = context_beside(path)
    if context is None or not one.events:
        return None, "; ".join(one.invalid) or "the recording is empty", one.categories
    trace = load(path)
    reasons = invalid_reasons(case, case.arms[arm.name], trace, context, silent=True)
    return (None if reasons else Recording(trace, context)), "; ".join(reasons), one.categories
