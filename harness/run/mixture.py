"""Whether ledgers are the shards of one run: everything by which they do not belong together, told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import Problem, UsageError, UserError
from harness.events import AttemptDone, CaseKey, CaseResult, Lab, RunHeader, RunPlan, RunResult, Shard
from harness.run.baselines import Baselines
from harness.run.catalog import Catalog, scenarios_of
from harness.run.ledgers import read_result
from harness.store import in_use, is_whole, read_ledger, sha256_file
from harness.wording import listed

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Part:
    """One shard as it lies on disk. `whole`: its ledger has an end."""

    ledger: Path
    header: RunHeader
    plan: RunPlan
    shard: Shard
    result: RunResult
    attempts: dict[CaseKey, list[AttemptDone]]
    whole: bool

    @property
    def folder(self) -> Path:
        return self.ledger.parent

    @property
    def label(self) -> str:
        return f"{self.shard.number}/{self.shard.of}"

    @property
    def lacks(self) -> int:
        """Jobs that have not ended: the run was cut short, or told to stop at the first case that differs."""
        return len(self.shard.jobs) - len(self.result.cases)


def read_part(ledger: Path) -> Part:
    """`UsageError` for a ledger that is no shard's, `UserError` for one that is still written."""
    if in_use(ledger.parent):
        raise UserError(Problem("its run still goes on", file=str(ledger), remedy="wait until it has ended"))
    lines = read_ledger(ledger)
    header = lines[0] if lines else None
    if not isinstance(header, RunHeader):
        raise UsageError(Problem("has no line of the type `run`, so it is no ledger", file=str(ledger)))
    if header.plan is None or header.plan.shard is None:
        remedy = "`traceproof report` and `history` read several whole runs side by side"
        expected = "a run with --shard"
        raise UsageError(Problem("is not a shard of a run", file=str(ledger), expected=expected, remedy=remedy))
    whole = is_whole(ledger)
    catalog = Catalog((), {}, {}, Baselines())  # a whole ledger has its verdicts
    if not whole:
        catalog, _ = scenarios_of([line for line in lines if isinstance(line, CaseResult)])
    attempts: dict[CaseKey, list[AttemptDone]] = {}
    for line in lines:
        if isinstance(line, AttemptDone):
            attempts.setdefault(line.key, []).append(line)
    result = read_result(ledger, catalog)
    return Part(ledger, header, header.plan, header.plan.shard, result, attempts, whole)


def mixed_up(parts: Sequence[Part], *, partial: bool) -> list[Problem]:
    """Why the parts cannot be one run; none where they can. `partial`: it may lack something."""
    if problems := [*_otherwise_made(parts), *_other_scenarios(parts)]:
        return problems
    lacking = [] if partial else _lacking(parts)
    return [*_twice(parts), *_other_expectations(parts), *lacking] or _lost(parts, partial)


def _rule(part: Part) -> str:
    rule = part.plan.sampling
    return f"{rule.rule}, {rule.at_most} at most" if rule else "a fixed number"


_Asked = tuple[str, Callable[[Part], object]]
_ALIKE: tuple[_Asked, ...] = (
    ("the version of traceproof", lambda part: part.header.traceproof),
    ("the number of shards", lambda part: part.shard.of),
    ("the number of attempts", lambda part: part.plan.attempts or "the scenarios' own"),
    ("the rule for the number of attempts", _rule),
    ("the recorder", lambda part: part.plan.recorder or "the scenarios' own"),
    ("-x", lambda part: "given" if part.plan.stop_early else "not given"),
    ("the builds", lambda part: ", ".join(f"{one.product} {one.version} ({one.path})" for one in part.plan.builds)),
    ("the modes", lambda part: ", ".join(part.plan.modes) or "the first of each build"),
)


def _otherwise_made(parts: Sequence[Part]) -> Iterator[Problem]:
    first = parts[0]
    for part in parts[1:]:
        for what, look in _ALIKE:
            if (one := look(part)) != (other := look(first)):
                yield _other(part, f"{what} is not that of shard {first.label}", str(other), str(one))
    labs = {(case.lab.build.path, case.build.version, case.mode) for part in parts for case in _run(part)}
    if len(labs) > len(first.plan.builds) * max(1, len(first.plan.modes)):
        told = listed(sorted(f"{version} {mode} ({path})" for path, version, mode in labs), _SHOWN)
        yield Problem(
            "the shards ran in other binaries or modes than one another",
            found=told,
            remedy="name the builds and modes with --browser and --mode, installed in the same place everywhere",
        )


