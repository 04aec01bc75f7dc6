"""Which category carries what, told from recordings of a browser that this file makes up."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.ablate import ablate as command
from harness.compare.ablation import Ablation, conclude, observer
from harness.compare.ablation_claims import claim_answers
from harness.compare.ablation_text import ablation_json, ablation_lines, claim_lines
from harness.errors import UsageError
from harness.expect import Recording
from harness.run.ablate import Taken, Variant
from harness.scenario import load_folder
from harness.scenario.model import Case, Claim
from harness.trace.context import FrameIdentity, PageIdentity, RecordingContext
from tests.golden import same_as_golden
from tests.lab import SHELL, build_at
from tests.run.cases import AT
from tests.stored import write_scenarios
from tests.traces import PAGE, Json, make, names, slice

TIMELINE, BLINK, STACK = "devtools.timeline", "blink", "disabled-by-default-devtools.timeline.stack"
ALL = (TIMELINE, BLINK, STACK)


def browser(categories: tuple[str, ...], extra: int = 0) -> list[Json]:
    """ParseHTML on timeline, its end line on the pump where blink records that, a stack with its category."""
    events = []
    if TIMELINE in categories:
        begin: Json = {"frame": "F"}
        if STACK in categories:
            begin["stackTrace"] = [{"url": "u"}]
        end = {} if BLINK in categories else {"endData": {"endLine": 3}}
        events.append(slice("ParseHTML", ts=1, dur=5, cat=TIMELINE, args={"beginData": begin, **end}))
    if BLINK in categories:
        events.append(slice("Pump", ts=2, dur=3, cat=BLINK, args={"endData": {"endLine": 3}}))
    if {TIMELINE, BLINK} & {*categories}:
        events += [slice("Layout", ts=20 + n, dur=1, cat=f"{BLINK},{TIMELINE}") for n in range(2 + extra)]
    return events


@pytest.fixture
def case(tmp_path: Path) -> Case:
    folder = write_scenarios(tmp_path / "parsing")
    file = folder / "one.scenario.yaml"
    selections = """\
  others: {name: [Pump, Layout]}
  ended: {of: parsed, where: {args.endData: {absent: true}}}
expect:
  - {claim: parsing.once, count: {of: others, is: ">= 1"}}
  - {claim: parsing.once, count: {of: ended, is: 1}}
