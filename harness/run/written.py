"""Which builds write an event at all, from stored recordings: what shows at a glance where one was renamed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import TraceFileError
from harness.events import RecordingRef
from harness.run.catalog import Catalog
from harness.run.history import version_order
from harness.run.ledgers import read_result
from harness.store import context_beside
from harness.trace import load

Way = tuple[str, str]  # version and mode
_OPT_IN = "disabled-by-default-"


@dataclass(frozen=True, slots=True)
class Wanted:
    """An event by its name, and by one of its categories where the name alone means several."""

    name: str
    category: str = ""

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """`Commit@disabled-by-default-devtools.timeline`, or the name alone."""
        name, _, category = text.partition("@")
        return cls(name, category)

    def __str__(self) -> str:
        return f"{self.name}@{self.category}" if self.category else self.name


@dataclass(slots=True)
class Share:
    """In `wrote` of `could` recordings; those that did not record its category cannot show the event."""

    wrote: int = 0
    could: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """`shares`: by version and mode, the oldest version first, and by event. `unread`: recordings that are gone."""

    shares: dict[Way, dict[Wanted, Share]]
    unread: list[str]


@dataclass(slots=True)
class _Recording:
    categories: Collection[str]
    seen: dict[Wanted, set[str]] = field(default_factory=dict)  # the categories that each event was seen with


def written(
    wanted: Sequence[Wanted],
    ledgers: Iterable[Path],
    catalog: Catalog,
    on_recording: Callable[[str], None] = lambda name: None,
) -> Written:
    """Look for events of these names on the page's main thread, in each valid recording of some ledgers.

    `on_recording` hears the name of each before it is read. `UserError` for a ledger that cannot be read.
    """
    found: dict[Way, list[_Recording]] = {}
    unread: list[str] = []
    for ledger in ledgers:
        for case in read_result(ledger, catalog).cases:
            for reference in (one for attempt in case.attempts for one in attempt.recordings if not one.invalid):
                on_recording(reference.trace)
                if (recording := _look(ledger.parent / reference.trace, reference, wanted)) is None:
                    unread.append(str(ledger.parent / reference.trace))
                else:
                    found.setdefault((case.build.version, case.mode), []).append(recording)
    ways = sorted(found, key=lambda way: (version_order(way[0]), way[1]))
    everywhere = [one for of_way in found.values() for one in of_way]
    categories = {one: {cat for made in everywhere for cat in made.seen.get(one, ())} for one in wanted}
    return Written({way: _shares(found[way], categories) for way in ways}, unread)


def _shares(recordings: Sequence[_Recording], categories: Mapping[Wanted, set[str]]) -> dict[Wanted, Share]:
    shares = {one: Share() for one in categories}
    for recording in recordings:
        for one, known in categories.items():
            if any(_recorded(category, recording.categories) for category in known):
                shares[one].could += 1
                shares[one].wrote += one in recording.seen
    return shares


def _look(path: Path, reference: RecordingRef, wanted: Sequence[Wanted]) -> _Recording | None:
    """None where the file or what is known of its page is not there any more."""
    context = context_beside(path) if path.is_file() else None
    page = context.page.main if context and context.page else None
    if page is None:
        return None
    try:
        trace = load(path)
    except TraceFileError:
        return None
    recording = _Recording(reference.categories)
    for one in wanted:
        for event in trace.by_name(one.name):
            parts = event.cat.split(",")
            if event.thread == (page.pid, page.tid) and (not one.category or one.category in parts):
                recording.seen.setdefault(one, set()).add(event.cat)
    return recording


def _recorded(category: str, asked: Collection[str]) -> bool:
    """Whether a recording of these categories has the events of one, which may be a list: any of it will do."""
    return any(part in asked or ("*" in asked and not part.startswith(_OPT_IN)) for part in category.split(","))
