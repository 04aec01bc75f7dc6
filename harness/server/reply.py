"""A response before any protocol: its head, its body and the script of what happens when.

HTTP/1.1 carries a script out in `http1.py`, HTTP/2 and HTTP/3 in `streams.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from harness.server.controls import Behaviour, HoldAt


@dataclass(frozen=True, slots=True)
class Request:
    """A request before any protocol. `target` is the path with its query as sent; header names are lower case."""

    method: str
    host: str
    target: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait until this name is released."""

    name: str


@dataclass(frozen=True, slots=True)
class Sleep:
    us: float


@dataclass(frozen=True, slots=True)
class Hint:
    """Send 103 Early Hints with this `Link`: one write, before anything else."""

    link: str


@dataclass(frozen=True, slots=True)
class Push:
    """Promise the answer to a request for this target, and send it side by side with this one."""

    target: str


@dataclass(frozen=True, slots=True)
class Head:
    """Send the head: one write."""


@dataclass(frozen=True, slots=True)
class Data:
    """Send this part of the body: one write."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class End:
    """Say that the body is complete."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Leave without saying so; `reset` by RST, else by FIN."""

    reset: bool


Action = Hold | Sleep | Hint | Push | Head | Data | End | Cut
Framing = Literal["length", "chunked", "close"]


@dataclass(frozen=True, slots=True)
class Reply:
    """`headers` lack the framing ones. `body` is as sent, after charset and encoding. `framing` says how HTTP/1.1 shows
    the end of the body; "" where the status has none. The answer to HEAD has a body that it does not send."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    script: tuple[Action, ...]
    framing: Framing | Literal[""]
    sends_body: bool


def boundaries(behaviour: Behaviour, size: int) -> list[int]:
    """Where one chunk ends and the next begins, without 0 and `size`. `chunks` differ by one byte at most."""
    if behaviour.chunks:
        small, larger = divmod(size, behaviour.chunks)
        return [small * index + min(index, larger) for index in range(1, behaviour.chunks)]
    return list(range(behaviour.chunk_size, size, behaviour.chunk_size)) if behaviour.chunk_size else []


def script(behaviour: Behaviour, size: int, *, sends_body: bool) -> tuple[Action, ...]:
    """What happens for a body of `size` bytes. At one byte, a pause comes before a hold and a hold before an abort."""
    abort = behaviour.abort_at
    actions: list[Action] = []
    if behaviour.early_hints:
        actions.append(Hint(behaviour.early_hints))
    if behaviour.hold:
        actions.append(Hold(behaviour.hold))
    if behaviour.delay_us:
        actions.append(Sleep(behaviour.delay_us))
    if abort and abort.at is None:
        return (*actions, Cut(abort.reset))
    actions += [Push(target) for target in behaviour.push]
    actions.append(Head())
    if not sends_body:
        return (*actions, Cut(abort.reset)) if abort else (*actions, End())
    if behaviour.lead_us:
        actions.append(Sleep(behaviour.lead_us))
    pauses = set(boundaries(behaviour, size)) if behaviour.pause_us else set()
    stops = {*boundaries(behaviour, size), *(hold.at for hold in behaviour.hold_at), 0, size}
    if abort and abort.at is not None:
        stops.add(abort.at)
    for at, following in pairwise([*sorted(stops), None]):
        assert at is not None
        if at in pauses:
            actions.append(Sleep(behaviour.pause_us))
        actions += [Hold(hold.name) for hold in behaviour.hold_at if hold.at == at]
        if abort and abort.at == at:
            return (*actions, Cut(abort.reset))
        if following is not None:
            actions.append(Data(at, following))
    if behaviour.tail_us:
        actions.append(Sleep(behaviour.tail_us))
    return (*actions, End())


def framing(behaviour: Behaviour, size: int) -> Framing:
    """A body whose end is held cannot announce its length: the client would know the end from the last byte."""
    if behaviour.length == "close":
        return "close"
    held_end = behaviour.tail_us or any(hold.at == size for hold in behaviour.hold_at)
    return "chunked" if behaviour.length == "off" or (held_end and behaviour.length is None) else "length"


def misfits(behaviour: Behaviour, size: int) -> list[tuple[str, str]]:
    """Controls that a body of `size` bytes cannot follow: the control and what is wrong."""
    found = []
    count = len(boundaries(behaviour, size)) + 1
    if behaviour.chunks > size:
        found.append(("chunks", f"{behaviour.chunks} chunks of a body of {size} bytes"))
    elif behaviour.pause_us and count < 2:
        found.append(("pause", f"a body of {size} bytes is one chunk, so there is no pause"))
    ends_itself = framing(behaviour, size) == "length"
    found += [("hold_at", _beyond(hold, size)) for hold in behaviour.hold_at if hold.at > size]
    if ends_itself and any(hold.at == size for hold in behaviour.hold_at):
        found.append(("hold_at", "a body with a Content-Length ends with its last byte; drop length=on"))
    abort = behaviour.abort_at
    if abort and abort.at is not None and (abort.at > size or (abort.at == size and ends_itself)):
        found.append(("abort_at", f"byte {abort.at} does not cut a body of {size} bytes"))
    return found


def _beyond(hold: HoldAt, size: int) -> str:
    return f"byte {hold.at} for {hold.name} is beyond a body of {size} bytes"
