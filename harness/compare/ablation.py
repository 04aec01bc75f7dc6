"""Which category carries which event and which argument: what is seen in recordings with and without each one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal, Protocol

from harness.compare.ablation_claims import answers
from harness.compare.difference import LEAST_RATIO, LEAST_SHARE
from harness.compare.vocabulary import EventUse, Vocabulary, survey
from harness.expect import Recording
from harness.expect.recording import Unanswerable
from harness.expect.select import DEFAULT_ROLE, Picker
from harness.mutate.looks import chain
from harness.scenario.model import Case, Selection
from harness.trace import in_scope, resolve_page
from harness.trace.argpaths import parent_path
from harness.verdict import Outcome

_NOTHING = EventUse()


@dataclass(slots=True)
class Observed:
    """What one recording shows of a scenario.

    selected: by selection, how many events of each name. around: by name, the events that hold it or lie in it. scopes:
    by role, everything in it. claims: what the expectations say.
    """

    selected: dict[str, dict[str, int]] = field(default_factory=dict)
    around: dict[str, set[str]] = field(default_factory=dict)
    scopes: dict[str, Vocabulary] = field(default_factory=dict)
    claims: dict[str, Outcome] = field(default_factory=dict)


class Sample(Protocol):
    """One recording of a variant: `variant.kind` is all, without or alone."""

    @property
    def variant(self) -> VariantOf: ...
    @property
    def seen(self) -> Observed | None: ...
    @property
    def reason(self) -> str: ...


class VariantOf(Protocol):
    @property
    def kind(self) -> Literal["all", "without", "alone"]: ...
    @property
    def category(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Cell:
    """One event with one category left out, or alone. counts: of each recording; empty where none is evidence.

    lost: arguments that all recordings with all categories have, and these have not though the event is there; gained
    the reverse; rarer: arguments that a smaller share of the events has. Only the topmost paths.
    """

    counts: tuple[int, ...] = ()
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    shifted: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        return bool(self.counts) and not any(self.counts)

    @property
    def there(self) -> bool:
        return bool(self.counts) and all(self.counts)


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """An event that selections pick. needed: it is gone without; sufficient: it is there with that category alone.

    named: a selection asks for it by its name, and not only for whatever there is.
    """

    name: str
    role: str
    selections: tuple[str, ...]
    named: bool
    counts: tuple[int, ...]  # with all categories
    written: tuple[str, ...]  # its `cat`
    without: Mapping[str, Cell]
    alone: Mapping[str, Cell]
    arguments: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]  # path: needed, sufficient

    @property
    def needed(self) -> tuple[str, ...]:
        return tuple(category for category, cell in self.without.items() if cell.gone)

    @property
    def sufficient(self) -> tuple[str, ...]:
        return tuple(category for category, cell in self.alone.items() if cell.there)


@dataclass(frozen=True, slots=True)
class Ablation:
    """`effects`: what a category does beside carrying events, one sentence each. `unanswered`: variant and reason.

    claims: what the expectations say with all categories, and without each.
    """

    categories: tuple[str, ...]
    events: tuple[EventAnswer, ...]
    effects: tuple[str, ...]
    claims: Mapping[str, Mapping[str, str]]
    unanswered: tuple[tuple[str, str], ...]


def observer(
    case: Case, arm: str, others: Mapping[str, Sequence[Recording]] | None = None
) -> Callable[[Recording], Observed]:
    """Looks at a recording of an arm with the scenario's selections. `others`: those of the other arms, as they are."""
    picked = {name: one for name, one in case.select.items() if _of_trace(one, case.select)}
    roles = {_role(one, case.select) for one in picked.values()}

    def look(recording: Recording) -> Observed:
        observed = Observed()
        picker = Picker(arm, recording, case.select, {})
        page = resolve_page(recording.trace, recording.context)
        for role in roles:
            observed.scopes[role] = survey(recording.trace.events, in_scope(role, recording.trace, page))
        for name, selection in picked.items():
            try:
                items = picker.named(name, selection.at).items
            except Unanswerable:  # such as a window between marks of another arm
                continue
            counts = observed.selected.setdefault(name, {})
            for item in items:
                counts[item.name] = counts.get(item.name, 0) + 1
        for event in recording.trace.events:
            for holder in event.ancestors():
                observed.around.setdefault(event.name, set()).add(holder.name)
                observed.around.setdefault(holder.name, set()).add(event.name)
        observed.claims = answers(case, {**(others or {}), arm: [recording]})
        return observed

    return look


