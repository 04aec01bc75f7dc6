"""What differs between two sides: names, categories, phases, arguments and types that one has and the other has not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Literal

from harness.compare.sides import Recorded, Side
from harness.compare.vocabulary import EventUse, Vocabulary
from harness.trace.argpaths import parent_path

Kind = Literal["name", "phase", "category", "path", "type", "share", "count"]
KINDS: tuple[Kind, ...] = ("name", "phase", "category", "path", "type", "share", "count")
LEAST_SHARE = 0.1  # a smaller change of the share of events is not told
LEAST_RATIO = 2.0  # nor a smaller change of the number of events
_Parts = Callable[[EventUse], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Presence:
    """How often one side has something: in `recordings` of `of` that could have it, in `events` of `among` events."""

    recordings: int = 0
    of: int = 0
    events: int = 0
    among: int = 0

    @property
    def share(self) -> float:
        """Of the events of the name, those that have it; of a name itself 1 where it occurs."""
        return self.events / self.among if self.among else 0.0

    def __add__(self, other: Presence) -> Presence:
        recordings, of = self.recordings + other.recordings, self.of + other.of
        return Presence(recordings, of, self.events + other.events, self.among + other.among)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing about the events `name`. `what`: the category, phase, path, or `path: type`; empty for a name or count.

    unstable: where it occurs, not every recording has it, so that it may be chance.
    below: paths further down that differ in the same way and are not listed.
    """

    kind: Kind
    name: str
    what: str
    left: Presence
    right: Presence
    unstable: bool = False
    below: int = 0
    claims: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        """`-` only left, `+` only right, `~` on both."""
        if self.kind in ("share", "count") or (self.left.recordings and self.right.recordings):
            return "~"
        return "-" if self.left.recordings else "+"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`differences`: those that matter most first. `groups`: what both sides have, and so was compared; `left_only`
    and `right_only`: what was left out."""

    left: Side
    right: Side
    differences: tuple[Difference, ...]
    groups: tuple[str, ...] = ()
    left_only: tuple[str, ...] = ()
    right_only: tuple[str, ...] = ()


def compare_sides(left: Side, right: Side, claims_of: Callable[[str, str], Iterable[str]]) -> Comparison:
    """Recordings of the same scenario and arm against each other; all against all where the sides share none.

    `claims_of(name, path)`: the claims that depend on an event (with the path '') or on one of its arguments.
    """
    of_left, of_right = _grouped(left), _grouped(right)
    shared = sorted(of_left.keys() & of_right.keys())
    if not shared:
        of_left, of_right = {"": list(left.recordings)}, {"": list(right.recordings)}
        shared = [""]
    merged: dict[tuple[str, ...], Difference] = {}
    for group in shared:
        lefts, rights = ([one.vocabulary for one in side[group]] for side in (of_left, of_right))
        for found in _of_group(lefts, rights):
            key = (found.kind, found.name, found.what, found.sign)
            one = replace(found, groups=(group,))
            merged[key] = _joined(merged[key], one) if key in merged else one
    told = [replace(one, claims=tuple(claims_of(one.name, _path(one)))) for one in merged.values()]
    return Comparison(
        left,
        right,
        tuple(sorted(told, key=_importance)),
        tuple(group for group in shared if group),
        tuple(sorted(of_left.keys() - of_right.keys() - {""})),
        tuple(sorted(of_right.keys() - of_left.keys() - {""})),
    )


def _importance(one: Difference) -> tuple[bool, bool, int, int, str, str]:
    """What claims depend on, then what every recording shows, then whole events before their parts, frequent first."""
    events = -max(one.left.events, one.right.events)
    return not one.claims, one.unstable, KINDS.index(one.kind), events, one.name, one.what


def _path(one: Difference) -> str:
    if one.kind == "type":
        return one.what.rpartition(": ")[0]
    return one.what if one.kind in ("path", "share") else ""


def _grouped(side: Side) -> dict[str, list[Recorded]]:
    groups: defaultdict[str, list[Recorded]] = defaultdict(list)
    for one in side.recordings:
        groups[one.group].append(one)
    return dict(groups)


def _joined(one: Difference, other: Difference) -> Difference:
    return replace(
        one,
        left=one.left + other.left,
        right=one.right + other.right,
        unstable=one.unstable or other.unstable,
        below=max(one.below, other.below),
        groups=(*one.groups, *other.groups),
    )


def _of_group(left: Sequence[Vocabulary], right: Sequence[Vocabulary]) -> Iterator[Difference]:
    names = dict.fromkeys(name for vocabulary in (*left, *right) for name in vocabulary)
    for name in names:
        lefts, rights = ([one[name] for one in side if name in one] for side in (left, right))
        here = _whole(lefts, len(left)), _whole(rights, len(right))
        found = _appears("name", name, "", *here)
        if found is not None:
            yield found
        if lefts and rights:
            yield from _parts(name, lefts, rights)
            if found is None and _apart([use.count for use in lefts], [use.count for use in rights]):
                yield Difference("count", name, "", *here, unstable=len(lefts) == 1 or len(rights) == 1)


def _whole(uses: Sequence[EventUse], of: int) -> Presence:
    events = sum(use.count for use in uses)
    return Presence(len(uses), of, events, events)


def _apart(left: Sequence[int], right: Sequence[int]) -> bool:
    """The counts of one side are all above those of the other, and at least twice as many."""
    low, high = sorted((left, right), key=median)
    return max(low) < min(high) and median(high) >= LEAST_RATIO * median(low)


def _parts(name: str, lefts: Sequence[EventUse], rights: Sequence[EventUse]) -> Iterator[Difference]:
    def both(of: _Parts) -> dict[str, tuple[Presence, Presence]]:
        parts = dict.fromkeys(part for use in (*lefts, *rights) for part in of(use))
        return {part: (_part(lefts, part, of), _part(rights, part, of)) for part in parts}

    yield from (found for part, has in both(_phases).items() if (found := _appears("phase", name, part, *has)))
    yield from (found for part, has in both(_categories).items() if (found := _appears("category", name, part, *has)))
    paths = both(_paths)
    missing = {path: found for path, has in paths.items() if (found := _appears("path", name, path, *has))}
    for path, found in missing.items():
        if not _told_above(path, found, missing):
            below = sum(_told_above(other, missing[other], {path: found}) for other in missing)
            yield replace(found, below=below)
    shares = {path for path in paths if path not in missing and _share_differs(path, lefts, rights)}
    for path in paths:
        if path in shares and parent_path(path) not in shares:
            yield Difference("share", name, path, *paths[path], unstable=len(lefts) == 1 or len(rights) == 1)
    for path in paths:
        if path not in missing and (retyped := _retyped(name, path, lefts, rights)):
            yield retyped


def _appears(kind: Kind, name: str, what: str, left: Presence, right: Presence) -> Difference | None:
    """A difference where the share of recordings differs: all against none, or (unstable) any other."""
    if left.recordings * right.of == right.recordings * left.of:
        return None
    steady = {(left.recordings, right.recordings)} & {(left.of, 0), (0, right.of)}
    return Difference(kind, name, what, left, right, unstable=not steady)


def _told_above(path: str, found: Difference, missing: Mapping[str, Difference]) -> bool:
    """A path above this one is missing in the same recordings."""
    while path := parent_path(path):
        above = missing.get(path)
        if above and above.sign == found.sign and _recordings(above) == _recordings(found):
            return True
    return False


def _recordings(one: Difference) -> tuple[int, int]:
    return one.left.recordings, one.right.recordings


def _share_differs(path: str, lefts: Sequence[EventUse], rights: Sequence[EventUse]) -> bool:
    """The shares of one side are all above those of the other, by enough. Parts are told by what they are part of."""
    left, right = ([use.paths[path] / use.count for use in side] for side in (lefts, rights))
    apart = max(left) < min(right) or max(right) < min(left)
    return apart and abs(fmean(left) - fmean(right)) >= LEAST_SHARE and not path.endswith("[]")


def _part(uses: Sequence[EventUse], part: str, of: _Parts) -> Presence:
    counts = [of(use).get(part, 0) for use in uses]
    return Presence(sum(map(bool, counts)), len(uses), sum(counts), sum(use.count for use in uses))


def _phases(use: EventUse) -> Mapping[str, int]:
    return use.phases


def _categories(use: EventUse) -> Mapping[str, int]:
    return use.categories


def _paths(use: EventUse) -> Mapping[str, int]:
    return use.paths


def _retyped(name: str, path: str, lefts: Sequence[EventUse], rights: Sequence[EventUse]) -> Difference | None:
    """A difference such as `args.x: integer → number`, where a side has values of a type that the other never has."""
    left, right = _types(path, lefts), _types(path, rights)
    news = [has for kind, has in left.items() if kind not in right]
    news += [has for kind, has in right.items() if kind not in left]
    if not news:
        return None
    what = f"{path}: {' or '.join(sorted(left))} → {' or '.join(sorted(right))}"
    unstable = any(has.recordings < has.of for has in news)
    return Difference("type", name, what, _part(lefts, path, _paths), _part(rights, path, _paths), unstable)


def _types(path: str, uses: Sequence[EventUse]) -> dict[str, Presence]:
    """Each type at a path. An integer among numbers is a number that happens to be whole."""
    kinds = {kind for use in uses for where, kind in use.types if where == path}
    counted = {
        kind: [use.types[path, kind] for use in uses] for kind in kinds - ({"integer"} if "number" in kinds else set())
    }
    return {kind: Presence(sum(map(bool, counts)), len(uses), sum(counts)) for kind, counts in counted.items()}
