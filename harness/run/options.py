"""What a run is told beside its cases, builds and modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.events import Sampling, Shard
from harness.run.baselines import Baselines
from harness.run.durations import Durations
from harness.scenario.model import Case, Claim
from harness.store import RunFolder


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`attempts` overrides what scenarios say, `sampling` both.

    `durations`: how long cases took before; None: as the latest runs beside the folder tell.
    `stop_early` ends the run after the first case that differs.

    `catalog`: every case that there is, so that a verdict can say which scenarios of its claim were not asked for.
    `paths`: the user's own files and folders among what was asked for. `shard`: the part of the jobs that is run.
    """

    folder: RunFolder
    claims: Mapping[str, Claim] = field(default_factory=dict)
    baselines: Baselines = field(default_factory=Baselines)
    attempts: int | None = None
    sampling: Sampling | None = None
    workers: int = 1
    durations: Durations | None = None
    stop_early: bool = False
    command: tuple[str, ...] = ()
    catalog: Sequence[Case] = ()
    paths: Sequence[Path] = ()
    shard: Shard | None = None
