"""Where a scenario's page lies: beside the scenario, or below a root of fixtures; never outside both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.paths import below
from harness.scenario.model import Template
from harness.scenario.nodes import shown
from harness.scenario.report import INVALID, Invalid, Report
from harness.scenario.tree import Node
from harness.wording import did_you_mean


@dataclass(frozen=True)
class Found:
    path: Path
    root: Path  # the folder that the server serves


def find_fixture(node: Node, beside: Path, roots: Sequence[Path], report: Report) -> Found | Invalid:
    """The absolute path of a fixture; beside the scenario file first, then in each root."""
    written = node.value
    if not isinstance(written, str) or isinstance(written, Template):
        return INVALID  # the schema has said so
    parts = PurePosixPath(written).parts
    if not written or written.startswith("/") or "\\" in written or ".." in parts:
        return report.add(
            node.at,
            "a fixture lies below the fixtures' folder",
            expected="a relative path without ..",
            found=f'the text "{written}"',
            remedy="copy the page beside the scenario file and name it from there",
        )
    if "?" in written or "#" in written:
        path = written.split("?")[0].split("#")[0]
        rest = written[len(path) :]
        remedy = f'write fixture: {path} and put the rest into the URL: goto: "${{fixture.url}}{rest}"'
        return report.add(node.at, "a fixture is a file, without a query", found=f'the text "{written}"', remedy=remedy)
    places = [beside, *roots]
    for root in places:
        candidate = root / written
        if _is_file(candidate):
            if not candidate.resolve().is_relative_to(root.resolve()):
                message = "the fixture is a link that leads out of its folder"
                return report.add(node.at, message, found=str(candidate.resolve()), remedy="copy the file instead")
            return Found(candidate.resolve(), root.resolve())
    if any(_is_link(root / written) for root in places):
        message, remedy = f'the fixture "{written}" is a link that leads nowhere', "copy the file instead"
        return report.add(node.at, message, remedy=remedy)
    known = [name for name in _known(places) if name != written]  # that is there, but is no file
    looked = " or ".join(shown(root) for root in dict.fromkeys(places))
    remedy = did_you_mean(written, known, otherwise="write the page, or mend the path")
    return report.add(node.at, f'there is no fixture "{written}"', expected=f"a file in {looked}", remedy=remedy)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is longer than a file's can be
        return False


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError:
        return False


def _known(places: Sequence[Path]) -> list[str]:
    return [
        file.relative_to(root).as_posix() for root in places if root.is_dir() for file in below(root, "*.htm*")[:2000]
    ]
