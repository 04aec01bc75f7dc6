"""The two sides of a comparison: recordings found on disk, each with what is known of its making."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.compare.vocabulary import Vocabulary, survey
from harness.errors import Problem, UsageError
from harness.store import context_beside, manifest_beside
from harness.trace import Event, in_scope, load, resolve_page
from harness.trace.context import RecordingContext
from harness.trace.files import find_traces
from harness.trace.halves import Disorder
from harness.trace.merged import MergedEvents
from harness.trace.page import SIGHTINGS
from harness.trace.reader import collector_paused
from harness.trace.sift import Wanted, sift


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recording. `group`: recordings of one group should say the same, and only like groups are compared."""

    path: Path
    group: str  # scenario[cell] arm; empty where nothing beside the file tells
    made: str  # build, mode, raster, recorder
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Side:
    """All recordings of one side, in order of their paths. `refused`: those that lost data and so show nothing."""

    label: str
    recordings: tuple[Recorded, ...]
    refused: tuple[Path, ...] = ()

    @property
    def made(self) -> dict[str, int]:
        """How the recordings were made, and how many in each way; empty where nobody knows."""
        return dict(Counter(one.made for one in self.recordings if one.made))


def read_side(text: str, *, page_only: bool = False) -> Side:
    """A trace file, a folder with recordings below it, or a glob over files. `UsageError` when there is nothing."""
    paths = find_traces(text)
    refused = tuple(path for path in paths if (known := context_beside(path)) and known.data_loss)
    if len(refused) == len(paths):
        raise UsageError(Problem(f"every recording in {text} lost data, so what it lacks shows nothing"))
    return Side(text, tuple(_recorded(path, page_only) for path in paths if path not in refused), refused)


def _recorded(path: Path, page_only: bool) -> Recorded:
    context = context_beside(path)
    vocabulary, metadata = _surveyed(path, _of_the_page(path, context) if page_only else lambda event: True)
    manifest = manifest_beside(path)
    if manifest:
        cell = f"[{manifest.cell}]" if manifest.cell else ""
        made = f"{manifest.build.product} {manifest.build.version} {manifest.mode}, {manifest.raster} raster"
        return Recorded(path, f"{manifest.scenario}{cell} {manifest.arm}", f"{made}, {manifest.recorder}", vocabulary)
    made = f"{context.build} {context.mode}".strip() if context else str(metadata.get("product-version", ""))
    return Recorded(path, "", made, vocabulary)


def _surveyed(path: Path, accepts: Callable[[Event], bool]) -> tuple[Vocabulary, dict[str, Any]]:
    """The vocabulary and the metadata of a recording, in one pass where the order of its events allows it."""
    events = MergedEvents(path)
    try:
        with collector_paused():
            return survey(events, accepts), events.metadata
    except Disorder:
        trace = load(path)
        return survey(trace.events, accepts), trace.metadata


def _of_the_page(path: Path, context: RecordingContext | None) -> Callable[[Event], bool]:
    trace = sift(path, Wanted(frozenset(SIGHTINGS)))
    page = resolve_page(trace, context)
    if not page.frames:
        message, remedy = "the page under test is not known here", "leave out --page-only"
        raise UsageError(Problem(message, file=str(path), found=page.how, remedy=remedy))
    return in_scope("page", trace, page)
