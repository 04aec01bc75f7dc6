"""What a finding shows a person: near misses with their reasons, threads and parents, cut to what can be read."""

from __future__ import annotations

from harness.expect import Recording, evaluate
from harness.trace.context import LogEntry, Mark, RecordingContext
from harness.verdict import Outcome
from tests import traces
from tests.expect.cases import PAGE, contexts, evaluate_form, expectation


def test_the_nearest_misses_come_first_with_all_their_reasons() -> None:
    near = "{name: A, on: page.main, inside: b, where: {dur: {compare: '>= 100us'}}}"
    case = expectation("count: {of: near, is: 1}", near=near)
    trace = traces.make(
        [
            *traces.names(),
            traces.slice("A", ts=10, dur=12),
            traces.slice("RunTask", ts=100, dur=400),
            traces.slice("FunctionCall", ts=110, dur=300),
            traces.slice("A", ts=120, dur=200),
            traces.slice("A", ts=600, dur=7, tid=traces.COMPOSITOR),
        ]
    )
    finding = evaluate_form(case, trace)
    assert finding.outcome is Outcome.UNMET
    assert [(miss.ts_us, miss.thread, miss.parents) for miss in finding.misses] == [
        (120, "CrRendererMain", ["RunTask", "FunctionCall"]),
        (10, "CrRendererMain", []),
        (600, "Compositor", []),
    ]
    outside = "is not inside any `b`; it has no parent"
    assert [miss.note for miss in finding.misses] == [
        "missed: is not inside any `b`; its parents are RunTask > FunctionCall",
        f"missed: {outside}; dur 12 us is not >= 100us",
        f"missed: is on Compositor 100:101, not on page.main; {outside}; dur 7 us is not >= 100us",
    ]
    assert finding.summary == "asked for 1 `near` (A on page.main inside `b` where dur), found 0"
    assert finding.text == "count: {of: near, is: 1}" or finding.text == "{count: {of: near, is: 1}}"
    assert finding.place.count(":") == 2


def test_a_name_that_nothing_has_brings_similar_names() -> None:
    trace = traces.make([*traces.names(), traces.slice("UpdateLayerTree", ts=1, dur=2)])
    finding = evaluate_form(expectation("count: {of: tree, is: 1}", tree="{name: UpdateLayoutTree}"), trace)
    assert finding.details == ["no event named UpdateLayoutTree is in the recording; similar: UpdateLayerTree (1)"]


def test_a_category_of_which_nothing_was_recorded_is_told() -> None:
    trace = traces.make([*traces.names(), traces.slice("UpdateLayerTree", ts=1, dur=2)])
    finding = evaluate_form(expectation("count: {of: timer, is: 1}", timer="{name: label, cat: blink.console}"), trace)
    assert finding.details[0].endswith(
        "nor is any event of the category blink.console: is it among the categories of `record`?"
    )
    finding = evaluate_form(
        expectation("count: {of: timer, is: 1}", timer="{name: label, cat: devtools.timeline}"), trace
    )
    assert finding.details == ["no event named label is in the recording"]


def test_so_does_a_name_that_a_selection_further_up_says() -> None:
    trace = traces.make([*traces.names(), traces.slice("UpdateLayerTree", ts=1, dur=2)])
    chain = {"all_trees": "{name: UpdateLayoutTree}", "long": '{of: all_trees, where: {dur: {compare: ">= 1"}}}'}
    finding = evaluate_form(expectation("count: {of: long, is: 1}", **chain), trace)
    assert finding.details == ["no event named UpdateLayoutTree is in the recording; similar: UpdateLayerTree (1)"]


def test_too_many_events_are_shown_as_what_they_are() -> None:
    trace = traces.make([*traces.names(), *(traces.slice("A", ts=10 * n, dur=5) for n in range(1, 20))])
    finding = evaluate_form(expectation("count: {of: a, is: 3}"), trace)
    assert (len(finding.matched), finding.population, finding.misses) == (5, 19, [])


def test_large_arguments_are_cut_and_say_so() -> None:
    args = {"text": "x" * 1000, "list": list(range(100)), "deep": {"a": {"b": {"c": {"d": {"e": 1}}}}}}
    trace = traces.make([*traces.names(), traces.slice("A", ts=10, dur=5, args=args)])
    (shown,) = evaluate_form(expectation("count: {of: a, is: 1}"), trace).matched
    assert shown.args["text"] == "x" * 200 + "… (1000 characters)"
    assert shown.args["list"] == [0, 1, 2, 3, 4, "… 95 more"]
    assert shown.args["deep"] == {"a": {"b": {"c": "…"}}}


def test_marks_and_requests_say_what_they_are() -> None:
    log = [LogEntry(method="GET", host="a.test", path="/a.css", request_us=5, end_us=9)]
    context = contexts(marks=[Mark("opened", 3)], log=log)
    trace = traces.make(traces.names())
    for select, name, thread in (("{source: server}", "/a.css", "server log"), ("{source: marks}", "opened", "marks")):
        (shown,) = evaluate_form(expectation("count: {of: it, is: 1}", it=select), trace, context).matched
        assert (shown.name, shown.thread) == (name, thread)


def test_an_answer_over_arms_names_the_one_that_failed() -> None:
    case = expectation("count: {of: a, is: 1}, arms: [plain, tracking]")
    one = traces.make([*traces.names(), traces.slice("A", ts=10, dur=5)])
    none = traces.make(traces.names())
    recordings = {
        arm: [Recording(trace, RecordingContext(arm=arm, page=PAGE))]
        for arm, trace in (("plain", one), ("tracking", none))
    }
    (finding,) = evaluate(case, recordings)
    assert (finding.outcome, finding.arm) == (Outcome.UNMET, "tracking")
    assert any("arm plain, block 0: met" in line for line in finding.details)


def test_rows_of_a_query_that_name_events_show_them() -> None:
    trace = traces.make([*traces.names(), traces.slice("A", ts=10, dur=5), traces.slice("A", ts=20, dur=7)])
    case = expectation("query: 'select seq, dur from a where dur > 6', rows: none, over: a")
    finding = evaluate_form(case, trace)
    assert [miss.ts_us for miss in finding.misses] == [20]
    assert finding.details == [f"seq, dur: {finding.misses[0].seq}, 7"]