def _other_scenarios(parts: Sequence[Part]) -> Iterator[Problem]:
    first = parts[0]
    for part in parts[1:]:
        was, now = first.plan.cases, part.plan.cases
        if strange := [name for name in {**was, **now} if (name in was) != (name in now)]:
            yield _other(part, f"it was to run other scenarios than shard {first.label}", found=listed(strange, _SHOWN))
        if changed := [name for name in was if name in now and was[name] != now[name]]:
            told = f"these scenarios, or their pages, are not those of shard {first.label}"
            yield _other(part, told, found=listed(changed, _SHOWN))


def _twice(parts: Sequence[Part]) -> Iterator[Problem]:
    numbers: dict[int, Part] = {}
    places: dict[int, Part] = {}
    keys: dict[CaseKey, Part] = {}
    for part in parts:
        if (other := numbers.setdefault(part.shard.number, part)) is not part:
            yield _other(part, f"shard {part.label} is also in {other.folder}")
            continue
        if double := [place for place in part.shard.jobs if places.setdefault(place, part) is not part]:
            told = f"{len(double)} of its jobs are those of shard {places[double[0]].label} too"
            yield _other(part, told, remedy="give all shards the same --durations, or none")
        for case in part.result.cases:
            if (holder := keys.setdefault(case.key, part)) is not part:
                yield _other(part, f"{case.name} is in shard {holder.label} too")
        if part.lacks < 0:
            yield _other(part, "it has more cases than the shard has jobs")


def _other_expectations(parts: Sequence[Part]) -> Iterator[Problem]:
    seen: dict[tuple[str, Lab], tuple[object, Part]] = {}
    for part in parts:
        for one in part.result.verdicts:
            expected = (one.expected, one.baseline_reason, one.says)
            was, other = seen.setdefault((one.claim, one.lab), (expected, part))
            if was != expected:
                told = f"the claim {one.claim}, or what is expected of it, is not what it is in shard {other.label}"
                yield _other(part, told)


def _lacking(parts: Sequence[Part]) -> Iterator[Problem]:
    remedy = "say --partial to go without"
    of = parts[0].shard.of
    if missing := sorted(set(range(1, of + 1)) - {part.shard.number for part in parts}):
        yield Problem(f"missing: {', '.join(f'shard {number}/{of}' for number in missing)}", remedy=remedy)
    elif (held := sum(len(part.shard.jobs) for part in parts)) != parts[0].shard.planned:
        yield Problem(f"the shards have {held} jobs, and the run has {parts[0].shard.planned}")
    for part in parts:
        if not part.whole or part.lacks > 0:
            again = f"`traceproof run --resume {part.folder}` goes on with it; {remedy}"
            why = "was cut short" if not part.whole else "stopped early"
            yield Problem(f"shard {part.label} {why}: {part.lacks} jobs lack", file=str(part.ledger), remedy=again)


def _lost(parts: Sequence[Part], partial: bool) -> list[Problem]:
    """Recordings that did not come along, or not as they were."""
    missing: list[Path] = []
    changed: list[Path] = []
    for part in parts:
        for one in (one for case in _run(part) for attempt in case.attempts for one in attempt.recordings):
            trace = part.folder / one.trace
            if not trace.is_file():
                missing.append(trace)
            elif sha256_file(trace) != one.sha256:
                changed.append(trace)
    problems = []
    if changed:
        told = "these recordings are not those that the ledgers name: their sha256 differs"
        problems.append(Problem(told, found=listed(map(str, changed), _SHOWN), remedy="bring those folders again"))
    if missing and not partial:
        remedy = "bring the recordings too, or say --partial to go without"
        problems.append(Problem("recordings are missing", found=listed(map(str, missing), _SHOWN), remedy=remedy))
    return problems


def _run(part: Part) -> Iterator[CaseResult]:
    return (case for case in part.result.cases if case.attempts)


def _other(part: Part, why: str, expected: str = "", found: str = "", remedy: str = "") -> Problem:
    told = f"does not belong with the others: {why}"
    return Problem(told, file=str(part.ledger), expected=expected, found=found, remedy=remedy)
