"""What an ablation shows of each claim: by its expectations, and by which categories carry the events looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.expect import Recording, evaluate, evaluate_require
from harness.scenario.model import Case, Claim
from harness.verdict import Outcome

if TYPE_CHECKING:
    from harness.compare.ablation import Ablation

_WORST = (Outcome.ERROR, Outcome.INVALID, Outcome.UNMET, Outcome.MET)
CATEGORY = "category"


def answers(case: Case, recordings: Mapping[str, Sequence[Recording]]) -> dict[str, Outcome]:
    """Claim: the worst that its expectations say; of no claim where arms are missing or blocks are to be compared."""
    if set(recordings) != set(case.arms) or case.paired is not None:
        return {}
    if any(finding.outcome is not Outcome.MET for finding in evaluate_require(case, recordings)):
        return dict.fromkeys(case.claims, Outcome.INVALID)
    found: dict[str, Outcome] = {}
    for finding in evaluate(case, recordings):
        for claim in finding.claims:
            found[claim] = min(found.get(claim, Outcome.MET), finding.outcome, key=_WORST.index)
    return found


@dataclass(frozen=True, slots=True)
class Carried:
    """One event that a selection names, over all arms. needed: gone without, in some arm.

    alone: a recording of that category alone has it. absent: arms that have none, though they record something.
    arguments: (path, category) where the event stays without the category and the argument does not; topmost paths.
    """

    event: str
    written: tuple[str, ...]
    needed: tuple[str, ...]
    alone: tuple[str, ...]
    absent: tuple[str, ...]
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """`whole`: with all categories of every arm. turns: (arm, category, answer) where leaving one out changes it.

    carried: of claims about categories only. shows: in a sentence, whether this decides the claim.
    """

    claim: str
    kind: str
    whole: str
    turns: tuple[tuple[str, str, str], ...]
    carried: tuple[Carried, ...]
    shows: str


def claim_answers(
    ablations: Mapping[str, Ablation], recorded: Mapping[str, Sequence[str]], claims: Mapping[str, Claim]
) -> tuple[ClaimAnswer, ...]:
    """One answer for each claim of the scenario, those about categories first.

    `ablations` and `recorded` (the categories as they were sent) are by arm; `recorded` has every arm of the scenario.
    """
    names = list(dict.fromkeys(claim for one in ablations.values() for claim in one.claims))
    carried = _carried(ablations, recorded)
    found = []
    for name in names:
        kind = claims[name].kind if name in claims else ""
        whole = " or ".join(dict.fromkeys(one.claims[name]["all"] for one in ablations.values() if name in one.claims))
        turns = tuple(
            (arm, category, one.claims[name][category])
            for arm, one in ablations.items()
            for category in one.categories
            if name in one.claims and one.claims[name][category] != one.claims[name]["all"]
        )
        shows = _shows(kind, whole, turns, recorded)
        found.append(ClaimAnswer(name, kind, whole, turns, carried if kind == CATEGORY else (), shows))
    return tuple(sorted(found, key=lambda one: (one.kind != CATEGORY, one.claim)))


def _shows(kind: str, whole: str, turns: Sequence[tuple[str, str, str]], recorded: Mapping[str, Sequence[str]]) -> str:
    if whole != Outcome.MET:
        return f"{whole} with all categories, so leaving one out cannot support it"
    if any(Outcome.UNMET in answer for *_, answer in turns):  # where a control failed there is no answer
        return "met, and it depends on the categories that are named"
    if kind != CATEGORY:
        return "met with all categories, and without any one of them"
    if len({tuple(sorted(names)) for names in recorded.values()}) > 1:
        return "met, by arms that record different categories"
    return "met with all and without any one of them, so this does not decide what it says of categories"


def _carried(ablations: Mapping[str, Ablation], recorded: Mapping[str, Sequence[str]]) -> tuple[Carried, ...]:
    found = []
    for name in dict.fromkeys(event.name for one in ablations.values() for event in one.events if event.named):
        here = {arm: [event for event in one.events if event.name == name] for arm, one in ablations.items()}
        there = {arm: events for arm, events in here.items() if any(any(event.counts) for event in events)}
        events = [event for some in there.values() for event in some]
        lonely = [recorded[arm][0] for arm in there if len(recorded[arm]) == 1]
        enough = [category for event in events for category in event.sufficient]
        found.append(
            Carried(
                name,
                tuple(dict.fromkeys(written for event in events for written in event.written)),
                tuple(dict.fromkeys(category for event in events for category in event.needed)),
                tuple(dict.fromkeys([*lonely, *enough])),
                tuple(arm for arm in ablations if arm not in there),
                tuple(
                    dict.fromkeys(
                        (path, category)
                        for event in events
                        for category, cell in event.without.items()
                        for path in cell.lost
                    )
                ),
            )
        )
    return tuple(found)