def _of_trace(selection: Selection, select: Mapping[str, Selection]) -> bool:
    return all(one.source == "trace" and one.gaps_of is None and one.arm is None for one in chain(selection, select))


def _role(selection: Selection, select: Mapping[str, Selection]) -> str:
    return next((one.on for one in chain(selection, select) if one.on), DEFAULT_ROLE)


def conclude(case: Case, samples: Sequence[Sample]) -> Ablation:
    """From all recordings of an ablation to what each category carries."""
    full = [one.seen for one in samples if one.variant.kind == "all" and one.seen]
    categories = tuple(dict.fromkeys(one.variant.category for one in samples if one.variant.category))
    without = {name: _seen(samples, "without", name) for name in categories}
    alone = {name: _seen(samples, "alone", name) for name in categories}
    alone = {name: seen for name, seen in alone.items() if seen}
    events = tuple(
        _event(name, role, selections, _named(case, selections), full, without, alone)
        for (name, role), selections in _picked(case, full).items()
    )
    claims = {
        claim: {"all": _outcomes(full, claim), **{name: _outcomes(seen, claim) for name, seen in without.items()}}
        for claim in case.claims
        if any(claim in one.claims for one in full)
    }
    unanswered = {(f"{one.variant.kind} {one.variant.category}".strip(), one.reason) for one in samples if not one.seen}
    effects = dict.fromkeys(effect for event in events for effect in _effects(event, full, without))
    return Ablation(categories, events, tuple(effects), claims, tuple(sorted(unanswered)))


def _seen(samples: Sequence[Sample], kind: str, category: str) -> list[Observed]:
    return [one.seen for one in samples if (one.variant.kind, one.variant.category) == (kind, category) and one.seen]


