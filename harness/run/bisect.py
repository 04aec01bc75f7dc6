"""Where along the versions an answer changes: which build to ask next, and what the answers amount to.

Nothing here takes a history for monotonic: builds are asked until no two neighbours that differ have an unasked build
between them, and no stretch of one answer has more than a few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from harness.browser.build import Build
from harness.browser.catalogue import Package, branch_point
from harness.run.answers import Answer
from harness.stats import apart, attempts_to_tell, chance
from harness.verdict import Verdict
from harness.versions import parse_version

SPREAD = 3  # builds between two equal answers that may stay unasked


@dataclass(frozen=True, slots=True)
class Point:
    """A version on the line. `build` is here, `package` can be had; with neither only ledgers can answer for it."""

    version: str
    build: Build | None = None
    package: Package | None = None

    @property
    def major(self) -> int:
        return parse_version(self.version)[0]

    @property
    def branch(self) -> int:
        """Where on main it was cut: the third number of the version."""
        return parse_version(self.version)[2]

    @property
    def askable(self) -> bool:
        return self.build is not None or self.package is not None

    @property
    def label(self) -> str:
        """`110 (5478)`"""
        return f"{self.major} ({self.branch})"


@dataclass(frozen=True, slots=True)
class Edge:
    """Two neighbours on the line whose answers differ. `chance`: that the same rate gives answers so far apart.

    releases: the majors that may be the first with the change, from what is known of branch points.
    sure: whether the attempts tell the two apart; an edge at which answers end cannot be.
    """

    before: Point
    after: Point
    was: Answer
    now: Answer
    chance: float
    sure: bool
    releases: tuple[int, ...]
    unasked: tuple[Point, ...]  # builds between them that gave no answer
    missing: tuple[int, ...]  # majors between them of which there is no build

    @property
    def of_chrome(self) -> bool:
        """Whether both sides are answers; on one side of another edge the scenario cannot tell."""
        return self.was.verdict.says_of_chrome and self.now.verdict.says_of_chrome


def next_point(points: Sequence[Point], answers: Mapping[str, Answer], spread: int = SPREAD) -> Point | None:
    """The build to ask next; None when enough is known. What was asked and gave no answer is not asked again."""
    free = [number for number, point in enumerate(points) if point.version not in answers and point.askable]
    told = [number for number, point in enumerate(points) if (one := answers.get(point.version)) and one.says]
    if not free:
        return None
    if not told:
        return points[free[0]]
    if free[0] < told[0]:
        return points[free[0]]
    if free[-1] > told[-1]:
        return points[free[-1]]
    for left, right in pairwise(told):
        between = [number for number in free if left < number < right]
        changed = differ(answers[points[left].version], answers[points[right].version])
        if between and (changed or len(between) > spread):
            return points[between[len(between) // 2]]
    return None


def differ(one: Answer, other: Answer) -> bool:
    """Whether two answers are different words, or SOMETIMES at rates that the attempts tell apart."""
    return one.says is not other.says or apart(one.met, one.valid, other.met, other.valid)


def flake_rate(answers: Mapping[str, Answer]) -> float:
    """The share of valid attempts that contradict what their own build mostly does."""
    told = [one for one in answers.values() if one.verdict.says_of_chrome]
    valid = sum(one.valid for one in told)
    return sum(min(one.met, one.valid - one.met) for one in told) / valid if valid else 0.0


def lacking(points: Sequence[Point], answers: Mapping[str, Answer]) -> dict[str, int]:
    """Versions beside an edge that is not sure, or that answer SOMETIMES, with the attempts that each lacks."""
    wanted = attempts_to_tell(flake_rate(answers))
    unsure = [edge for edge in edges(points, answers) if edge.of_chrome and not edge.sure]
    beside = {point.version for edge in unsure for point in (edge.before, edge.after)}
    return {
        point.version: wanted - one.valid
        for point in points
        if point.askable and (one := answers.get(point.version)) and one.valid < wanted
        if point.version in beside or one.verdict is Verdict.SOMETIMES
    }


def edges(points: Sequence[Point], answers: Mapping[str, Answer]) -> list[Edge]:
    """Every place along the line where neighbours that answer differ."""
    told = [(number, answers[point.version]) for number, point in enumerate(points) if point.version in answers]
    said = [(number, one) for number, one in told if one.says]
    return [_edge(points, left, right, was, now) for (left, was), (right, now) in pairwise(said) if differ(was, now)]


def _edge(points: Sequence[Point], left: int, right: int, was: Answer, now: Answer) -> Edge:
    before, after = points[left], points[right]
    there = {point.major for point in points}
    tallies = was.met, was.valid, now.met, now.valid
    return Edge(
        before,
        after,
        was,
        now,
        chance(*tallies),
        apart(*tallies),
        releases(before, after),
        tuple(points[left + 1 : right]),
        tuple(major for major in range(before.major + 1, after.major) if major not in there),
    )


def releases(before: Point, after: Point) -> tuple[int, ...]:
    """The majors that may be the first with a change that the one build has not and the other has.

    A change landed on main after `before` was cut and not after `after` was. A release has what landed up to its branch
    point, so a build that was cut before the branch point of its major does not speak for that major. Changes that were
    merged into a branch later are not seen in this.
    """
    first = before.major if _cut_early(before) else before.major + 1
    return tuple(range(min(first, after.major), after.major + 1))


def _cut_early(point: Point) -> bool:
    known = branch_point(point.major)
    if known is not None:
        return point.branch < known
    return parse_version(point.version)[3] == 0  # a build of a release branch counts its patches


def stretches(points: Sequence[Point], answers: Mapping[str, Answer]) -> list[tuple[Verdict, list[Point]]]:
    """Builds in a row that answer alike; those that give no answer are left out."""
    told = [(one.says, point) for point in points if (one := answers.get(point.version)) and one.says]
    return [(said, [point for _, point in group]) for said, group in groupby(told, lambda pair: pair[0]) if said]


@dataclass(frozen=True, slots=True)
class Line:
    """What is known of one case along the versions in one mode."""

    claim: str
    case: str
    mode: str
    raster: str
    bound: str  # the versions that the case and the claim are bound to, empty for none
    points: tuple[Point, ...]
    answers: Mapping[str, Answer]
    notes: tuple[str, ...] = ()
    folder: Path | None = None  # where new recordings went

    @property
    def edges(self) -> list[Edge]:
        return edges(self.points, self.answers)

    @property
    def stretches(self) -> list[tuple[Verdict, list[Point]]]:
        return stretches(self.points, self.answers)

    @property
    def settled(self) -> bool:
        """Whether at least two builds answer, nothing that would be asked is unasked, and every edge is sure."""
        answered = sum(one.verdict.says_of_chrome for one in self.answers.values())
        return (
            answered >= 2
            and next_point(self.points, self.answers) is None
            and all(edge.sure for edge in self.edges if edge.of_chrome)
        )