"""
    file.write_text(file.read_text().replace("expect:\n", selections))
    return load_folder(folder).cases[0]


def ablate(case: Case, *, alone: bool = True, noisy: bool = False) -> Ablation:
    look = observer(case, "main")
    page = PageIdentity(frames=[FrameIdentity(pid=PAGE, tid=PAGE)])

    def taken(variant: Variant, number: int) -> Taken[object]:
        events = browser(variant.categories, extra=number if noisy else 0)
        return Taken(variant, number, look(Recording(make([*names(), *events]), RecordingContext(page=page))))

    variants = [Variant("all", ALL)]
    for one in ALL:
        variants.append(Variant("without", tuple(other for other in ALL if other != one), one))
        if alone:
            variants.append(Variant("alone", (one,), one))
    samples = [taken(variants[0], 1), *(taken(one, 2) for one in variants[1:]), taken(variants[0], 3)]
    return conclude(case, samples)  # type: ignore[arg-type]


def test_needed_and_sufficient(case: Case) -> None:
    events = {event.name: event for event in ablate(case).events}
    assert (events["ParseHTML"].needed, events["ParseHTML"].sufficient) == ((TIMELINE,), (TIMELINE,))
    assert (events["Pump"].needed, events["Pump"].sufficient) == ((BLINK,), (BLINK,))
    # Two categories on one event: either is enough and none is needed.
    assert (events["Layout"].needed, events["Layout"].sufficient) == ((), (TIMELINE, BLINK))


def test_arguments_are_told_by_the_category_that_carries_them(case: Case) -> None:
    event = next(event for event in ablate(case).events if event.name == "ParseHTML")
    assert event.arguments["args.beginData.stackTrace"] == ((STACK,), ())
    assert event.arguments["args.beginData.frame"] == ((), (TIMELINE,))
    assert event.without[STACK].lost == ("args.beginData.stackTrace",)


def test_an_argument_that_moves_is_a_side_effect(case: Case) -> None:
    effects = ablate(case).effects
    assert f"without {BLINK}, ParseHTML gains args.endData, lost by Pump" in effects
    assert f"without {BLINK}, `ended` picks no ParseHTML though the event is there" in effects
    assert f"without {STACK}, ParseHTML loses args.beginData.stackTrace" in effects


def test_what_varies_by_itself_is_no_effect(case: Case) -> None:
    answer = ablate(case, noisy=True)
    layout = next(event for event in answer.events if event.name == "Layout")
    assert (layout.counts, layout.without[STACK].counts) == ((3, 5), (4,))
    assert not any("Layout is written" in effect for effect in answer.effects)


def test_claims_say_without_which_category_they_change(case: Case) -> None:
    claims = ablate(case).claims
    assert claims["parsing.end-line"] == {"all": "unmet", TIMELINE: "unmet", BLINK: "met", STACK: "unmet"}


def test_a_variant_without_an_answer_is_told_and_decides_nothing(case: Case) -> None:
    look = observer(case, "main")
    page = PageIdentity(frames=[FrameIdentity(pid=PAGE, tid=PAGE)])
    seen = look(Recording(make([*names(), *browser(ALL)]), RecordingContext(page=page)))
    answer = conclude(
        case,
        [
            Taken(Variant("all", ALL), 1, seen),
            Taken(Variant("without", (TIMELINE, STACK), BLINK), 1, None, "the browser went away"),
        ],
    )
    assert answer.unanswered == ((f"without {BLINK}", "the browser went away"),)
    assert all(event.needed == () for event in answer.events)


def test_the_table_as_people_read_it(case: Case) -> None:
    answer, recorded = ablate(case), {"main": ALL}
    known = {"parsing.once": Claim("parsing.once", "parsing", "It is so.", "It is not.", AT, kind="category")}
    lines = ablation_lines(answer, ALL) + claim_lines(claim_answers({"main": answer}, recorded, known), recorded)
    same_as_golden(Path(__file__).with_name("golden") / "ablation.txt", "\n".join(lines) + "\n")


ARMS = """
scenario: parsing.one
title: Layout has two categories
claims: [parsing.once, parsing.end-line]
arms:
  timeline: {record: {categories: [devtools.timeline]}}
  blink: {record: {categories: [blink]}}
  neither: {record: {categories: [disabled-by-default-devtools.timeline.stack]}}
steps: [{settle: 1ms}]
select:
  layouts: {name: Layout}
expect:
  - {claim: parsing.once, arms: [timeline, blink], count: {of: layouts, is: 2}}
  - {claim: parsing.once, arm: neither, none: {of: layouts}, control: {count: {of: layouts@blink, is: ">= 1"}}}
  - {claim: parsing.end-line, arm: blink, count: {of: layouts, is: 3}}
