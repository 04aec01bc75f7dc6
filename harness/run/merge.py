"""Shards of a run joined into one: their cases in the order of the plan, their recordings in one folder, and the
verdicts of claims judged again from all cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import msgspec

from harness.errors import Problem, UsageError
from harness.events import (
    Attempt,
    AttemptDone,
    CaseKey,
    CaseResult,
    ClaimVerdict,
    LedgerLine,
    MergedShard,
    RecordingRef,
    RunFooter,
    RunHeader,
    RunResult,
)
from harness.run.baselines import Baselines
from harness.run.mixture import Part, mixed_up
from harness.run.verdicts import in_order, judge_claims
from harness.store import LEDGER, RecordingFiles, RunFolder, link_or_copy, write_lines

OnCase = Callable[[str], None]


@dataclass(slots=True)
class Merged:
    """`result`: the run as its ledger tells it now. `notes`: what lacks, where that was allowed."""

    result: RunResult
    notes: list[str] = field(default_factory=list)


def merge(
    parts: Sequence[Part],
    path: Path,
    command: Sequence[str],
    *,
    partial: bool = False,
    on_case: OnCase = lambda name: None,
) -> Merged:
    """Join shards into a new folder; `on_case` hears the name of each case before its files are joined.

    `partial`: whole shards, unfinished jobs and recordings may lack. `UsageError` names everything by which the parts
    do not belong together; nothing has been written then.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(Problem("is there already", file=str(path), remedy="choose another folder"))
    if wrong := mixed_up(parts, partial=partial):
        raise UsageError(wrong)
    parts = sorted(parts, key=lambda part: part.shard.number)
    folder = RunFolder(path)
    evidence = _Evidence(folder)
    cases: list[tuple[CaseResult, list[AttemptDone]]] = []
    for part, case in _in_plan(parts):
        on_case(case.name)
        taken = {one.number: evidence.take(part, case.key, one) for one in case.attempts}
        done = [
            msgspec.structs.replace(one, attempt=taken[one.attempt.number])
            for one in part.attempts.get(case.key, [])
            if one.attempt.number in taken
        ]
        cases.append((msgspec.structs.replace(case, attempts=list(taken.values())), done))
    results = [case for case, _ in cases]
    verdicts = _verdicts(parts, results)
    footer = RunFooter(
        seconds=max(part.result.footer.seconds for part in parts),
        verdicts=dict(Counter(str(one.verdict) for one in verdicts)),
        drifts=sum(one.drift for one in verdicts),
    )
    header = _header(parts, folder, command)
    lines: list[LedgerLine] = [header]
    for case, done in cases:
        lines += [*done, case]
    ledger = folder.path / LEDGER
    write_lines(ledger, [*lines, *verdicts, footer])
    result = RunResult(
        header=header, cases=results, verdicts=verdicts, footer=footer, folder=str(folder.path), ledger=str(ledger)
    )
    return Merged(result, [*_lacking(parts), *evidence.notes])


def _in_plan(parts: Sequence[Part]) -> list[tuple[Part, CaseResult]]:
    """The cases of all parts in the order in which one run would have had them."""
    plan = parts[0].plan
    names = {name: place for place, name in enumerate(plan.cases)}
    versions = {view.version: place for place, view in reversed(list(enumerate(plan.builds)))}
    paths = {view.path: place for place, view in enumerate(plan.builds)}
    modes = {mode: place for place, mode in enumerate(plan.modes)}

    def place(found: tuple[Part, CaseResult]) -> tuple[int, int, int]:
        case = found[1]
        build = paths.get(case.build.path, versions.get(case.build.version, 0))
        return names[case.name], build, modes.get(case.mode, 0)

    return sorted(((part, case) for part in parts for case in part.result.cases), key=place)


def _verdicts(parts: Sequence[Part], cases: Sequence[CaseResult]) -> list[ClaimVerdict]:
    """From all cases; what a claim says, and what was expected of it, as the shards have it.

    A scenario is left out where every shard that knows the claim had left it out.
    """
    told: dict[tuple[str, str, str, str], list[ClaimVerdict]] = {}
    for part in parts:
        for one in part.result.verdicts:
            told.setdefault((one.claim, one.build.path, one.mode, one.raster), []).append(one)
    merged = []
    for one in judge_claims(cases, {}, Baselines()):
        first, *others = told[one.claim, one.build.path, one.mode, one.raster]
        left = [name for name in first.left_out if all(name in other.left_out for other in others)]
        left = [name for name in left if name not in one.scenarios]
        merged.append(
            msgspec.structs.replace(
                one,
                says=first.says,
                event=first.event,
                expected=first.expected,
                baseline_reason=first.baseline_reason,
                left_out=left,
            )
        )
    return in_order(merged)


def _header(parts: Sequence[Part], folder: RunFolder, command: Sequence[str]) -> RunHeader:
    first = parts[0].header
    machines = [part.header.machine for part in parts]
    return RunHeader(
        traceproof=first.traceproof,
        started=min(part.header.started for part in parts),
        command=list(command),
        machine={key: value for key, value in machines[0].items() if all(one.get(key) == value for one in machines)},
        plan=msgspec.structs.replace(parts[0].plan, shard=None, store=str(folder.store.root)),
        merged=[
            MergedShard(
                number=part.shard.number,
                folder=str(part.folder),
                started=part.header.started,
                seconds=part.result.footer.seconds,
                command=part.header.command,
                machine=part.header.machine,
                lacks=part.lacks,
            )
            for part in parts
        ],
        schema=first.schema,
    )


def _lacking(parts: Sequence[Part]) -> list[str]:
    of = parts[0].shard.of
    missing = sorted(set(range(1, of + 1)) - {part.shard.number for part in parts})
    notes = [f"shard {number}/{of} is missing" for number in missing]
    return notes + [f"shard {part.label} lacks {part.lacks} of its jobs" for part in parts if part.lacks]


class _Evidence:
    """The recordings of attempts, joined into one folder; two binaries of one version never share a folder there."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._taken: dict[PurePosixPath, str] = {}
        self.notes: list[str] = []

    def take(self, part: Part, key: CaseKey, attempt: Attempt) -> Attempt:
        """The attempt with the paths that its recordings have now."""
        moved: list[RecordingRef] = []
        reasons, error = attempt.reasons, attempt.error
        for one in attempt.recordings:
            trace = self._room(PurePosixPath(one.trace), key.binary)
            self._link(part.folder / one.trace, trace)
            context = trace.with_name(PurePosixPath(one.context).name)
            moved.append(msgspec.structs.replace(one, trace=str(trace), context=str(context)))
            reasons = [reason.replace(one.trace, str(trace)) for reason in reasons]
            error = error.replace(one.trace, str(trace))
        return msgspec.structs.replace(attempt, recordings=moved, reasons=reasons, error=error)

    def _room(self, trace: PurePosixPath, binary: str) -> PurePosixPath:
        base = folder = trace.parents[1]
        number = 2
        while self._taken.setdefault(folder, binary) != binary:
            folder, number = base.with_name(f"{base.name}-{number}"), number + 1
        return folder / trace.parent.name / trace.name

    def _link(self, source: Path, trace: PurePosixPath) -> None:
        old, new = RecordingFiles(source), RecordingFiles(self._folder.path / trace)
        if not old.trace.is_file():
            self.notes.append(f"the recording {trace} is missing")
            return
        for file, target in ((old.trace, new.trace), (old.context, new.context), (old.manifest, new.manifest)):
            if file.is_file():
                link_or_copy(file, target)
        self._folder.take_in([str(trace)])
