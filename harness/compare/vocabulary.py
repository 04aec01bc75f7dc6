"""The vocabulary of one recording: its events by name, with their categories, phases, argument paths and types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from harness.trace import Event
from harness.trace.argpaths import typed_paths
from harness.trace.event import decode_args


@dataclass(slots=True)
class EventUse:
    """Events of one name. categories: `cat` as written; paths and types: how many of the events have each."""

    count: int = 0
    categories: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)  # path, type


Vocabulary = dict[str, EventUse]


def survey(events: Iterable[Event], accepts: Callable[[Event], bool] = lambda event: True) -> Vocabulary:
    """Every event that `accepts` takes, by name. Ends are merged into their begins, so a pair counts once, as B."""
    found: Vocabulary = {}
    for event in events:
        if not accepts(event):
            continue
        if (use := found.get(event.name)) is None:
            use = found[event.name] = EventUse()
        use.count += 1
        use.categories[event.cat] += 1
        use.phases[event.ph] += 1
        # Not `event.args`: it would keep every decoded argument of a recording that is held.
        typed = typed_paths(decode_args(event.raw_args))
        use.types.update(typed)
        use.paths.update({path for path, _ in typed})
    return found
