"""The script of a reply, without sockets and without time."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from harness.server.controls import Abort, Behaviour, HoldAt
from harness.server.reply import Cut, Data, End, Head, Hold, Sleep, boundaries, script


def test_a_plain_body_is_one_write() -> None:
    assert script(Behaviour(), 10, sends_body=True) == (Head(), Data(0, 10), End())


def test_an_empty_body_is_none() -> None:
    assert script(Behaviour(), 0, sends_body=True) == (Head(), End())


def test_everything_in_its_order() -> None:
    behaviour = Behaviour(
        hold="go", delay_us=1, chunks=2, pause_us=2, hold_at=(HoldAt(5, "mid"), HoldAt(7, "late")), tail_us=3
    )
    assert script(behaviour, 10, sends_body=True) == (
        Hold("go"),
        Sleep(1),
        Head(),
        Data(0, 5),
        Sleep(2),
        Hold("mid"),
        Data(5, 7),
        Hold("late"),
        Data(7, 10),
        Sleep(3),
        End(),
    )


def test_an_abort_ends_the_script() -> None:
    behaviour = Behaviour(abort_at=Abort(4, True), hold_at=(HoldAt(4, "x"), HoldAt(8, "never")))
    assert script(behaviour, 10, sends_body=True) == (Head(), Data(0, 4), Hold("x"), Cut(True))
    assert script(Behaviour(delay_us=1, abort_at=Abort(None, False)), 10, sends_body=True) == (Sleep(1), Cut(False))
    assert script(Behaviour(abort_at=Abort(0, False)), 10, sends_body=True) == (Head(), Cut(False))


def test_a_hold_behind_the_last_byte_comes_before_the_end() -> None:
    actions = script(Behaviour(hold_at=(HoldAt(10, "end"),)), 10, sends_body=True)
    assert actions == (Head(), Data(0, 10), Hold("end"), End())


@given(size=st.integers(0, 500), chunks=st.integers(0, 40), chunk_size=st.integers(0, 60), stop=st.integers(0, 500))
def test_the_parts_are_the_body_once_and_in_order(size: int, chunks: int, chunk_size: int, stop: int) -> None:
    behaviour = Behaviour(
        chunks=min(chunks, size), chunk_size=0 if chunks else chunk_size, hold_at=(HoldAt(min(stop, size), "x"),)
    )
    parts = [action for action in script(behaviour, size, sends_body=True) if isinstance(action, Data)]
    assert [at for part in parts for at in range(part.start, part.end)] == list(range(size))
    assert all(part.start < part.end for part in parts)


@given(size=st.integers(1, 500), chunks=st.integers(1, 40))
def test_chunks_are_as_many_as_asked_and_nearly_equal(size: int, chunks: int) -> None:
    chunks = min(chunks, size)
    edges = [0, *boundaries(Behaviour(chunks=chunks), size), size]
    sizes = [end - start for start, end in pairwise(edges)]
    assert len(sizes) == chunks
    assert max(sizes) - min(sizes) <= 1