"""


def test_arms_of_one_category_each_are_an_ablation(tmp_path: Path) -> None:
    """Nothing can be left out, and the arms say what each category carries."""
    folder = write_scenarios(tmp_path / "parsing")
    (folder / "one.scenario.yaml").write_text(ARMS)
    case = load_folder(folder).cases[0]
    page = RecordingContext(page=PageIdentity(frames=[FrameIdentity(pid=PAGE, tid=PAGE)]))
    recorded = {name: arm.record.categories for name, arm in case.arms.items()}
    whole = {name: Recording(make([*names(), *browser(kept)]), page) for name, kept in recorded.items()}
    found = {}
    for name, recording in whole.items():
        look = observer(case, name, {other: [one] for other, one in whole.items()})
        samples = [Taken(Variant("all", recorded[name]), number, look(recording)) for number in (1, 2)]
        found[name] = conclude(case, samples)  # type: ignore[arg-type]
    known = {"parsing.once": Claim("parsing.once", "parsing", "It is so.", "It is not.", AT, kind="category")}
    lines = claim_lines(claim_answers(found, recorded, known), recorded)
    both, gone = f"{BLINK},{TIMELINE}", f"arm neither ({STACK})"
    assert lines == [
        "claims, by their expectations",
        "  parsing.once (about categories): met, by arms that record different categories",
        f"    Layout is written as {both}; there with {TIMELINE} and with {BLINK} alone; absent from {gone}",
        "  parsing.end-line: unmet with all categories, so leaving one out cannot support it",
    ]
    assert "nothing can be left out" in ablation_lines(found["blink"], recorded["blink"])[0]


def test_a_claim_that_no_category_moves_is_not_decided(case: Case) -> None:
    answer = ablate(case)
    still = dataclasses.replace(answer, claims={"parsing.once": dict.fromkeys(("all", *ALL), "met")})
    known = {"parsing.once": Claim("parsing.once", "parsing", "It is so.", "It is not.", AT, kind="category")}
    (one,) = claim_answers({"main": still}, {"main": ALL}, known)
    assert "does not decide" in one.shows


def test_json_has_every_cell(case: Case) -> None:
    answer = ablation_json(ablate(case), ALL)
    event = next(event for event in answer["events"] if event["name"] == "ParseHTML")
    assert event["without"][TIMELINE]["counts"] == (0,)
    assert set(event["alone"]) == set(ALL)
    assert event["arguments"]["args.beginData.stackTrace"] == {"needed": [STACK], "sufficient": []}


def invoke(*words: str) -> tuple[int, str]:
    said = CliRunner().invoke(command, list(words), standalone_mode=False, catch_exceptions=False)
    return said.return_value, said.stdout


def test_an_arm_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="has no arm 'stak'"):
        invoke("parse-html.arguments", "--arm", "stak")


def test_several_cases_need_one_to_be_named() -> None:
    with pytest.raises(UsageError, match="one case at a time, and these match"):
        invoke("parse-html.*")


SCENARIO = """
scenario: parsing.one
title: A page is parsed
claims: [parsing.end-line, parsing.once]
record: {categories: [devtools.timeline, blink]}
steps:
  - goto: "${server.origin}/gen/html?elements=20"
  - settle: 100ms
select:
  parsed: {name: ParseHTML, on: page.main}
expect:
  - {claim: parsing.end-line, count: {of: parsed, is: ">= 1"}}
  - {claim: parsing.once, each: {of: parsed, has: {args.beginData: {present: true}}}}
"""


@pytest.mark.browser
@pytest.mark.slow
def test_a_real_browser_is_taken_apart(tmp_path: Path) -> None:
    build_at(SHELL)
    folder = write_scenarios(tmp_path / "parsing")
    (folder / "one.scenario.yaml").write_text(SCENARIO)
    out = tmp_path / "out"
    words = [str(folder), "--alone", "--browser", SHELL, "--out", str(out), "--json"]
    status, told = invoke(*words)
    answer = json.loads(told)
    (event,) = answer["arms"]["main"]["events"]
    assert status == 0
    assert (event["name"], event["needed"], event["sufficient"]) == ("ParseHTML", [TIMELINE], [TIMELINE])
    assert answer["arms"]["main"]["unanswered"] == []
    assert [one["turns"] for one in answer["claims"]] == [[["main", TIMELINE, "unmet"]]] * 2
    assert len(list(out.glob("recordings/*/*/*/main.json.gz"))) == 6
    manifest = next(out.glob("recordings/parsing.one~without-blink/*/1/main.manifest.json"))
    assert json.loads(manifest.read_text())["categories"] == [TIMELINE]
