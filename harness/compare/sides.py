"""The two sides of a comparison: recordings found on disk, each with what is known of its making."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.compare.vocabulary import Vocabulary, survey
from harness.errors import Problem, UsageError
from harness.store import context_beside, manifest_beside
from harness.trace import in_scope, load, resolve_page

_TRACE = re.compile(r".*\.(json|json\.gz|json\.zst|pftrace|pftrace\.gz|pb)")
_BESIDE = re.compile(r".*\.?(manifest|context)\.json")


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


def find_traces(text: str) -> list[Path]:
    """The trace files that a word of the command line means."""
    path = Path(text)
    if path.is_file():
        return [path]
    found = sorted({each for root in _roots(text, path) for each in _below(root)})
    if not found:
        nowhere = not path.exists() and not glob.has_magic(text)
        message = f"{text} does not exist" if nowhere else f"there is no recording in {text}"
        raise UsageError(
            Problem(
                message, expected="a trace file, a folder that holds recordings, or a quoted pattern such as 'out/*/…'"
            )
        )
    return found


def _roots(text: str, path: Path) -> Sequence[Path]:
    # `Path.glob` takes no absolute patterns.
    return [path] if path.exists() else [Path(each) for each in glob.glob(text, recursive=True)]  # noqa: PTH207


def _below(root: Path) -> Iterator[Path]:
    for path in root.rglob("*") if root.is_dir() else [root]:
        if path.is_file() and _TRACE.fullmatch(path.name) and not _BESIDE.fullmatch(path.name):
            yield path


def _recorded(path: Path, page_only: bool) -> Recorded:
    trace, context = load(path), context_beside(path)
    if page_only:
        page = resolve_page(trace, context)
        if not page.frames:
            raise UsageError(
                Problem(
                    "the page under test is not known here",
                    file=str(path),
                    found=page.how,
                    remedy="leave out --page-only",
                )
            )
        vocabulary = survey(trace, in_scope("page", trace, page))
    else:
        vocabulary = survey(trace)
    manifest = manifest_beside(path)
    if manifest:
        cell = f"[{manifest.cell}]" if manifest.cell else ""
        made = f"{manifest.build.product} {manifest.build.version} {manifest.mode}, {manifest.raster} raster"
        return Recorded(path, f"{manifest.scenario}{cell} {manifest.arm}", f"{made}, {manifest.recorder}", vocabulary)
    made = f"{context.build} {context.mode}".strip() if context else str(trace.metadata.get("product-version", ""))
    return Recorded(path, "", made, vocabulary)
