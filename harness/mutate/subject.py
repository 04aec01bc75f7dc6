"""One expectation with the recordings that it is met on: what it looks at, and its answer on changed recordings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from harness.events import Finding
from harness.expect import Recording, evaluate
from harness.expect.items import Item, Pseudo, marks, requests
from harness.expect.recording import NotShown, Unanswerable
from harness.expect.select import Picker, Population
from harness.mutate.looks import chain, forms_of, made_from
from harness.mutate.tape import Tape
from harness.scenario.model import Case, Compare, Expectation, Ref, Selection
from harness.trace import Event, Trace

Key = tuple[str, int]  # arm and block: names one recording of the attempt
Edits = Mapping[Key, Tape]  # the recordings that a mutant changes


@dataclass(frozen=True, slots=True)
class Member:
    """One event of a selection and what stands for it: a line of the tape, an entry of the server's log or a mark (by
    `index`), or for a gap the two events around it."""

    key: Key
    source: Literal["event", "log", "mark", "gap"]
    index: int
    item: Item
    around: tuple[Member, ...] = ()


class Played:
    """The recordings of one attempt as they are, with their selections: read once for all expectations of a case."""

    def __init__(self, case: Case, tapes: Mapping[Key, Tape]) -> None:
        self.tapes = dict(tapes)
        self.lines = {key: tape.written()[1] for key, tape in self.tapes.items()}
        self.recordings = {key: tape.recording() for key, tape in self.tapes.items()}
        self.pickers = pickers(case, self.recordings)


def pickers(case: Case, recordings: Mapping[Key, Recording]) -> dict[Key, Picker]:
    """One for each recording; those of a block know each other."""
    made: dict[Key, Picker] = {}
    blocks: dict[int, dict[str, Picker]] = {}
    for (arm, block), recording in recordings.items():
        siblings = blocks.setdefault(block, {})
        siblings[arm] = made[arm, block] = Picker(arm, recording, case.select, siblings)
    return made


class Subject:
    """Populations are those of the recordings as they are; `evaluate` and `size` take the changed ones into account."""

    def __init__(self, case: Case, expectation: Expectation, tapes: Mapping[Key, Tape] | Played) -> None:
        played = tapes if isinstance(tapes, Played) else Played(case, tapes)
        self.case = replace(case, expect=(expectation,), require=())
        self.expectation, self.tapes = expectation, played.tapes
        self._lines, self._recordings, self._pickers = played.lines, played.recordings, played.pickers
        self.blocks = 1 + max(block for _, block in self.tapes)
        self._by_block = not any(isinstance(form, Compare) for form in forms_of(expectation))
        self._last: tuple[Edits, dict[Key, Recording], dict[Key, Picker]] = ({}, self._recordings, self._pickers)

    def trace(self, key: Key) -> Trace:
        return self._recordings[key].trace

    def evaluate(self, edits: Edits) -> Finding:
        """The finding on the changed recordings, on which it is met as they are.

        A mutant that makes the SQL itself fail was told, not missed.
        """
        changed, _ = self._changed(edits)
        # What answers in each block for itself has answered already where nothing has changed.
        asked = {block for _, block in edits} if edits and self._by_block else range(self.blocks)
        arms: dict[str, list[Recording]] = {}
        for (arm, block), recording in sorted(changed.items(), key=lambda entry: entry[0][1]):
            if block in asked:
                arms.setdefault(arm, []).append(recording)
        (finding,) = evaluate(self.case, arms)
        return finding

    def _changed(self, edits: Edits) -> tuple[dict[Key, Recording], dict[Key, Picker]]:
        """The recordings with the edits. Of one mutant several things are asked in a row: the last is kept."""
        last, recordings, made = self._last
        if last.keys() != edits.keys() or any(last[key] is not tape for key, tape in edits.items()):
            recordings = {**self._recordings, **{key: tape.recording() for key, tape in edits.items()}}
            made = pickers(self.case, recordings) if edits else self._pickers
            self._last = dict(edits), recordings, made
        return recordings, made

    def members(self, ref: Ref | str, key: Key) -> list[Member]:
        """The events that a reference, or a selection by its name, stands for, seen from one recording."""
        return self._members(self._population(self._pickers, ref, key), key[1])

    def named(self, name: str, key: Key) -> list[Member]:
        return self.members(name, key)

    def size(self, ref: Ref | str, key: Key, edits: Edits) -> int:
        """How many events a reference stands for in the changed recordings; -1 where that cannot be told."""
        try:
            return self._population(self._changed(edits)[1], ref, key).size
        except (Unanswerable, NotShown):
            return -1

    def population(self, ref: Ref | str, key: Key, edits: Edits) -> list[Item]:
        return self._population(self._changed(edits)[1], ref, key).items

    def _population(self, pickers: Mapping[Key, Picker], ref: Ref | str, key: Key) -> Population:
        picker = pickers[key]
        return picker.named(ref, self.expectation.at) if isinstance(ref, str) else picker.refer(ref)

    def _members(self, population: Population, block: int) -> list[Member]:
        key, gaps_of = (population.picker.arm, block), self._gaps_of(population.selection)
        found = []
        for item in population.items:
            if isinstance(item, Event):
                found.append(Member(key, "event", self._lines[key][item.seq], item))
            elif gaps_of is not None:
                found.append(Member(key, "gap", item.seq, item, self._around(item, gaps_of, key)))
            else:
                found.append(Member(key, "mark" if item.kind == "instant" else "log", item.seq, item))
        return [member for member in found if member.source != "gap" or member.around]

    def _gaps_of(self, selection: Selection) -> str | None:
        return next((one.gaps_of for one in chain(selection, self.case.select) if one.gaps_of), None)

    def _around(self, gap: Pseudo, name: str, key: Key) -> tuple[Member, ...]:
        of = [member for member in self.named(name, key) if member.source == "event"]
        before = next((m for m in of if m.item.end == gap.ts and m.item.args == gap.args["previous"]), None)
        after = next((m for m in of if m.item.ts == gap.ts + (gap.dur or 0) and m.item.args == gap.args["next"]), None)
        return (before, after) if before and after and before is not after else ()

    def of_name(self, name: str, key: Key) -> list[Member]:
        """Every event of a name in one recording, whatever selects it."""
        return [Member(key, "event", self._lines[key][e.seq], e) for e in self.trace(key).by_name(name)]

    def within(self, member: Member) -> list[Member]:
        """Every slice inside a slice."""
        key, item = member.key, member.item
        inner = [e for e in self.trace(key).events if any(above is item for above in e.ancestors())]
        return [Member(key, "event", self._lines[key][e.seq], e) for e in inner]

    def in_context(self, source: Literal["log", "mark"], key: Key) -> list[Member]:
        """Every request or mark of one recording."""
        context = self.tapes[key].context
        items = requests(context) if source == "log" else marks(context)
        return [Member(key, source, index, item) for index, item in enumerate(items)]

    def selection(self, ref: Ref | str) -> Selection:
        if isinstance(ref, str):
            return self.case.select[ref]
        return ref.narrowed or self.case.select[ref.name]

    def keys_of(self, ref: Ref | str) -> list[Key]:
        """The recordings whose events a reference looks at, over all arms and blocks of the expectation."""
        named = None if isinstance(ref, str) else ref.arm
        arms = [named] if named else list(self.expectation.arms)
        return [(arm, block) for arm in arms for block in range(self.blocks) if (arm, block) in self.tapes]

    def below(self, selection: Selection) -> list[str]:
        """Selections that one is made from, however far down."""
        found: dict[str, None] = {}
        waiting = made_from(selection)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                waiting += made_from(self.case.select[name])
        return list(found)
