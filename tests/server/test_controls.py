"""Controls from text to `Behaviour`, and every way in which they can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UserError
from harness.server.controls import CONTROLS, Abort, Behaviour, Given, HoldAt, layered, parse
from harness.server.resolve import query


def behaviour(text: str) -> Behaviour:
    return parse(query(f"/x?{text}"))


def mistakes(text: str) -> list[str]:
    with pytest.raises(UserError) as caught:
        behaviour(text)
    return [problem.message for problem in caught.value.problems]


def test_nothing_asked_is_the_default() -> None:
    assert behaviour("") == Behaviour()


def test_every_control_fills_its_field() -> None:
    assert behaviour(
        "hold=a&delay=5ms&chunk_size=2kB&pause=1s&tail=3us&hold_at=1:b&hold_at=2:c&abort_at=9:reset"
    ) == Behaviour(
        hold="a",
        delay_us=5000,
        chunk_size=2000,
        pause_us=1e6,
        tail_us=3,
        hold_at=(HoldAt(1, "b"), HoldAt(2, "c")),
        abort_at=Abort(9, True),
    )
    assert behaviour(
        "status=201&length=close&type=image/svg+xml&cache=etag&encoding=br&header=A:1&header=B:x%3Dy"
    ) == Behaviour(
        status=201,
        length="close",
        type="image/svg+xml",
        cache="etag",
        encoding="br",
        headers=(("A", "1"), ("B", "x=y")),
    )


def test_parameters_of_the_page_are_left_alone() -> None:
    assert behaviour("q=1&query=2&x-run=3&x-") == Behaviour()


@pytest.mark.parametrize(
    "text",
    [
        "delay=-5ms",
        "delay=",
        "delay",
        "chunks=0",
        "chunks=1.5",
        "chunk_size=0",
        "chunk_size=-3",
        "chunk_size=٣",
        "hold=",
        "hold=a b",
        "hold_at=5",
        "hold_at=x:y",
        "hold_at=5:",
        "abort_at=5:now",
        "abort_at=-1",
        "status=99",
        "status=600",
        "status=OK",
        "redirect=",
        "redirect=http://[a/",
        "redirect=/a%0d%0aSet-Cookie:x",
        "length=maybe",
        "type=a%00b",
        "charset=utf-99",
        "charset=rot13",
        "cache=forever",
        "cache=max-age=soon",
        "encoding=lzma",
        "header=NoColon",
        "header=Bad Name:x",
        "header=A:x%0ay",
        "header=Transfer-Encoding:chunked",
        "123",
    ],
)
def test_one_mistake_is_one_problem(text: str) -> None:
    (message,) = mistakes(text)
    assert message.startswith(("malformed", "unknown"))


def test_all_mistakes_are_told_at_once_with_the_valid_names() -> None:
    with pytest.raises(UserError) as caught:
        behaviour("dleay=1ms&chunks=x&tial=1s")
    first, second, third = caught.value.problems
    assert 'did you mean "delay"?' in first.remedy
    assert first.expected == ", ".join(CONTROLS)
    assert second.path == "/x?dleay=1ms&chunks=x&tial=1s"
    assert second.found == "chunks=x"
    assert 'did you mean "tail"?' in third.remedy


@pytest.mark.parametrize(
    "text",
    [
        "chunks=2&chunk_size=3",
        "pause=1ms",
        "tail=1ms&length=on",
        "redirect=/x&status=200",
        "abort_at=3&length=close",
        "status=204&charset=utf-16le",
        "status=304&length=off",
        "redirect=/x&hold_at=0:a",
        "redirect=/x&abort_at=0",
        "cache=etag&header=Cache-Control:private",
    ],
)
def test_contradictions_are_refused(text: str) -> None:
    assert len(mistakes(text)) == 1


def test_a_later_layer_replaces_a_control_as_a_whole() -> None:
    def layer(**values: str) -> list[Given]:
        return [Given(name, value, "") for name, value in values.items()]

    lower = [*layer(delay="1s"), Given("header", "A:1", ""), Given("header", "B:2", "")]
    merged = parse(layered(lower, layer(header="C:3", status="201")))
    assert merged == Behaviour(delay_us=1e6, headers=(("C", "3"),), status=201)


@given(st.dictionaries(st.sampled_from(sorted(CONTROLS)), st.text(max_size=12), max_size=4))
def test_any_text_is_a_behaviour_or_a_user_error(values: dict[str, str]) -> None:
    try:
        parse([Given(name, value, "/x") for name, value in values.items()])
    except UserError as error:
        assert error.problems
