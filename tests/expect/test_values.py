"""Paths to values, and equality by type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.expect.values import FIELDS, canonical, is_number, parse_path, show, values_at
from harness.scenario.runtime import EACH_ELEMENT, parse_steps, walk
from harness.scenario.words import EVENT_FIELDS
from tests import traces


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("args.data.x", ("args", "data", "x")),
        ("args.list[].x", ("args", "list", EACH_ELEMENT, "x")),
        ("args.list[0][-1]", ("args", "list", 0, -1)),
        ('args."a.b".c', ("args", "a.b", "c")),
        ('args."say \\"hi\\""', ("args", 'say "hi"')),
        ("args.snapshot.cc::Layer.x-y", ("args", "snapshot", "cc::Layer", "x-y")),
        ("[0].x", (0, "x")),
    ],
)
def test_paths_are_read(text: str, steps: tuple[str | int | None, ...]) -> None:
    assert parse_steps(text) == steps


@pytest.mark.parametrize(
    "text", ["", ".", "args.", "args..x", ".args", "args[", "args[x]", "args[-]", 'args."x', "args]"]
)
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a path|does not begin"):
        parse_path(text)


@pytest.mark.parametrize(("text", "said"), [("arg.x", "does not begin with a field"), ("dur.x", "only args has parts")])
def test_what_no_event_has_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_path(text)


def test_the_fields_of_events_are_those_that_scenarios_may_name() -> None:
    assert set(FIELDS) == {"args", *EVENT_FIELDS}


def test_a_path_that_leads_nowhere_has_no_value() -> None:
    value = {"list": [{"x": 1}, {"y": 2}, 3], "null": None, "text": "abc"}
    for text, found in {
        "list[].x": [1],
        "list[5]": [],
        "list[-1]": [3],
        "list.x": [],
        "list[]": [{"x": 1}, {"y": 2}, 3],
        "null": [None],
        "null.x": [],
        "text[0]": [],
        "text[]": [],
        "list[0][]": [],
    }.items():
        assert walk(value, parse_steps(text)) == found, text


def test_the_fields_of_an_event() -> None:
    trace = traces.make(
        [
            *traces.names(),
            traces.slice("Outer", ts=10, dur=40, args={"n": 1}),
            traces.slice("Inner", ts=20, dur=5, tts=7, tdur=3),
            traces.instant("Point", ts=22),
            traces.begin("Open", ts=60, id="0x5"),
        ]
    )
    events = {event.name: event for event in trace.events if event.kind != "metadata"}

    def at(name: str, path: str) -> list[object]:
        return values_at(events[name], parse_path(path), trace)

    assert at("Outer", "self") == [35] and at("Inner", "self") == [5]
    assert at("Inner", "parent") == ["Outer"] and at("Outer", "parent") == []
    assert at("Inner", "depth") == [1] and at("Outer", "depth") == [0]
    assert at("Inner", "tts") == [7] and at("Outer", "tts") == []
    assert at("Inner", "tdur") == [3] and at("Outer", "tdur") == []
    assert at("Inner", "end") == [25] and at("Open", "end") == []
    assert (
        at("Open", "dur") == [] and at("Open", "self") == [] and at("Point", "dur") == [] and at("Point", "self") == []
    )
    assert at("Outer", "thread") == ["CrRendererMain"] and at("Outer", "process") == ["Renderer"]
    assert at("Outer", "pid") == [100] and at("Outer", "ph") == ["X"] and at("Outer", "args") == [{"n": 1}]
    assert at("Outer", "id") == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_equality_is_python_s_but_for_booleans(a: object, b: object) -> None:
    def plain(value: object) -> object:
        """Booleans made unlike any number, as no other type of JSON mixes with another in Python."""
        if isinstance(value, bool):
            return f"boolean {value}"
        if isinstance(value, list):
            return [plain(part) for part in value]
        return {key: plain(part) for key, part in value.items()} if isinstance(value, dict) else value

    assert canonical(a) == canonical(a)
    assert (canonical(a) == canonical(b)) == (plain(a) == plain(b))


def test_not_a_number_equals_nothing_and_is_no_number() -> None:
    nan = float("nan")
    assert canonical(nan) != canonical(nan)
    assert canonical([nan]) != canonical([nan])
    assert not any(map(is_number, (nan, float("inf"), True, "1", None, [1])))
    assert is_number(0) and is_number(-1.5)


def test_values_are_shown_short() -> None:
    assert show("x" * 500).endswith("…") and len(show("x" * 500)) == 80
    assert show({"a": [1, 2.5, None, True, "t"]}) == '{a: [1, 2.5, null, true, "t"]}'
    assert show(1e18) == "1e+18" and show(0.1) == "0.1"