def _picked(case: Case, full: Sequence[Observed]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Each event that a selection picks with all categories, by name and role, with the selections."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for one in full:
        for selection, counts in one.selected.items():
            for name in counts:
                key = name, _role(case.select[selection], case.select)
                found[key] = tuple(dict.fromkeys((*found.get(key, ()), selection)))
    return found


def _named(case: Case, selections: Sequence[str]) -> bool:
    return any(one.names for name in selections for one in chain(case.select[name], case.select))


def _event(
    name: str,
    role: str,
    selections: tuple[str, ...],
    named: bool,
    full: Sequence[Observed],
    without: Mapping[str, Sequence[Observed]],
    alone: Mapping[str, Sequence[Observed]],
) -> EventAnswer:
    uses = _uses(full, role, name)
    steady = [path for path in _paths(uses) if all(use.paths[path] for use in uses)]
    arguments = {}
    for path in steady:
        needed = tuple(category for category, seen in without.items() if _lacks(_uses(seen, role, name), path))
        enough = tuple(category for category, seen in alone.items() if _has(_uses(seen, role, name), path))
        arguments[path] = needed, enough
    return EventAnswer(
        name,
        role,
        selections,
        named,
        tuple(use.count for use in uses),
        tuple(dict.fromkeys(category for use in uses for category in use.categories)),
        {category: _cell(uses, _uses(seen, role, name)) for category, seen in without.items()},
        {category: _cell(uses, _uses(seen, role, name)) for category, seen in alone.items()},
        arguments,
    )


def _uses(seen: Iterable[Observed], role: str, name: str) -> list[EventUse]:
    return [one.scopes.get(role, {}).get(name, _NOTHING) for one in seen]


def _paths(uses: Iterable[EventUse]) -> list[str]:
    return list(dict.fromkeys(path for use in uses for path in sorted(use.paths)))


def _lacks(uses: Sequence[EventUse], path: str) -> bool:
    """The event is there and no event has the argument."""
    return bool(uses) and all(use.count and not use.paths[path] for use in uses)


def _has(uses: Sequence[EventUse], path: str) -> bool:
    return bool(uses) and all(use.paths[path] for use in uses)


def _cell(full: Sequence[EventUse], uses: Sequence[EventUse]) -> Cell:
    paths = _paths([*full, *uses])
    lost = {path for path in paths if _has(full, path) and _lacks(uses, path)}
    gained = {path for path in paths if _has(uses, path) and _lacks(full, path)}
    shifted = {path for path in paths if path not in lost | gained and _shifted(full, uses, path)}
    return Cell(tuple(use.count for use in uses), *(_topmost(found) for found in (lost, gained, shifted)))


def _shifted(full: Sequence[EventUse], uses: Sequence[EventUse], path: str) -> bool:
    """The share of events with an argument lies outside what it is with all categories."""
    if not uses or not all(use.count for use in (*full, *uses)):
        return False
    before, after = ([use.paths[path] / use.count for use in side] for side in (full, uses))
    apart = max(after) < min(before) or min(after) > max(before)
    return apart and abs(fmean(before) - fmean(after)) >= LEAST_SHARE


def _topmost(paths: set[str]) -> tuple[str, ...]:
    return tuple(sorted(path for path in paths if parent_path(path) not in paths))


def _effects(event: EventAnswer, full: Sequence[Observed], without: Mapping[str, Sequence[Observed]]) -> Iterator[str]:
    """What leaving a category out does to an event that stays."""
    for category, cell in event.without.items():
        if not cell.there:
            continue
        low, high = min(event.counts), max(event.counts)
        factor = 1 if low == high else LEAST_RATIO
        apart = min(cell.counts) > high * factor or max(cell.counts) * factor < low
        if apart:
            counts = "/".join(map(str, cell.counts))
            yield f"without {category}, {event.name} is written {counts} times instead of {_range(event.counts)}"
        for path in cell.lost:
            others = _others(event, path, full, without[category])
            yield f"without {category}, {event.name} loses {path}{f', gained by {others}' if others else ''}"
        for path in cell.gained:
            others = _others(event, path, without[category], full)
            yield f"without {category}, {event.name} gains {path}{f', lost by {others}' if others else ''}"
        for path in cell.shifted:
            shares = [_share(_uses(seen, event.role, event.name), path) for seen in (full, without[category])]
            yield f"without {category}, {shares[1]:.0%} of {event.name} have {path} instead of {shares[0]:.0%}"
        for selection in event.selections:
            picked = [one.selected.get(selection, {}).get(event.name, 0) for one in without[category]]
            before = [one.selected.get(selection, {}).get(event.name, 0) for one in full]
            if all(before) and not any(picked):
                yield f"without {category}, `{selection}` picks no {event.name} though the event is there"


def _others(event: EventAnswer, path: str, before: Sequence[Observed], after: Sequence[Observed]) -> str:
    """Events around this one that have an argument `after` and not `before`."""
    around = {name for one in (*before, *after) for name in one.around.get(event.name, ())} - {event.name}
    found = [
        name
        for name in sorted(around)
        if _has(_uses(after, event.role, name), path)
        and not any(use.paths[path] for use in _uses(before, event.role, name))
    ]
    return " and ".join(found)


def _share(uses: Sequence[EventUse], path: str) -> float:
    return sum(use.paths[path] for use in uses) / max(sum(use.count for use in uses), 1)


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _outcomes(seen: Sequence[Observed], claim: str) -> str:
    said = [one.claims[claim] for one in seen if claim in one.claims]
    return " or ".join(dict.fromkeys(map(str, said))) or "no answer"
