"""Fast answers over whole selections against slow ones that ask every pair of events."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.expect.items import Item
from harness.expect.nesting import Contents, Nest, inner_counts
from harness.expect.timing import ends_before, in_time_order, in_tree, same_thread, starts_before
from harness.trace import Event, Trace
from harness.verdict import Outcome
from tests import traces
from tests.expect.cases import evaluate_form, expectation


@st.composite
def some_traces(draw: st.DrawFn) -> Trace:
    """Slices that nest (with ties at both edges), instants and spans on two threads, in any order of the file."""
    events: list[dict[str, Any]] = []
    for tid in (traces.PAGE, traces.COMPOSITOR):
        _fill(draw, events, tid, 0, 12, 0)
        for number in range(draw(st.integers(0, 2))):
            start = draw(st.integers(0, 10))
            length = draw(st.integers(0, 6))
            track = f"0x{tid}{number}"
            events.append(traces.async_begin(draw(_NAMES), ts=start, id=track, tid=tid))
            events.append(traces.async_end(events[-1]["name"], ts=start + length, id=track, tid=tid))
    return traces.make([*traces.names(), *events])


_NAMES = st.sampled_from("ABC")


def _fill(draw: st.DrawFn, events: list[dict[str, Any]], tid: int, start: int, end: int, depth: int) -> None:
    """Children of one slice, which come after it in the file as Chrome writes them."""
    at = start
    while at < end and draw(st.booleans()):
        begin = draw(st.integers(at, end))
        if draw(st.booleans()):
            events.append(traces.instant(draw(_NAMES), ts=begin, tid=tid))
        elif begin < end:
            close = draw(st.integers(begin + 1, end))
            events.append(traces.slice(draw(_NAMES), ts=begin, dur=close - begin, tid=tid))
            if depth < 3:
                _fill(draw, events, tid, begin, close, depth + 1)
            begin = close
        at = max(begin, at + 1)


def lies_inside(inner: Item, outer: Item) -> bool:
    """The definition: by the tree where it has a place for both, else by time on the thread."""
    if in_tree(inner) and in_tree(outer):
        return any(above is outer for above in inner.ancestors())
    return inner is not outer and same_thread(inner, outer) and outer.ts <= inner.ts and inner.end <= outer.end


def named(trace: Trace, name: str) -> list[Event]:
    return [event for event in trace.by_name(name) if event.kind in ("slice", "instant", "async")]


@given(some_traces())
def test_inside_and_containing(trace: Trace) -> None:
    for outer_name, inner_name in product("ABC", repeat=2):
        outers, inners = named(trace, outer_name), named(trace, inner_name)
        nest, contents = Nest(outers), Contents(inners)
        for inner in inners:
            around = [outer for outer in outers if lies_inside(inner, outer)]
            assert nest.holds(inner) == bool(around)
            assert {id(outer) for outer in nest.around(inner)} == {id(outer) for outer in around}
        for outer in outers:
            held = [inner for inner in inners if lies_inside(inner, outer)]
            assert contents.within(outer) == bool(held)
            assert inner_counts(outers, inners).get(id(outer), 0) == len(held)


@given(some_traces())
def test_an_event_counts_for_its_nearest_outer_only_when_innermost(trace: Trace) -> None:
    outers, inners = (list(filter(in_tree, named(trace, name))) for name in "AB")
    counts = inner_counts(outers, inners, innermost=True)
    for outer in outers:
        nearest = [next((above for above in inner.ancestors() if above in outers), None) for inner in inners]
        assert counts.get(id(outer), 0) == sum(above is outer for above in nearest)


@given(some_traces())
def test_time_order_agrees_with_each_pair(trace: Trace) -> None:
    events = [event for event in trace.events if event.kind in ("slice", "instant")]
    ordered = in_time_order(reversed(events))
    assert {id(event) for event in ordered} == {id(event) for event in events}
    for i, a in enumerate(ordered):
        assert not starts_before(a, a) and not ends_before(a, a)
        for b in ordered[i + 1 :]:
            assert not starts_before(b, a)
            assert starts_before(a, b) or not same_thread(a, b)


@given(some_traces(), st.sampled_from(["start", "end"]))
def test_order_of_all(trace: Trace, edge: str) -> None:
    before = starts_before if edge == "start" else ends_before
    a, b = named(trace, "A"), named(trace, "B")
    wanted = bool(a and b) and all(before(x, y) for x, y in product(a, b))
    finding = evaluate_form(expectation(f"order: {{of: [a, b], edge: {edge}}}"), trace)
    assert (finding.outcome is Outcome.MET) == wanted


@given(some_traces())
def test_count_of_those_inside(trace: Trace) -> None:
    a, b = named(trace, "A"), named(trace, "B")
    inside = sum(any(lies_inside(x, y) for y in b) for x in a)
    for asked in (inside, inside + 1):
        control = "control: {count: {of: anything, is: '>= 1'}}"
        finding = evaluate_form(expectation(f"count: {{of: a, inside: b, is: {asked}}}, {control}"), trace)
        if any(event.kind != "metadata" for event in trace.events):
            assert (finding.outcome is Outcome.MET) == (asked == inside)
        else:
            assert finding.outcome is Outcome.INVALID


@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 2)), max_size=12), st.booleans())
def test_alternate(turns: list[tuple[str, int]], open_tail: bool) -> None:
    events = [traces.instant(name, ts=10 + 10 * at, args={"f": f}) for at, (name, f) in enumerate(turns)]
    trace = traces.make([*traces.names(), *events])
    names = {name for name, _ in turns}
    wanted = names == {"A", "B"}
    for group in {f for _, f in turns}:
        sequence = "".join(name for name, f in turns if f == group)
        closed = sequence == "AB" * (len(sequence) // 2)
        opened = open_tail and sequence == "AB" * (len(sequence) // 2) + "A"
        wanted = wanted and (closed or opened)
    tail = "open" if open_tail else "complete"
    finding = evaluate_form(expectation(f"alternate: {{of: [a, b], by: args.f, tail: {tail}}}"), trace)
    assert (finding.outcome is Outcome.MET) == wanted
